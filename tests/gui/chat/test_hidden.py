"""Code shows what it hides, and copying returns the source."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.layout.display_text import MAX_LINE_CHARACTERS, display_code


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
