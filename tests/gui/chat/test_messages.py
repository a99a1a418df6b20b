"""Actions on a message: by its bar, its menu, and keys (UI §5)."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from core.domain.ids import MessageId
from core.domain.messages import MessageState
from core.domain.tool import CallStatus
from desktop.chat.layout.turn_layout import AvailableArea, TurnLayout
from desktop.chat.transcript import clipboard
from desktop.chat.transcript.clipboard import turn_text_pieces
from desktop.chat.transcript.message_actions import MessageBar
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.transcript.turn_view import TurnView
from desktop.chat.turn_parts import Output, ToolCalls, Turn
from desktop.chat.views.line_views import ToolView
from desktop.chat.views.prose_view import ProseView
from desktop.theme import Theme
from desktop.widgets import IconButton
from tests.gui.chat.conversation import answered, asked, call, talk, writing
from tests.gui.chat.sight import place_of, prose, texts, views

# the offscreen platform's own remark on every window that has a least size
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

PROSE = "# Head\n\nSome **bold** [words](https://x.example).\n\n- one\n- two\n\n1. a"
RICH = PROSE + "\n\n```py\n\tx = 1\n```\n\n|a|b|\n|-|-|\n|1|2|"


def answer(name: str, text: str, state: MessageState = MessageState.FINAL) -> Turn:
    """Return an agent's answer to a message."""
    made = answered(name, text, state=state)
    return Turn(made.id, made.role, made.author, made.at, made.state, made.parts, is_answer=True)


def clipboard_text() -> str:
    return QGuiApplication.clipboard().text()


def turn_views(transcript: Transcript) -> list[TurnView]:
    return views(transcript, TurnView)


def menu_by_key(widget: QWidget) -> list[str]:
    """Return the titles in the menu that Shift+F10 opens; the menu stays open."""
    QTest.keyClick(widget, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return [action.text() for action in menu.actions()]


def choose(words: str) -> None:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()


def bar(transcript: Transcript) -> list[str]:
    """Return the titles in the bar from the left; empty while it is hidden."""
    (found,) = transcript.findChildren(MessageBar)
    buttons = found.findChildren(IconButton) if found.isVisible() else []
    return [button.accessibleName() for button in buttons if button.isVisible()]


def press(transcript: Transcript, words: str) -> None:
    (button,) = [
        one for one in transcript.findChildren(IconButton) if one.accessibleName() == words and one.isVisible()
    ]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def point_at(transcript: Transcript, number: int) -> TurnView:
    view = turn_views(transcript)[number]
    QTest.mouseMove(view, QPoint(5, 5))
    return view


def test_the_menu_of_a_message_that_has_the_focus_offers_what_can_be_done(transcript: Transcript) -> None:
    transcript.show_conversation([asked("1", "First"), answer("2", "One"), asked("3", "Second"), answer("4", "Two")])
    transcript.focus_turn(-1)
    assert menu_by_key(turn_views(transcript)[3]) == ["Copy message", "Copy as Markdown", "Try again"]
    choose("Copy message")
    assert clipboard_text() == "Two"
    assert menu_by_key(turn_views(transcript)[2]) == ["Copy message", "Edit and send again"]
    choose("Copy message")
    assert menu_by_key(turn_views(transcript)[1]) == ["Copy message", "Copy as Markdown"]
    choose("Copy message")
    assert menu_by_key(turn_views(transcript)[0]) == ["Copy message"]
    choose("Copy message")


def test_the_menu_key_on_a_line_opens_the_menu_of_its_message_once(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", "Words", ToolCalls((call("1"),)))])
    (line,) = views(transcript, ToolView)
    line.setFocus()
    by_system = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), line.mapToGlobal(QPoint(1, 1)))
    QApplication.sendEvent(line, by_system)  # as X11 makes it of the menu key, beside the key itself
    assert QApplication.activePopupWidget() is None
    QTest.keyClick(line, Qt.Key.Key_Menu)
    choose("Copy message")
    assert clipboard_text() == "Words"
    assert QApplication.activePopupWidget() is None


def test_from_elsewhere_the_first_step_leads_to_the_last_message_in_sight(transcript: Transcript) -> None:
    transcript.show_conversation(talk(40))
    transcript.focus_turn(-1)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleDescription() == "Some words. 39"
    assert transcript.view_state().is_following


def test_an_answer_is_tried_again_and_the_last_message_edited(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_conversation([asked("1", "First"), answer("2", "One")])
    menu_by_key(turn_views(transcript)[1])
    with qtbot.waitSignal(transcript.retry_requested) as retried:
        choose("Try again")
    menu_by_key(turn_views(transcript)[0])
    with qtbot.waitSignal(transcript.edit_requested) as edited:
        choose("Edit and send again")
    assert (retried.args, edited.args) == (["2"], ["1"])


@pytest.mark.parametrize("last", [writing("2", "One"), answered("2", "One"), asked("2", "Two")])
def test_what_answers_nothing_or_is_not_finished_cannot_be_tried_again(transcript: Transcript, last: Turn) -> None:
    transcript.show_conversation([asked("1", "First"), last])
    assert "Try again" not in menu_by_key(turn_views(transcript)[1])
    choose("Copy message")


def test_a_menu_that_was_left_open_does_not_try_an_answer_again_that_has_begun_anew(
    transcript: Transcript, qtbot: QtBot
) -> None:
    transcript.show_conversation([asked("1", "First"), answer("2", "One")])
    menu_by_key(turn_views(transcript)[1])
    transcript.set_turns([asked("1", "First"), answer("2", "One"), asked("3", "Again")])
    with qtbot.assertNotEmitted(transcript.retry_requested):
        choose("Try again")


def test_the_bar_is_on_the_message_that_the_mouse_is_on(transcript: Transcript) -> None:
    transcript.show_conversation([asked("1", "First"), answer("2", RICH)])
    assert bar(transcript) == []
    view = point_at(transcript, 1)
    assert bar(transcript) == ["Copy message", "Copy as Markdown", "Try again"]
    press(transcript, "Copy as Markdown")
    assert clipboard_text() == RICH
    assert "Copied" in bar(transcript)
    point_at(transcript, 0)
    assert bar(transcript)[-1] == "Edit and send again"
    (found,) = views(transcript, MessageBar)
    assert place_of(transcript, found).right() < place_of(transcript, prose_of(transcript, "First")).left()
    assert views(transcript, MessageBar)[0].parent() is not view


def prose_of(transcript: Transcript, text: str) -> ProseView:
    return next(view for view in views(transcript, ProseView) if view.toPlainText() == text)


def test_a_message_without_any_action_has_no_bar_until_it_offers_one(transcript: Transcript) -> None:
    at_work = ToolCalls((call("a", status=CallStatus.RUNNING),))
    transcript.show_conversation([asked("1", "Question"), writing("2", at_work)])
    point_at(transcript, 1)
    assert [found.isVisible() for found in transcript.findChildren(MessageBar)] == [False]
    transcript.set_turns([asked("1", "Question"), writing("2", "Some words.")])
    assert bar(transcript) == ["Copy message", "Copy as Markdown"]


def test_the_bar_goes_with_its_message_and_stays_in_sight_of_a_long_one(transcript: Transcript) -> None:
    transcript.show_conversation([*talk(20), answer("long", "\n\n".join(f"Line {n}" for n in range(200)))])
    point_at(transcript, -1)
    (found,) = transcript.findChildren(MessageBar)
    assert 0 <= found.mapTo(transcript.viewport(), QPoint(0, 0)).y() < transcript.viewport().height()
    transcript.show_conversation(talk(2))
    assert not found.isVisible()
    transcript.show_conversation([])
    assert found.parent() is transcript.viewport()


def test_a_message_that_has_the_focus_is_copied_by_key(transcript: Transcript) -> None:
    transcript.show_conversation([asked("1", "First"), answer("2", "One **two**")])
    transcript.focus_turn(-1)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert bar(transcript)
    QTest.keyClick(focused, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard_text() == "One two"


def test_a_copied_message_reads_as_it_is_seen_with_its_code_byte_for_byte(theme: Theme) -> None:
    layout = TurnLayout(answered("1", RICH, Output('[{"a": 1}]')), AvailableArea(700, theme.sizes))
    assert "".join(turn_text_pieces(layout)) == (
        'Head\n\nSome bold words.\n\n- one\n- two\n1. a\n\n\tx = 1\n\na\tb\n1\t2\n\n[{"a": 1}]'
    )
    person = TurnLayout(asked("2", "**as it is** \t"), AvailableArea(700, theme.sizes))
    assert "".join(turn_text_pieces(person)) == "**as it is** \t"


def test_a_long_message_is_copied_whole_while_the_window_goes_on(
    transcript: Transcript, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard, "FIRST_SLICE_S", 0.0)
    lines = [f"Line {n} {'w' * 40}" for n in range(400)]
    QGuiApplication.clipboard().setText("before")
    transcript.show_conversation([answer("1", "\n\n".join(lines))])
    menu_by_key(turn_views(transcript)[0])
    choose("Copy message")
    assert clipboard_text() == "before"
    qtbot.waitUntil(lambda: clipboard_text() != "before")
    assert clipboard_text() == "\n\n".join(lines)


def test_right_unfolds_a_line_and_left_folds_it(transcript: Transcript) -> None:
    transcript.show_conversation([answered("1", ToolCalls((call("1", arguments={"a": 1}),)))])
    (line,) = views(transcript, ToolView)
    line.setFocus()
    seen = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        QTest.keyClick(line, key)
        seen.append(len(texts(transcript)))
    assert seen == [0, 1, 1, 0]
    assert QApplication.focusWidget() is line


def test_the_menu_of_a_text_has_what_the_menu_of_its_message_has(transcript: Transcript) -> None:
    transcript.show_conversation([asked("1", "First"), answer("2", "One")])
    assert [words for words in menu_by_key(prose(transcript)) if words] == [
        "Copy",
        "Select all",
        "Copy message",
        "Copy as Markdown",
        "Try again",
    ]
    choose("Select all")
    assert MessageId("2") in {view.turn for view in turn_views(transcript)}
