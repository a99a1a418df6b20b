"""Matches in a turn: in the text as displayed, whatever is folded, and not in its markup."""

from datetime import UTC, datetime

import pytest

from core.domain.ids import CallId, MessageId
from core.domain.messages import MessageState, Role
from core.domain.tool import CallStatus
from desktop.chat.transcript.find_scan import FindMatch, FindQuery, TurnScan, may_contain
from desktop.chat.turn_parts import Part, Text, Thought, ToolCalls, ToolLine, Turn
from desktop.theme import Theme

AT = datetime(2026, 1, 1, tzinfo=UTC)


def turn(*parts: Part) -> Turn:
    return Turn(MessageId("msg"), Role.ASSISTANT, "agent", AT, MessageState.FINAL, parts)


def found(theme: Theme, sought: str, *parts: Part, is_words: bool = False) -> list[FindMatch]:
    scan = TurnScan(theme, FindQuery(sought, is_words))
    return [one for places in scan.matches(scan.blocks(turn(*parts))) for one in places]


@pytest.mark.parametrize(
    ("text", "sought", "count"),
    [
        ("a **bold** word", "bold word", 1),
        ("[text](http://hidden.example/) more", "text more", 1),
        ("[text](http://hidden.example/) more", "hidden", 0),
        ("`call[0](hidden)`", "(hidden)", 1),
        ("no link](needle)", "needle", 1),
        ("![a picture](file:///x.png) here", "picture here", 1),
        ("a &amp; b", "a & b", 1),
        ("1. one\n2. two", "one two", 1),
        ("- [x] one\n- [ ] two", "one two", 1),
        ("> quoted\n> text", "quoted text", 1),
        ("| a | b |\n|---|---|\n| cell | x |", "cell", 1),
        ("# Head\n\ntext", "head", 1),
        ("```py\nx = [1](2)\n```", "[1](2)", 1),
        ("e\u0301te\u0301 ÉTÉ été", "ete", 3),
        ("🙂 needle 🙂 needle", "needle", 2),
        ("<b>needle</b>", "<b>", 1),
        ("aaaa", "aa", 2),
        ("", "x", 0),
        ("text", "", 0),
    ],
)
def test_a_text_is_found_as_it_is_shown(theme: Theme, text: str, sought: str, count: int) -> None:
    assert len(found(theme, sought, Text(text))) == count


def test_places_count_as_qt_does(theme: Theme) -> None:
    (one,) = found(theme, "needle", Text("🙂 **a** needle"))
    assert (one.start, one.end) == (5, 11)


def test_words_are_found_apart(theme: Theme) -> None:
    assert len(found(theme, 'two "one and"', Text("one and two, one or two"), is_words=True)) == 3


def test_what_is_folded_is_found_with_the_lines_to_unfold(theme: Theme) -> None:
    lines = tuple(
        ToolLine(CallId(f"call_{n}"), "tool", CallStatus.COMPLETED, "", {"path": f"needle{n}"}, AT) for n in range(3)
    )
    places = found(theme, "needle", Thought("a needle in mind", 1.0), ToolCalls(lines))
    assert [len(one.folds) for one in places] == [1, 2, 2, 2]
    assert len({one.folds for one in places}) == 4


def test_a_turn_that_grows_keeps_what_was_found(theme: Theme) -> None:
    scan = TurnScan(theme, FindQuery("needle"))
    text = "needle\n\n" * 300
    first = [one for places in scan.matches(scan.blocks(turn(Text(text)))) for one in places]
    again = [one for places in scan.matches(scan.blocks(turn(Text(text + "needle")))) for one in places]
    assert len(first) == 300
    assert len(again) == 301
    assert sum(one is other for one in first for other in again) > 250


@pytest.mark.parametrize("text", ["a **n**eedle", "[x](y) needle", "x](needle)", "n\\eedle", "NÉEDLE", "&#110;eedle"])
def test_what_may_be_shown_is_never_ruled_out(text: str) -> None:
    assert may_contain(text, FindQuery("needle").letters)


def test_what_cannot_be_shown_is_ruled_out() -> None:
    assert not may_contain("nothing of the kind", FindQuery("needle").letters)
