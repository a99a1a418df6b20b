"""How values are displayed."""

import json

import pytest

from core.domain.file_diff import compare
from core.domain.text.json_text import INDENTED_CHARACTERS
from desktop.chat.layout.outputs import (
    MAX_DIFF_LINES,
    JsonText,
    MarkdownText,
    Table,
    diff_text,
    present_output,
    present_value,
    table_markdown,
)


def test_text_is_markdown() -> None:
    assert present_output("# Report\n\nDone") == MarkdownText("# Report\n\nDone")


def test_text_that_only_begins_like_json_is_markdown() -> None:
    assert present_output("[see below](https://x.example)") == MarkdownText("[see below](https://x.example)")


def test_a_list_of_flat_objects_is_a_table_of_all_their_fields() -> None:
    shown = present_output('[{"a": 1, "b": "x"}, {"b": null, "c": true}]')
    assert isinstance(shown, Table)
    assert shown.columns == ("a", "b", "c")
    assert shown.rows == (("1", "x", ""), ("", "", "true"))


@pytest.mark.parametrize("value", [[], [1, 2], [{"a": {"b": 1}}], {"a": 1}, [{"a": 1}, 2], None, 3])
def test_everything_else_is_indented_json(value: object) -> None:
    assert present_value(value) == JsonText(json.dumps(value, indent=2))


def test_long_json_is_shown_as_it_came() -> None:
    text = json.dumps({"rows": list(range(INDENTED_CHARACTERS))})
    assert present_output(text) == JsonText(text)


def test_a_long_table_shows_its_first_rows_and_keeps_the_source_of_all() -> None:
    text = json.dumps([{"name": "x" * 50, "n": n} for n in range(1_000)])
    shown = present_output(text)
    assert isinstance(shown, Table)
    assert len(table_markdown(shown)) < 20_000
    assert (0 < len(shown.rows) < 1_000, shown.total, shown.source) == (True, 1_000, text)


def test_what_is_in_a_cell_is_text_and_nothing_else() -> None:
    table = present_value([{"a": "**x** | <b>\n[l](http://x)"}])
    assert isinstance(table, Table)
    assert table_markdown(table).splitlines()[-1] == r"| \*\*x\*\* \| \<b\> \[l\](http://x) |"


def test_a_diff_has_signs_marks_of_changed_line_ends_and_an_end() -> None:
    def text(before: str, after: str) -> str:
        work = compare(before, after)
        while True:
            try:
                next(work)
            except StopIteration as end:
                return diff_text(end.value)

    assert text("a\r\nb\n", "a\nb\n") == "-a⟨CR LF⟩\n+a⟨LF⟩\n b\n"
    same = "".join(f"{number}\n" for number in range(20))
    assert text(f"a\n{same}", f"b\n{same}c") == "-a\n+b\n 0\n 1\n 2\n@@ ⋯ 14 @@\n 17\n 18\n 19\n+c\n"
    long = text("", "x\n" * (MAX_DIFF_LINES + 5))
    assert long.splitlines()[MAX_DIFF_LINES - 1 :] == ["+x", "@@ ⋯ 5 @@"]
