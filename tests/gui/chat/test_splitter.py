"""Markdown that arrives in pieces is cut as the whole is, and what was frozen never changes."""

from copy import copy
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.chat.layout.markdown_splitter import (
    HARD_LIMIT,
    SOFT_LIMIT,
    Code,
    CodeLabel,
    MarkdownSplitter,
    Prose,
    Segment,
    parse_fence_info,
    split,
    split_plain,
)

LINES = st.sampled_from(
    [
        "",
        "   ",
        "words of a paragraph",
        "- item",
        "  1. nested item",
        "12. twelfth",
        "   more of an item",
        "    indented code",
        "```",
        "```python",
        "   ```sh",
        "~~~~ md",
        "~~~~",
        "> quote",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "[label]: https://example.org",
        "# heading",
        "x" * 400,
        "y " * (HARD_LIMIT // 2 + 10),
        "z" * (HARD_LIMIT + 5),
        "line with a return\r",
        "é漢字🎉",
    ]
)


def texts() -> st.SearchStrategy[str]:
    return st.tuples(st.lists(LINES, max_size=60).map("\n".join), st.sampled_from(["", "\n"])).map("".join)


def tail_of(splitter: MarkdownSplitter) -> list[Segment]:
    return copy(splitter).close()


def frozen_and_tail(splitter: MarkdownSplitter) -> list[Segment]:
    return [*splitter.frozen, *tail_of(splitter)]


@given(texts(), st.lists(st.integers(0, 40_000), max_size=12))
def test_text_that_is_split_anywhere_while_it_streams_gives_the_segments_of_the_whole(
    text: str, cuts: list[int]
) -> None:
    splitter = MarkdownSplitter()
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    for start, end in pairwise(places):
        splitter.feed(text[start:end])
    assert frozen_and_tail(splitter) == split(text)


@settings(deadline=None)  # what it looks at grows with the text, and this machine may be busy
@given(texts(), st.integers(1, 700))
def test_frozen_segments_are_the_beginning_of_what_the_whole_gives(text: str, step: int) -> None:
    whole = split(text)
    splitter = MarkdownSplitter()
    for start in range(0, len(text), step):
        splitter.feed(text[start : start + step])
        assert splitter.frozen == whole[: len(splitter.frozen)]


@given(texts())
def test_looking_at_the_tail_changes_nothing(text: str) -> None:
    splitter = MarkdownSplitter()
    splitter.feed(text)
    assert tail_of(splitter) == tail_of(splitter)
    assert frozen_and_tail(splitter) == split(text)


@given(texts())
def test_no_segment_is_long_to_lay_out(text: str) -> None:
    assert all(len(segment.text) < 3 * HARD_LIMIT for segment in split(text))


@given(st.text(alphabet="`~ab \n\r\t", max_size=200))
def test_pieces_of_plain_text_join_to_the_whole(text: str) -> None:
    assert "".join(split_plain(text)) == text


def test_code_between_fences_is_byte_exact() -> None:
    code = "def f():\n\treturn 1  \n\n\n# ``` not the end\n  end"
    (segment,) = split(f"````py\n{code}\n````\n")
    assert segment == Code(0, "py", code)


def test_an_open_fence_is_code_that_is_not_closed() -> None:
    assert split("```js\nlet x") == [Code(0, "js", "let x", is_closed=False)]


def test_code_inside_a_list_item_loses_the_items_indentation_and_so_does_what_follows_it() -> None:
    text = "1. Install:\n   ```sh\n   make\n   \tall\n   ```\n\n   Then run.\n2. Done"
    assert split(text) == [Prose("1. Install:"), Code(0, "sh", "make\n\tall"), Prose("Then run.\n2. Done")]


def test_a_fence_deeper_than_three_spaces_is_no_fence_outside_a_list() -> None:
    assert split("    ```\n    x\n    ```") == [Prose("    ```\n    x\n    ```")]


def test_prose_is_cut_at_a_blank_line_once_there_is_enough_of_it() -> None:
    paragraph = "word " * (SOFT_LIMIT // 5)
    assert split(f"{paragraph}\n\nnext\n\nlast") == [Prose(paragraph.rstrip()), Prose("next\n\nlast")]


def test_a_list_is_not_cut_between_its_items() -> None:
    items = "\n\n".join(f"- {'word ' * 80}" for _ in range(6))
    assert len(split(items)) == 1


def test_a_table_that_goes_on_too_long_begins_again_with_its_head() -> None:
    rows = "\n".join(f"| {number} | {'x' * 60} |" for number in range(200))
    segments = split(f"| a | b |\n|---|---|\n{rows}")
    assert len(segments) > 1
    assert all(segment.text.startswith("| a | b |\n|---|---|\n") for segment in segments)


def test_an_endless_line_is_cut_and_plain() -> None:
    segments = split("x" * 1_000_000)
    assert all(isinstance(segment, Prose) and segment.is_plain for segment in segments)
    assert sum(len(segment.text) for segment in segments) == 1_000_000


def test_an_endless_line_is_cut_between_words_where_it_has_some() -> None:
    first = split("word " * 5_000)[0]
    assert first.text.endswith("word ")


def test_long_code_comes_in_pieces_that_join_to_the_whole() -> None:
    code = "\n".join(f"line {number}" for number in range(5_000))
    pieces = split(f"```\n{code}\n```")
    assert len(pieces) > 10
    assert "".join(piece.text for piece in pieces) == code


def test_targets_of_reference_links_are_noted() -> None:
    splitter = MarkdownSplitter()
    splitter.feed("[One]: https://one.example\n[^note]: no target\n")
    assert splitter.definitions == {"one": "[One]: https://one.example"}


@pytest.mark.parametrize(
    ("info", "label"),
    [
        ("python", CodeLabel("", "python")),
        ("python invoices.py", CodeLabel("invoices.py", "python")),
        ("python:src/invoices.py", CodeLabel("src/invoices.py", "python")),
        ('ts title="a b.ts"', CodeLabel("a b.ts", "ts")),
        ("{.haskell}", CodeLabel("", "")),
        ("", CodeLabel("", "")),
    ],
)
def test_the_words_after_a_fence_name_language_and_file(info: str, label: CodeLabel) -> None:
    assert parse_fence_info(info) == label


def test_a_table_is_cut_by_its_cells_which_cost_more_than_their_text() -> None:
    table = "|a|b|\n|-|-|\n" + "|1|2|\n" * 3000
    for piece in split(table):
        assert isinstance(piece, Prose)
        assert piece.text.startswith("|a|b|\n|-|-|\n")
        assert piece.text.count("|") <= 300


def test_a_line_of_more_cells_than_can_be_laid_out_at_once_is_no_head_of_a_table() -> None:
    def table(columns: int) -> str:
        return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + ("|" + "1|" * columns + "\n") * 3

    for columns in (31, 2000):
        assert [piece.text.count("\n") for piece in split(table(columns))] == [0] * 5
    assert [piece.text.count("\n") for piece in split(table(30))] == [4]
