"""Prose that grew word by word looks as if it had been parsed at once, in whatever pieces it arrived."""

from datetime import UTC, datetime
from functools import partial
from itertools import accumulate, pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import delete

from desktop.chat.layout.blocks import ProseBlock
from desktop.chat.pictures.cache import PictureCache
from desktop.chat.views.prose_style import set_markdown
from desktop.chat.views.prose_view import ProseView, append_words
from desktop.chat.views.view_context import Intents, ViewContext
from desktop.theme import Appearance, Scheme, Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

WORDS = [
    "word",
    "Wort ",
    " the",
    " a",
    "é",
    "漢字",
    "שלום ",
    "🎉",
    "x",
    "Dr. ",
    "it's",
    "3.5",
    '"',
    "(",
    "…",
    "—",
    "%",
    "{",
]
BLANKS = ["  ", " ", "\n", "\n\n", "\t", "\u00a0", "\u200b", "\r", "\r\n", "\x00"]
SIGNS = [
    "*",
    "**",
    "_",
    "~~",
    "`",
    "[",
    "](",
    ")",
    "![",
    "<",
    ">",
    "&amp;",
    "\\",
    "#",
    "## ",
    "|",
    "$x$",
    "^",
    "+",
    "=",
    "-",
]
STARTS = ["- ", "\n- ", "\n  - ", "1. ", "\n14) ", "\n- [ ] ", "\n> ", "\n    ", "---", "\n===\n", "\n***\n", "```"]
LINKS = [
    "https:",
    "//",
    "www",
    "WWW",
    ".",
    "example.org",
    "@",
    "a@b.org",
    "[label]: ",
    "http://x.org",
    ":",
    ";",
    "!",
    "?",
]
TABLES = ["| a | b |\n|---|---|\n", "\n~~~\n", "\n| 1 | 2 |"]
now = partial(datetime.now, UTC)
PIECES = st.sampled_from([*WORDS, *BLANKS, *SIGNS, *STARTS, *LINKS, *TABLES])


@pytest.fixture
def view(theme: Theme, qapp: QApplication) -> ProseView:
    parent = QWidget()
    view = ProseView(ViewContext(theme, Intents(parent), now, PictureCache(parent)), parent)
    view.owner = parent  # type: ignore[attr-defined]  # kept as long as the view
    return view


def seen(document: QTextDocument) -> tuple[str, object]:
    """Return the text with all formats, and its size."""
    return document.toHtml(), document.size().toTuple()


def whole(view: ProseView, text: str, theme: Theme) -> tuple[str, object]:
    fresh = ProseView(ViewContext(theme, view.intents, now, PictureCache(view)), view)
    fresh.show_block(ProseBlock(key="0", text=text))
    found = seen(fresh.document())
    delete(fresh)
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, min_size=2, max_size=25))
def test_whatever_comes_reads_as_the_whole(view: ProseView, theme: Theme, pieces: list[str]) -> None:
    for text in accumulate(pieces):
        view.show_block(ProseBlock(key="0", text=text))
        assert seen(view.document()) == whole(view, text, theme), repr(text)


@pytest.mark.parametrize(
    "text",
    [
        "The words of an answer come one by one, and none of them, not one, means anything: that's it, \"so.",
        "Before\n\n- an item of a list that goes on with words",
        "Before\n\n12. an item of another list",
        "**Bold** and `code`, a [link](https://example.org) and an *open end of the line",
        "Before\n\n## A heading of some words",
        "Before\n\n> a quote that goes on",
    ],
)
def test_words_are_written_on_and_nothing_is_read_anew(theme: Theme, qapp: QApplication, text: str) -> None:
    start = len(text) - 12
    document = QTextDocument()
    set_markdown(document, text[:start], theme)
    steps = [text[:end] for end in range(start, len(text) + 1, 3)]
    assert all(append_words(document, before, after) for before, after in pairwise(steps))


@pytest.mark.parametrize(
    ("before", "added"),
    [
        ("see www", ".example.org"),
        ("see http:", "//example.org"),
        ("some *word", "s* more"),
        ("a", "\n==="),
        ("| a | b |\n|---|---|\nwords", " more"),
        ("1", ". item"),
        ("    code", " more"),
        ("words ", " more"),
        ("ab", "\\"),
        ("- - -", " -"),
        ("foo\n\n[a]: foo", " more"),
        ("[a]: /x\n'foo", " more'"),
        ("# foo #", " more"),
        ("", "words"),
    ],
)
def test_what_may_mean_more_is_read_anew(theme: Theme, qapp: QApplication, before: str, added: str) -> None:
    document = QTextDocument()
    set_markdown(document, before, theme)
    shown = seen(document)
    assert not append_words(document, before, before + added)
    assert seen(document) == shown


def test_after_a_change_of_theme_words_are_not_appended_in_the_old(view: ProseView, theme: Theme) -> None:
    view.show_block(ProseBlock(key="0", text="# Title\n\nSome `code`, and words"))
    theme.set_appearance(Appearance(Scheme.DARK, zoom=1.5))
    view.show_block(ProseBlock(key="0", text="# Title\n\nSome `code`, and words go on"))
    assert seen(view.document()) == whole(view, "# Title\n\nSome `code`, and words go on", theme)


def test_a_selection_up_to_the_end_does_not_grow_with_the_text(view: ProseView) -> None:
    view.show_block(ProseBlock(key="0", text="These words"))
    view.selectAll()
    view.show_block(ProseBlock(key="0", text="These words and more"))
    assert view.selected_text() == "These words"
