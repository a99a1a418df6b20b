"""Arguments as lines of text, and back."""

import pytest

from desktop.settings.argument_lines import as_lines, from_lines


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
    assert from_lines(as_lines(arguments)) == arguments


def test_what_is_typed_plainly_stays_as_it_is() -> None:
    assert from_lines('  -y \n\n"a \\n b"\n"no end\n"a" b"\n') == ("-y", "a \n b", '"no end', '"a" b"')
