"""Only what is visible is laid out, whatever the length of the conversation, of a message or of a line."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.layout.markdown_splitter import HARD_LIMIT
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.turn_parts import Turn
from desktop.chat.views.text_view import TextView
from tests.gui.chat.conversation import answered, asked, talk, writing
from tests.gui.chat.sight import texts, views

PARAGRAPH = "Some **bold** words, `code` and a [link](https://x.example). " * 20
MEGABYTE = 1_000_000


def bindings_of(transcript: Transcript) -> int:
    return transcript._stage.bindings


def draw(transcript: Transcript, qtbot: QtBot, turn: Turn) -> int:
    """Update a turn and wait for the frame. Return how many documents were made for it."""
    before = bindings_of(transcript)
    with qtbot.waitSignal(transcript.placed):
        transcript.update_turn(turn)
    return bindings_of(transcript) - before


@pytest.mark.parametrize("turns", [100, 10_000])
def test_a_long_conversation_has_no_more_widgets_than_a_short(transcript: Transcript, turns: int) -> None:
    transcript.show_conversation(talk(turns))
    assert len(transcript.findChildren(TextView)) < 20


def test_turns_that_were_never_seen_have_no_blocks(transcript: Transcript) -> None:
    transcript.show_conversation(talk(10_000))
    assert sum(layout.is_laid_out for layout in transcript._column.layouts) < 40


def test_scrolling_through_a_long_talk_leaves_no_widgets_behind(transcript: Transcript) -> None:
    transcript.show_conversation(talk(2_000))
    bar = transcript.verticalScrollBar()
    counts = []
    for step in range(40):
        bar.setValue(bar.maximum() * step // 40)
        counts.append(len(transcript.findChildren(QWidget)))
    assert max(counts[10:]) < counts[10] + 5
    assert len(views(transcript, TextView)) < 40


def test_a_message_of_a_megabyte_has_few_views(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", f"{PARAGRAPH}\n\n" * (MEGABYTE // len(PARAGRAPH)))])
    assert len(views(transcript, TextView)) < 12


@pytest.mark.parametrize(
    "text",
    ["x" * MEGABYTE, "word " * (MEGABYTE // 5), "```\n" + "x" * MEGABYTE, "```\n" + "x\n" * (MEGABYTE // 2)],
    ids=["line", "words", "code line", "code"],
)
def test_no_document_is_long_whatever_the_text(transcript: Transcript, text: str) -> None:
    transcript.show_conversation([answered("1", text), asked("2", text)])
    for value in (0, transcript.verticalScrollBar().maximum() // 2, transcript.verticalScrollBar().maximum()):
        transcript.verticalScrollBar().setValue(value)
        assert max(view.document().characterCount() for view in views(transcript, TextView)) < 3 * HARD_LIMIT


@pytest.mark.parametrize("turns", [2, 2_000])
def test_an_update_makes_a_single_document_whatever_stood_before(
    transcript: Transcript, qtbot: QtBot, turns: int
) -> None:
    transcript.show_conversation([*talk(turns), writing("w", "Begin")])
    made = [draw(transcript, qtbot, writing("w", "Begin" + " more" * n)) for n in range(1, 10)]
    assert made == [1] * 9


def test_an_update_makes_no_more_of_a_message_that_is_long_already(transcript: Transcript, qtbot: QtBot) -> None:
    text = f"{PARAGRAPH}\n\n" * 200
    transcript.show_conversation([writing("w", text)])
    made = [draw(transcript, qtbot, writing("w", text + "more " * n)) for n in range(1, 10)]
    assert max(made) <= 2
    assert texts(transcript)[-1].endswith("more")


def test_code_that_grows_is_added_to_and_not_set_anew(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([writing("w", "```\none\n")])
    view = views(transcript, TextView)[-1]
    first = view.document().begin()
    draw(transcript, qtbot, writing("w", "```\none\ntwo\n"))
    assert view.document().begin() == first
    assert view.toPlainText() == "one\ntwo"


def test_a_burst_of_updates_is_drawn_once(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([writing("w", "0")])
    placed: list[int] = []
    transcript.placed.connect(lambda: placed.append(1))
    for number in range(200):
        transcript.update_turn(writing("w", f"0 {number}"))
    assert placed == []
    qtbot.waitUntil(lambda: bool(placed))
    assert (len(placed), texts(transcript)) == (1, ["0 199"])


def test_what_did_not_change_is_not_touched(transcript: Transcript) -> None:
    transcript.show_conversation(talk(10))
    before = bindings_of(transcript)
    transcript.set_turns(talk(10))
    assert bindings_of(transcript) == before


def test_an_update_that_comes_before_a_switch_is_not_drawn_after_it(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([writing("a", "One")])
    transcript.update_turn(writing("a", "One and more"))
    transcript.show_conversation([answered("b", "Two")])
    qtbot.wait(50)
    assert texts(transcript) == ["Two"]


def test_switching_again_and_again_leaves_no_widgets_behind(transcript: Transcript) -> None:
    one, other = talk(50), [answered(f"o{n}", f"{PARAGRAPH}\n\n```py\nx = {n}\n```") for n in range(50)]
    for _ in range(3):
        transcript.show_conversation(one)
        transcript.show_conversation(other)
    count = len(transcript.findChildren(QWidget))
    for _ in range(10):
        transcript.show_conversation(one)
        transcript.show_conversation(other)
    assert len(transcript.findChildren(QWidget)) <= count
