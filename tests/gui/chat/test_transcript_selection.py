"""A selection survives streaming, scrolling and recycled views."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QCursor, QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop.chat.transcript.clipboard import source_of_turn
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.views.text_view import TextView
from tests.gui.chat.conversation import answered, asked, talk, writing
from tests.gui.chat.sight import code, prose, views

# the offscreen platform's own remark on every menu
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton
WORDS = "one two three four five six seven eight nine ten."


def place(view: TextView, position: int) -> QPoint:
    """Return where a position of the text is, in the viewport of its view."""
    cursor = QTextCursor(view.document())
    cursor.setPosition(position)
    return view.cursorRect(cursor).center()


def drag(start: TextView, at: int, end: TextView, to: int) -> None:
    """Select with the mouse, in a few steps."""
    last = start.viewport().mapFromGlobal(end.viewport().mapToGlobal(place(end, to)))
    first = place(start, at)
    QTest.mousePress(start.viewport(), LEFT, pos=first)
    for step in range(1, 6):
        QTest.mouseMove(start.viewport(), first + (last - first) * step / 5)
    QTest.mouseRelease(start.viewport(), LEFT, pos=last)


def copied(transcript: Transcript) -> str:
    """Return what Ctrl+C copies now."""
    QGuiApplication.clipboard().setText("nothing")
    QTest.keyClick(transcript, Qt.Key.Key_C, CTRL)
    return QGuiApplication.clipboard().text()


def stream(transcript: Transcript, qtbot: QtBot, text: str) -> None:
    for number in range(1, 21):
        with qtbot.waitSignal(transcript.placed):
            transcript.update_turn(writing("w", text + " and more" * number))


def test_words_that_the_mouse_selected_stay_selected_while_text_comes(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([writing("w", WORDS)])
    drag(prose(transcript), 8, prose(transcript), 33)
    stream(transcript, qtbot, WORDS)
    assert prose(transcript).selected_text() == WORDS[8:33]
    assert copied(transcript) == WORDS[8:33]


def test_words_that_the_keyboard_selected_stay_selected_while_text_comes(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([writing("w", WORDS)])
    QTest.mouseClick(prose(transcript).viewport(), LEFT, pos=place(prose(transcript), 8))
    for _ in range(5):
        QTest.keyClick(prose(transcript), Qt.Key.Key_Right, SHIFT)
    stream(transcript, qtbot, WORDS)
    assert copied(transcript) == WORDS[8:13]


def test_a_selection_in_code_that_is_not_finished_stays(transcript: Transcript, qtbot: QtBot) -> None:
    text = f"```\n{WORDS}\n\tsecond line"
    transcript.show_conversation([writing("w", text)])
    drag(code(transcript), 4, code(transcript), len(WORDS) + 4)
    stream(transcript, qtbot, text)
    assert copied(transcript) == f"{WORDS[4:]}\n\tse"


def test_a_selection_that_is_being_drawn_goes_on_while_text_comes(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([writing("w", WORDS)])
    view = prose(transcript)
    QTest.mousePress(view.viewport(), LEFT, pos=place(view, 4))
    QTest.mouseMove(view.viewport(), place(view, 13))
    with qtbot.waitSignal(transcript.placed):
        transcript.update_turn(writing("w", WORDS + " more"))
    QTest.mouseMove(view.viewport(), place(view, 18))
    QTest.mouseRelease(view.viewport(), LEFT, pos=place(view, 18))
    assert copied(transcript) == WORDS[4:18]


def test_a_selection_is_cleared_when_its_text_is_replaced(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([writing("w", WORDS)])
    drag(prose(transcript), 8, prose(transcript), 33)
    with qtbot.waitSignal(transcript.placed):
        transcript.update_turn(writing("w", "zero " + WORDS))
    assert transcript.view_state().selection is None
    assert copied(transcript) == "nothing"


def test_a_selection_goes_over_prose_and_code(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", f"{WORDS}\n\n```\nx\t= 1\ny = 2\n```\n\nLast **words**.")])
    first, last = views(transcript, TextView)[0], prose(transcript)
    drag(first, 4, last, 10)
    assert copied(transcript) == f"{WORDS[4:]}\n\nx\t= 1\ny = 2\n\nLast words"


def test_a_selection_drawn_upwards_is_the_same(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "First words."), answered("2", "Last words.")])
    first, last = views(transcript, TextView)
    drag(last, 4, first, 6)
    assert copied(transcript) == "words.\n\nLast"


def test_pressing_elsewhere_ends_a_selection_in_all_blocks(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "First words."), answered("2", "Last words.")])
    first, last = views(transcript, TextView)
    drag(first, 2, last, 4)
    QTest.mouseClick(first.viewport(), LEFT, pos=place(first, 3))
    assert [view.selected_text() for view in (first, last)] == ["", ""]
    assert transcript.view_state().selection is None


def test_a_press_with_shift_extends_a_selection_to_another_block(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "First words."), answered("2", "Last words.")])
    first, last = views(transcript, TextView)
    QTest.mouseClick(first.viewport(), LEFT, pos=place(first, 6))
    QTest.mouseClick(last.viewport(), LEFT, SHIFT, place(last, 4))
    assert copied(transcript) == "words.\n\nLast"


def test_a_selection_comes_back_when_it_is_scrolled_away_and_back(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", WORDS), *talk(100)])
    transcript.verticalScrollBar().setValue(0)
    drag(views(transcript, TextView)[0], 8, views(transcript, TextView)[0], 33)
    transcript.jump_to_latest()
    assert copied(transcript) == WORDS[8:33]
    transcript.verticalScrollBar().setValue(0)
    assert views(transcript, TextView)[0].selected_text() == WORDS[8:33]


def test_everything_can_be_selected_and_copied(transcript: Transcript) -> None:
    transcript.show_conversation(talk(100))
    QTest.keyClick(transcript, Qt.Key.Key_A, CTRL)
    lines = copied(transcript).split("\n\n")
    assert (len(lines), lines[0], lines[-1]) == (100, "Question 0", "Some words. 99")


def test_all_of_a_long_talk_is_copied_while_the_window_goes_on(transcript: Transcript, qtbot: QtBot) -> None:
    turns = talk(2_000)
    transcript.show_conversation(turns)
    QGuiApplication.clipboard().setText("before")
    QTest.keyClick(transcript, Qt.Key.Key_A, CTRL)
    QTest.keyClick(transcript, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "before"
    transcript.set_turns([*turns, asked("new", "Something new")])
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() != "before", timeout=20_000)
    assert QGuiApplication.clipboard().text() == "\n\n".join(source_of_turn(turn) for turn in turns)


def test_what_is_copied_while_a_long_copy_is_made_wins(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation(talk(1_000))
    QTest.keyClick(transcript, Qt.Key.Key_A, CTRL)
    QTest.keyClick(transcript, Qt.Key.Key_C, CTRL)
    QGuiApplication.clipboard().setText("from elsewhere")
    qtbot.wait(300)
    assert QGuiApplication.clipboard().text() == "from elsewhere"


def test_a_selection_belongs_to_its_conversation(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", WORDS)])
    drag(prose(transcript), 8, prose(transcript), 33)
    left = transcript.view_state()
    transcript.show_conversation([answered("2", WORDS)])
    assert transcript.view_state().selection is None
    assert prose(transcript).selected_text() == ""
    transcript.show_conversation([answered("1", WORDS)], left)
    assert prose(transcript).selected_text() == WORDS[8:33]


def test_the_conversation_scrolls_while_a_selection_is_drawn_beyond_its_edge(
    transcript: Transcript, qtbot: QtBot
) -> None:
    transcript.show_conversation(talk(100))
    view, bar = prose(transcript), transcript.verticalScrollBar()
    above = transcript.viewport().mapToGlobal(QPoint(100, -200))
    QCursor.setPos(above)
    QTest.mousePress(view.viewport(), LEFT, pos=place(view, 5))
    QTest.mouseMove(view.viewport(), view.viewport().mapFromGlobal(above))
    qtbot.waitUntil(lambda: bar.value() < bar.maximum() - 2_000)
    QTest.mouseRelease(view.viewport(), LEFT, pos=view.viewport().mapFromGlobal(above))
    assert len(copied(transcript).split("\n\n")) > 30


def test_a_double_click_selects_a_word(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", WORDS)])
    QTest.mouseDClick(prose(transcript).viewport(), LEFT, pos=place(prose(transcript), 5))
    QTest.mouseRelease(prose(transcript).viewport(), LEFT, pos=place(prose(transcript), 5))
    assert copied(transcript) == "two"


def test_the_menu_of_a_text_copies_its_message_as_it_was_written(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "Some **bold** words")])
    choose(transcript, "Copy as Markdown")
    assert QGuiApplication.clipboard().text() == "Some **bold** words"


def test_the_menu_of_a_link_copies_where_it_goes(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "[here](https://x.example/a)")])
    choose(transcript, "Copy link")
    assert QGuiApplication.clipboard().text() == "https://x.example/a"


def choose(transcript: Transcript, words: str) -> None:
    """Choose an action of the context menu of the last prose."""
    view = prose(transcript)
    at = QPoint(8, 8)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.viewport().mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()
