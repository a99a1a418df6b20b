"""Everything in a conversation without a mouse, and its accessibility tree."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.domain.messages import MessageState
from core.domain.run import RunStatus, StepStatus
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.turn_parts import Failure, StepLine, Steps, Text, ToolCalls, Turn
from desktop.chat.views.caption_view import CaptionView
from desktop.chat.views.line_views import StepView, ToolView
from desktop.chat.views.text_view import TextView
from tests.gui.chat.conversation import answered, asked, call, talk, writing
from tests.gui.chat.sight import code, place_of, prose, texts, views

# the offscreen platform's own remark on every window that has a least size
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

MIXED = [
    asked("1", "Question"),
    answered("2", "See [one](https://x.example).\n\n```py\nx = 1\n```", ToolCalls((call("1"), call("2")))),
]


@pytest.fixture
def reader() -> Iterator[None]:
    """Activate accessibility, as a screen reader does."""
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def accessible(widget: QWidget) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(widget)


def name(item: QAccessibleInterface) -> str:
    return item.text(QAccessible.Text.Name)


def turns_of(transcript: Transcript) -> list[QAccessibleInterface]:
    """Return the items of the list, as a screen reader walks them."""
    viewport = accessible(transcript.viewport())
    children = [viewport.child(number) for number in range(viewport.childCount())]
    return [child for child in children if child.role() is QAccessible.Role.ListItem and not child.state().invisible]


def walk(transcript: Transcript, steps: int) -> list[QWidget | None]:
    """Return where Tab leads, step by step."""
    transcript.setFocus(Qt.FocusReason.TabFocusReason)
    reached = []
    for _ in range(steps):
        QTest.keyClick(QApplication.focusWidget() or transcript, Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    return reached


def test_keys_scroll_by_lines_by_pages_and_to_both_ends(transcript: Transcript) -> None:
    transcript.show_conversation(talk(100))
    bar = transcript.verticalScrollBar()
    values = []
    for key in (
        Qt.Key.Key_Up,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_Home,
        Qt.Key.Key_Down,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_End,
    ):
        QTest.keyClick(transcript, key)
        values.append(bar.value())
    up, page_up, home, down, page_down, end = values
    assert (home, end) == (0, bar.maximum())
    assert end > up > page_up > home < down < page_down < end
    assert up - page_up > 400


def test_keys_scroll_while_the_focus_is_in_a_text(transcript: Transcript) -> None:
    transcript.show_conversation(talk(100))
    prose(transcript).setFocus()
    QTest.keyClick(prose(transcript), Qt.Key.Key_PageUp)
    assert not transcript.view_state().is_following


def test_tab_walks_links_copy_buttons_and_lines_in_the_order_of_the_conversation(transcript: Transcript) -> None:
    transcript.show_conversation(MIXED)
    link, copy, one, two = walk(transcript, 4)
    assert link is views(transcript, type(prose(transcript)))[1]
    assert isinstance(copy.parent() if copy else None, CaptionView)
    assert [one, two] == views(transcript, ToolView)


def test_tab_goes_on_from_the_turn_that_has_the_focus(transcript: Transcript) -> None:
    transcript.show_conversation([*MIXED, answered("3", "See [two](https://x.example)."), asked("4", "Bye")])
    for _ in range(2):
        transcript.focus_turn(-1)
    QTest.keyClick(QApplication.focusWidget() or transcript, Qt.Key.Key_Tab)
    reached = QApplication.focusWidget()
    assert isinstance(reached, TextView)
    assert reached.toPlainText() == "See two."
    transcript.focus_turn(1)
    QTest.keyClick(QApplication.focusWidget() or transcript, Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is reached


def test_tab_leaves_a_conversation_at_its_end(transcript: Transcript, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    box = QLineEdit()
    column = QVBoxLayout(window)
    column.addWidget(transcript)
    column.addWidget(box)
    window.resize(800, 700)
    with qtbot.waitActive(window):
        window.show()
    transcript.show_conversation(MIXED)
    assert walk(transcript, 5)[-1] is box
    transcript.setParent(None)  # its fixture closes it


def test_what_tab_reaches_comes_into_sight(transcript: Transcript) -> None:
    lines = [answered(f"t{n}", "Words. " * 60, ToolCalls((call(str(n)),))) for n in range(20)]
    transcript.show_conversation(lines)
    QTest.keyClick(transcript, Qt.Key.Key_Home)
    transcript.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(12):
        QTest.keyClick(QApplication.focusWidget() or transcript, Qt.Key.Key_Tab)
        line = QApplication.focusWidget()
        assert isinstance(line, ToolView)
        place = place_of(transcript, line)
        assert 0 <= place.top() < place.bottom() < transcript.viewport().height()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_and_space_unfold_a_line_and_keep_the_focus_there(transcript: Transcript, key: Qt.Key) -> None:
    transcript.show_conversation([answered("1", ToolCalls((call("1", arguments={"a": 1}),)))])
    (line,) = walk(transcript, 1)
    assert line is not None
    QTest.keyClick(line, key)
    assert texts(transcript) == ['{\n  "a": 1\n}']
    assert QApplication.focusWidget() is line
    assert line.accessibleDescription() == "unfolded"


def test_a_step_without_details_is_skipped_by_tab(transcript: Transcript) -> None:
    lines = (StepLine("one", StepStatus.PENDING), StepLine("two", StepStatus.COMPLETED, output=1))
    transcript.show_conversation([answered("1", Steps(RunStatus.RUNNING, lines))])
    (reached,) = walk(transcript, 1)
    assert reached is views(transcript, StepView)[1]


def test_wide_code_is_reached_by_tab_and_narrow_code_is_not(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", f"```\n{'x' * 300}\n```")])
    assert walk(transcript, 2)[-1] is code(transcript)
    transcript.show_conversation([answered("1", "```\nx\n```")])
    assert walk(transcript, 2)[-1] is not code(transcript)


def test_the_next_and_the_last_turn_can_be_gone_to(transcript: Transcript) -> None:
    transcript.show_conversation(talk(40))
    transcript.focus_turn(-1)
    focused = QApplication.focusWidget()
    assert focused is not None
    before = focused.accessibleDescription()
    transcript.focus_turn(-1)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert int(focused.accessibleDescription().split()[-1]) == int(before.split()[-1]) - 1
    assert place_of(transcript, focused).top() >= 0


def test_going_beyond_the_first_turn_stays_there(transcript: Transcript) -> None:
    transcript.show_conversation(talk(3))
    for _ in range(5):
        transcript.focus_turn(-1)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleDescription() == "Question 0"


def test_the_focus_is_not_lost_when_what_has_it_is_scrolled_away(transcript: Transcript) -> None:
    transcript.show_conversation([*talk(100), answered("t", ToolCalls((call("1"),)))])
    views(transcript, ToolView)[0].setFocus()
    transcript.verticalScrollBar().setValue(0)
    assert QApplication.focusWidget() is transcript


def test_a_screen_reader_finds_a_list_of_turns_with_speaker_time_and_state(
    reader: None, transcript: Transcript
) -> None:
    failed = answered("3", Failure("failed", "It broke"))
    transcript.show_conversation([asked("1", "Hello"), writing("2", "Hi"), failed])
    assert accessible(transcript).role() is QAccessible.Role.List
    assert name(accessible(transcript)) == "Conversation"
    time = turns_of(transcript)[0].text(QAccessible.Text.Name).removeprefix("You, ")
    assert [name(turn) for turn in turns_of(transcript)] == [
        f"You, {time}",
        f"Code agent, {time}, writing",
        f"Code agent, {time}, failed",
    ]


def test_a_screen_reader_gets_how_a_turn_begins_and_its_text(reader: None, transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "Some **bold** words")])
    (turn,) = turns_of(transcript)
    assert turn.text(QAccessible.Text.Description) == "Some **bold** words"
    read = [turn.child(n) for n in range(turn.childCount())]
    assert "Some bold words" in [child.text(QAccessible.Text.Value) for child in read]


def test_a_screen_reader_walks_in_the_order_of_the_conversation(reader: None, transcript: Transcript) -> None:
    transcript.show_conversation(talk(100))
    transcript.verticalScrollBar().setValue(transcript.verticalScrollBar().maximum() // 2)
    transcript.verticalScrollBar().setValue(transcript.verticalScrollBar().value() - 900)
    numbers = [int(turn.text(QAccessible.Text.Description).split()[-1]) for turn in turns_of(transcript)]
    assert numbers == sorted(numbers)
    assert len(numbers) > 5


def test_an_answer_is_announced_when_it_begins_and_ends_and_not_piece_by_piece(
    transcript: Transcript, qtbot: QtBot
) -> None:
    said: list[str] = []
    transcript.announced.connect(said.append)
    transcript.show_conversation([asked("1", "Hello")])
    for number in range(10):
        with qtbot.waitSignal(transcript.placed):
            transcript.update_turn(writing("2", f"Hi {number}"))
    transcript.set_turns([asked("1", "Hello"), answered("2", "Hi")])
    assert said == ["Answer started", "Answer finished"]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (answered("2", "Hi", Failure("x", "y")), "Answer failed"),
        (answered("2", "Hi", state=MessageState.INTERRUPTED), "Answer stopped"),
    ],
)
def test_it_is_announced_how_an_answer_ended(transcript: Transcript, end: Turn, words: str) -> None:
    said: list[str] = []
    transcript.show_conversation([writing("2", "Hi")])
    transcript.announced.connect(said.append)
    transcript.set_turns([end])
    assert said == [words]


def test_a_switch_to_a_running_answer_is_no_news(transcript: Transcript) -> None:
    said: list[str] = []
    transcript.announced.connect(said.append)
    transcript.show_conversation([writing("2", Text("Hi").text)])
    transcript.set_turns([writing("2", "Hi there")])
    assert said == []
