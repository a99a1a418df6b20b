"""Characters that hide or reorder text are made visible, and copying returns the source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.layout.display_text import MAX_LINE_CHARACTERS, display_code, reveal_hidden


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("pay\u200bpal", "pay⟨U+200B⟩pal"),
        ("a\x00b\x1b[31m", "a⟨U+0000⟩b⟨U+001B⟩[31m"),
        ("ok\U000e0041\U000e0042", "ok⟨U+E0041⟩⟨U+E0042⟩"),
        ("half \ud800", "half ⟨U+D800⟩"),
    ],
)
def test_what_hides_or_reorders_is_named(text: str, seen: str) -> None:
    assert reveal_hidden(text) == seen


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d👩\u200d👧\u200d👦",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "ไทย\u200bไทย",
        "e\u0301 tab\tline\n",
    ],
)
def test_joiners_that_a_script_or_an_emoji_needs_stay(text: str) -> None:
    assert reveal_hidden(text) == text


@given(st.text(alphabet="ab\u202e\u200b\r\n\t🎉\x00", max_size=60), st.data())
def test_any_part_of_shown_code_leads_back_to_its_source(source: str, data: st.DataObject) -> None:
    code = display_code(source)
    cut = data.draw(st.integers(0, len(code.text)))
    assert code.original(0, cut) + code.original(cut, len(code.text)) == source


def test_a_mark_copies_as_the_character_behind_it() -> None:
    code = display_code("a\u202eb")
    assert code.original(1, len(code.text) - 1) == "\u202e"


def test_an_endless_line_of_code_is_shown_in_pieces_and_copied_whole() -> None:
    source = "x" * (3 * MAX_LINE_CHARACTERS)
    code = display_code(source)
    assert max(map(len, code.text.split("\n"))) == MAX_LINE_CHARACTERS
    assert code.original(0, len(code.text)) == source
