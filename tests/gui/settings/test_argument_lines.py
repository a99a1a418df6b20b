"""Arguments are written as lines of text and parsed again."""

import pytest

from desktop.settings.servers.server_form import format_arguments, parse_arguments


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("-y", "a b", "--x=\\n"),
        ("", " x ", "a\nb", '"quoted"', '"half', "a\r", "a\u2028b", "é\t"),
        ("[secret-not-kept]",),
    ],
)
def test_arguments_come_back_as_they_were(arguments: tuple[str, ...]) -> None:
    assert parse_arguments(format_arguments(arguments)) == arguments


def test_what_is_typed_plainly_stays_as_it_is() -> None:
    assert parse_arguments('  -y \n\n"a \\n b"\n"no end\n"a" b"\n') == ("-y", "a \n b", '"no end', '"a" b"')
