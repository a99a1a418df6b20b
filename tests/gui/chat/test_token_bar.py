"""The token bar: its texts, the gauge, and what is hidden first where space is short."""

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from core.stores.usage import TokenUsage, WorkflowUsage
from desktop.chat.composer.token_bar import ContextGauge, TokenBar
from desktop.chat.composer.token_strings import cost_label
from desktop.theme import Theme

NBSP = "\N{NO-BREAK SPACE}"
USED = WorkflowUsage(
    TokenUsage(1200, 300, 0.01, answers=1), TokenUsage(48_200, 6_100, 0.031, answers=4), 400, False, 38.4
)


@pytest.fixture
def bar(theme: Theme, qtbot: QtBot) -> TokenBar:
    bar = TokenBar(theme)
    qtbot.addWidget(bar)
    bar.resize(752, bar.height())
    bar.show()
    return bar


def said(bar: TokenBar) -> list[str]:
    shown = [one.text() for one in bar.findChildren(QLabel) if not one.isHidden()]
    return [*shown, *(one.text() for one in bar.findChildren(QPushButton) if not one.isHidden())]


def test_all_values_are_shown(bar: TokenBar) -> None:
    bar.show_usage(USED, 1000)
    assert said(bar) == [
        "Context 40%",
        f"Turn ↑{NBSP}1.2k ↓{NBSP}300",
        f"Total ↑{NBSP}48.2k ↓{NBSP}6.1k",
        "≈ $0.03",
        "38 tokens/s",
    ]
    assert "about 400 of the 1,000 tokens" in bar.accessibleName()
    assert "48,200 tokens in, 6,100 out" in bar.accessibleName()
    assert bar.objectName() == "token_bar"


def test_a_window_that_is_only_assumed_is_shown_as_such(bar: TokenBar) -> None:
    usage = WorkflowUsage(context_tokens=7_900, fixed_tokens=7_800)
    bar.show_usage(usage, 24_576, is_assumed=True)
    assert said(bar) == ["Context ≈ 32% of an assumed 24.6k"]
    assert "7,800 of them are the system prompt and the tools" in bar.accessibleName()
    assert "You can set it in the settings." in bar.accessibleName()
    bar.show_usage(usage, 24_576)
    assert said(bar) == ["Context 32%"]


def test_what_came_from_the_cache_is_told(bar: TokenBar) -> None:
    bar.show_usage(WorkflowUsage(total=TokenUsage(48_200, 6_100, answers=4, cached_tokens=12_000)), 1000)
    assert "48,200 tokens in, of which 12,000 from the cache, 6,100 out" in bar.accessibleName()


def test_nothing_is_shown_where_nothing_is_known_and_the_height_stays(bar: TokenBar) -> None:
    height = bar.height()
    bar.show_usage(WorkflowUsage(), 1000)
    assert (said(bar), bar.height()) == ([], height)
    bar.show_usage(USED, None)
    assert "Context" not in " ".join(said(bar))


@pytest.mark.parametrize(
    ("tokens", "words", "color", "offers"),
    [
        (0, "Context 0%", "accent", False),
        (749, "Context 74%", "accent", False),
        (750, "Context 75%", "sign_warn", False),
        (899, "Context 89%", "sign_warn", False),
        (900, "Context 90%, nearly full", "sign_error", True),
        (999, "Context 99%, nearly full", "sign_error", True),
        (1000, "Context full", "sign_error", True),
        (50_000, "Context full", "sign_error", True),
    ],
)
def test_the_gauge_shows_its_state_by_colour_and_text(
    bar: TokenBar, tokens: int, words: str, color: str, offers: bool
) -> None:
    bar.show_usage(WorkflowUsage(context_tokens=tokens), 1000)
    assert said(bar) == [words, *(["Continue from a summary"] if offers else [])]
    (gauge,) = bar.findChildren(ContextGauge)
    assert (gauge.color, gauge.share) == (color, tokens / 1000)


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        (TokenUsage(), ""),
        (TokenUsage(5, 5, 0.0, answers=1), "Free"),
        (TokenUsage(5, 5, None, answers=1, is_cheaper=True), "Cost unknown"),
        (TokenUsage(5, 5, 0.0, answers=2, is_cheaper=True), "Cost unknown"),
        (TokenUsage(5, 5, 0.25, answers=2, is_cheaper=True), "More than $0.25"),
        (TokenUsage(5, 5, 0.00001, answers=1), "≈ <$0.0001"),
        (TokenUsage(is_less=True), "Cost unknown"),
    ],
)
def test_an_unknown_cost_is_not_nothing(spent: TokenUsage, words: str) -> None:
    assert cost_label(spent).short == words


def test_tokens_that_were_not_reported_are_unknown(bar: TokenBar) -> None:
    bar.show_usage(WorkflowUsage(TokenUsage(is_less=True), TokenUsage(is_less=True)), None)
    assert said(bar) == ["Turn unknown", "Total unknown", "Cost unknown"]


def test_what_is_least_needed_goes_first_and_nothing_is_cut(bar: TokenBar) -> None:
    bar.show_usage(WorkflowUsage(USED.turn, USED.total, 950, False, 38.4), 1000)
    seen: list[list[str]] = []
    for width in range(752, 40, -4):
        bar.resize(width, bar.height())
        layout = bar.layout()
        assert layout is not None
        layout.activate()
        shown = [one for one in (*bar.findChildren(QLabel), *bar.findChildren(QPushButton)) if not one.isHidden()]
        assert all(one.width() >= one.sizeHint().width() for one in shown), width
        assert all(one.geometry().right() <= width for one in shown), width
        words = said(bar)
        if not seen or words != seen[-1]:
            seen.append(words)
    assert [len(words) for words in seen] == sorted((len(words) for words in seen), reverse=True)
    order = ["tokens/s", "Turn", "Total", "$", "summary", "Context"]
    lost = [next(one for one in a if one not in b) for a, b in pairwise(seen)]
    assert [mark for one in lost for mark in order if mark in one] == order[-len(lost) :]
