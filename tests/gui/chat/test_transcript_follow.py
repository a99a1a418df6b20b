"""The end is followed until the user scrolls up; then the visible text stays where it is."""

import random
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.chat.transcript.overlays import LatestButton
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.turn_parts import ToolCalls
from desktop.chat.view_state import AT_END, ViewState
from desktop.chat.views.line_button import LineButton
from desktop.chat.views.line_views import ToolView
from tests.gui.chat.conversation import answered, asked, call, talk, writing
from tests.gui.chat.sight import first_line, place_of, prose, texts, turn_wheel, views

NOTCH = QPoint(0, 120)


def is_at_end(transcript: Transcript) -> bool:
    return transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()


def stream(transcript: Transcript, qtbot: QtBot, updates: int = 20) -> None:
    """Stream forty words in twenty frames."""
    for number in range(updates):
        with qtbot.waitSignal(transcript.placed):
            transcript.update_turn(writing("w", "Streamed words. " * 20 * (number + 1)))


def test_a_conversation_is_shown_at_its_end(transcript: Transcript) -> None:
    transcript.show_conversation(talk(100))
    assert is_at_end(transcript)
    assert texts(transcript)[-1] == "Some words. 99"


def test_the_end_stays_in_sight_while_text_comes(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([*talk(20), writing("w", "Begin")])
    stream(transcript, qtbot)
    assert is_at_end(transcript)
    assert place_of(transcript, prose(transcript)).bottom() <= transcript.viewport().height()


def test_what_is_read_stays_where_it_is_while_text_comes(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([*talk(60), writing("w", "Begin")])
    for _ in range(3):
        turn_wheel(transcript, NOTCH)
    line, top = first_line(transcript)
    stream(transcript, qtbot)
    now_line, now_top = first_line(transcript)
    assert now_line == line
    assert abs(now_top - top) <= 1


def test_every_way_up_stops_following(transcript: Transcript) -> None:
    for key in (Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Home):
        transcript.show_conversation(talk(100))
        QTest.keyClick(transcript, key)
        assert not transcript.view_state().is_following


def test_coming_back_to_the_end_follows_again(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([*talk(60), writing("w", "Begin")])
    turn_wheel(transcript, NOTCH)
    for _ in range(5):
        turn_wheel(transcript, -NOTCH)
    assert transcript.view_state().is_following
    stream(transcript, qtbot, 3)
    assert is_at_end(transcript)


def test_the_pill_counts_what_has_come_and_leads_back(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation(talk(60))
    pill = transcript._latest
    assert not pill.isVisible()
    turn_wheel(transcript, NOTCH)
    assert (pill.isVisible(), pill.count) == (True, 0)
    transcript.set_turns([*talk(60), asked("n1", "New"), answered("n2", "Newer")])
    assert pill.count == 2
    QTest.mouseClick(pill, Qt.MouseButton.LeftButton)
    assert is_at_end(transcript)
    assert not pill.isVisible()


def test_the_pill_counts_blocks_that_come_in_the_last_turn(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([*talk(60), writing("w", "Begin")])
    turn_wheel(transcript, NOTCH)
    with qtbot.waitSignal(transcript.placed):
        transcript.update_turn(writing("w", "Begin\n\n```\ncode\n```\n\nend"))
    assert transcript._latest.count == 3


def test_turns_that_are_loaded_above_are_not_new_and_move_nothing(transcript: Transcript) -> None:
    turns = talk(100)
    transcript.show_conversation(turns[-24:])
    transcript.verticalScrollBar().setValue(300)
    before = first_line(transcript)
    transcript.set_turns(turns)
    assert first_line(transcript) == before
    assert transcript.findChildren(LatestButton)[0].count == 0


def test_a_conversation_that_fits_is_followed_from_its_top(transcript: Transcript) -> None:
    transcript.show_conversation(talk(2))
    assert transcript.view_state().is_following
    assert first_line(transcript)[1] < 80


def test_each_conversation_is_restored_in_its_view_state(transcript: Transcript) -> None:
    one = [*talk(60), answered("t", ToolCalls((call("1"),)))]
    transcript.show_conversation(one)
    QTest.mouseClick(views(transcript, ToolView)[0], Qt.MouseButton.LeftButton)
    for _ in range(4):
        turn_wheel(transcript, NOTCH)
    line, top = first_line(transcript)
    left = transcript.view_state()
    transcript.show_conversation([answered(f"o{n}", "Other") for n in range(60)])
    transcript.show_conversation(one, left)
    assert first_line(transcript) == (line, top)
    assert not transcript.view_state().is_following
    transcript.jump_to_latest()
    assert '{\n  "path": "1.txt"\n}' in texts(transcript)


def test_a_position_is_a_value(transcript: Transcript) -> None:
    transcript.show_conversation(talk(60))
    assert transcript.view_state() == AT_END
    turn_wheel(transcript, NOTCH)
    assert transcript.view_state() == transcript.view_state() != ViewState()


def test_a_position_in_a_turn_that_is_gone_is_at_the_end(transcript: Transcript) -> None:
    transcript.show_conversation(talk(60))
    turn_wheel(transcript, NOTCH)
    left = transcript.view_state()
    transcript.show_conversation([answered("new", "Only")], left)
    assert texts(transcript) == ["Only"]


def test_going_to_a_turn_in_a_conversation_that_fits_goes_on_following(transcript: Transcript) -> None:
    transcript.show_conversation(talk(2))
    transcript.focus_turn(-1)
    assert transcript.view_state().is_following
    assert not transcript.findChildren(LatestButton)[0].isVisible()


def test_a_line_that_is_unfolded_stays_where_it_is(transcript: Transcript) -> None:
    lines = tuple(call(str(n), arguments={"x": list(range(30))}) for n in range(2))
    transcript.show_conversation([*talk(60), answered("t", ToolCalls(lines))])
    line = views(transcript, ToolView)[0]
    top = place_of(transcript, line).top()
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    assert place_of(transcript, views(transcript, ToolView)[0]).top() == top


def test_what_is_read_stays_in_sight_when_the_window_narrows(transcript: Transcript) -> None:
    transcript.show_conversation(talk(60, of="Some words that are wrapped. " * 10))
    turn_wheel(transcript, NOTCH * 10)
    before = transcript.view_state().anchor
    transcript.resize(500, 600)
    after = transcript.view_state().anchor
    assert before is not None
    assert after is not None
    assert (before.turn, before.key) == (after.turn, after.key)


def test_a_turn_that_is_new_is_added_at_the_end(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation(talk(3))
    with qtbot.waitSignal(transcript.placed):
        transcript.update_turn(asked("new", "Newest"))
    assert texts(transcript)[-1] == "Newest"


def test_a_hidden_transcript_is_right_when_it_is_shown_again(transcript: Transcript) -> None:
    transcript.hide()
    transcript.show_conversation(talk(60))
    transcript.resize(700, 500)
    transcript.show()
    assert is_at_end(transcript)
    assert texts(transcript)[-1] == "Some words. 59"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_blocks_stand_below_each_other_whatever_the_user_does(transcript: Transcript, seed: int) -> None:
    chance = random.Random(seed)
    answer = "Words. " * 40 + "\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    turns = [
        *talk(30, of=answer),
        answered("t", *[ToolCalls(tuple(call(f"{n}{m}") for m in range(n))) for n in range(5)]),
    ]
    transcript.show_conversation(turns)
    for _ in range(60):
        lines = [line for line in views(transcript, LineButton) if line.isEnabled()]
        action = chance.choice(("scroll", "unfold", "grow", "narrow"))
        if action == "scroll":
            transcript.scroll_by(chance.randint(-900, 900))
        elif action == "unfold" and lines:
            chance.choice(lines).click()
        elif action == "grow":
            transcript.set_turns([*turns, writing("w", answer * chance.randint(1, 4))])
        else:
            transcript.resize(chance.randint(300, 1_000), 600)
        seen = [place_of(transcript, live.view) for live in transcript._stage.live_blocks() if live.view.isVisible()]
        assert all(above.bottom() < below.top() for above, below in pairwise(seen))
        assert seen[0].top() <= 60
