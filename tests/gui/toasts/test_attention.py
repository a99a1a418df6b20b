"""A person and the toasts: closing, keys, focus, and time that stands still."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.domain.toast import BRIEF_S, LONG_S, VIEWED_S, ToastType
from desktop.translation import Language, Translation
from desktop.widgets import Paragraph
from tests.gui.toasts.conftest import A, B, Stage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def finish(stage: Stage, *names: str) -> None:
    for name in names:
        stage.desk.toasts.add_workflow_complete(A, name, RunStatus.SUCCESS)
    stage.show()


def press(stage: Stage, key: Qt.Key) -> None:
    QTest.keyClick(stage.window.windowHandle(), key)
    stage.show()


def move_mouse(stage: Stage, place: QPoint) -> None:
    QTest.mouseMove(stage.window.windowHandle(), place)
    QApplication.processEvents()


def refuse(stage: Stage, mode: ValidationMode, limit: int) -> None:
    parameters = [("mode", mode), ("limit", limit)]
    stage.desk.toasts.add(ToastType.WARNING, "limit_reached", workflow_id=A, parameters=parameters)
    stage.show()


# Going away


def test_a_toast_goes_when_its_time_is_over(stage: Stage) -> None:
    finish(stage, "Letters")
    stage.desk.time.advance(BRIEF_S)
    stage.show()
    assert stage.cards == []


def test_a_question_stays_until_it_is_closed(stage: Stage) -> None:
    stage.desk.toasts.add_user_question(A, "Letters", "Which?")
    stage.show()
    stage.desk.time.advance(3600)
    stage.show()
    QTest.mouseClick(stage.button(stage.cards[0], "Close"), Qt.MouseButton.LeftButton)
    stage.show()
    assert stage.cards == []


def test_escape_with_focus_in_a_toast_closes_it_and_goes_to_the_next(stage: Stage) -> None:
    finish(stage, "one", "two")
    assert stage.overlay.take_focus()
    press(stage, Qt.Key.Key_Escape)
    assert stage.titles == ["one"]
    press(stage, Qt.Key.Key_Escape)
    assert stage.cards == []
    assert QApplication.focusWidget() is stage.window.composer


def test_escape_elsewhere_closes_no_toast(stage: Stage) -> None:
    finish(stage, "one")
    press(stage, Qt.Key.Key_Escape)
    assert stage.titles == ["one"]


def test_a_toast_that_goes_by_itself_gives_focus_back(stage: Stage) -> None:
    stage.desk.toasts.add_user_question(A, "Letters", "Which?")
    finish(stage, "one")
    stage.cards[0].take_focus()
    stage.desk.toasts.dismiss_for_workflow(A, ToastType.USER_QUESTION)
    stage.show()
    assert QApplication.focusWidget() is stage.window.composer


def test_tab_reaches_the_toasts(stage: Stage) -> None:
    finish(stage, "one")
    reached = []
    for _ in range(120):
        press(stage, Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert stage.button(stage.cards[0], "Go to workflow") in reached
    assert stage.button(stage.cards[0], "Close") in reached


# Standing still


def test_time_stands_still_under_the_mouse(stage: Stage) -> None:
    finish(stage, "one")
    move_mouse(stage, stage.place(stage.cards[0]).center())
    stage.desk.time.advance(60)
    stage.show()
    assert stage.titles == ["one"]
    move_mouse(stage, QPoint(5, 5))
    stage.desk.time.advance(BRIEF_S)
    stage.show()
    assert stage.cards == []


def test_time_goes_on_after_the_toast_under_the_mouse_was_closed(stage: Stage) -> None:
    finish(stage, "one", "two")
    close = stage.place(stage.button(stage.cards[0], "Close")).center()
    move_mouse(stage, close)
    QTest.mouseClick(stage.window.windowHandle(), Qt.MouseButton.LeftButton, pos=close)
    stage.show()
    assert stage.titles == ["two"]
    stage.desk.time.advance(BRIEF_S)
    stage.show()
    assert stage.cards == []


def test_time_stands_still_with_focus_in_a_toast(stage: Stage) -> None:
    finish(stage, "one")
    stage.overlay.take_focus()
    stage.desk.time.advance(60)
    stage.show()
    assert stage.titles == ["one"]
    stage.window.composer.setFocus()
    stage.desk.time.advance(BRIEF_S)
    stage.show()
    assert stage.cards == []


def test_time_stands_still_while_the_window_is_not_active(stage: Stage, qtbot: QtBot) -> None:
    finish(stage, "one")
    other = QLineEdit()
    qtbot.addWidget(other)
    with qtbot.waitActive(other):
        other.show()
        other.activateWindow()
    stage.desk.time.advance(60)
    stage.show()
    assert stage.titles == ["one"]
    with qtbot.waitActive(stage.window):
        stage.window.activateWindow()
    stage.desk.time.advance(BRIEF_S)
    stage.show()
    assert stage.cards == []


# Nothing moves under the pointer


def places(stage: Stage) -> dict[str, QRect]:
    return {card.toast.title: stage.place(card) for card in stage.cards}


def test_nothing_moves_while_the_pointer_is_over_a_toast(stage: Stage) -> None:
    finish(stage, "one", "two", "three")
    before = places(stage)
    move_mouse(stage, before["two"].center())
    stage.desk.toasts.dismiss(stage.cards[2].id)
    finish(stage, "four")
    now = places(stage)
    assert now["one"] == before["one"]
    assert now["two"] == before["two"]
    assert now["four"].bottom() < now["one"].top()
    move_mouse(stage, QPoint(5, 5))
    stage.show()
    assert stage.titles == ["one", "two", "four"]
    assert places(stage)["four"].bottom() == before["three"].bottom()


def test_the_toast_under_the_pointer_stays_until_the_pointer_leaves(stage: Stage, qtbot: QtBot) -> None:
    """What it was about is over: its buttons still do what they say, and it does not change into another."""
    finish(stage, "one", "two")
    stays = stage.cards[1]
    go = stage.place(stage.button(stays, "Go to workflow")).center()
    move_mouse(stage, go)
    stage.desk.toasts.withdraw(stays.id)
    stage.show()
    assert stage.titles == ["one", "two"]
    with qtbot.waitSignal(stage.overlay.go_requested):
        QTest.mouseClick(stage.window.windowHandle(), Qt.MouseButton.LeftButton, pos=go)
    stage.show()
    assert stage.titles == ["one"]
    stays = stage.cards[0]
    move_mouse(stage, stage.place(stays).center())
    stage.desk.toasts.withdraw(stays.id)
    stage.show()
    assert stage.titles == ["one"]
    move_mouse(stage, QPoint(5, 5))
    stage.show()
    assert stage.cards == []


def test_a_second_click_where_a_toast_was_closed_closes_no_other(stage: Stage, qtbot: QtBot) -> None:
    finish(stage, "one", "two")
    place = stage.place(stage.cards[1])
    close = stage.place(stage.button(stage.cards[1], "Close")).center()
    move_mouse(stage, close)
    for _ in range(2):
        QTest.mouseClick(stage.window.windowHandle(), Qt.MouseButton.LeftButton, pos=close)
        stage.show()
    assert stage.titles == ["one"]
    qtbot.waitUntil(lambda: stage.place(stage.cards[0]) == place)


# In a small window


@pytest.mark.parametrize("language", Language)
def test_in_a_small_window_no_words_are_cut_and_older_toasts_wait(
    stage: Stage, qapp: QApplication, language: Language
) -> None:
    translation = Translation(qapp, language)
    stage.window.resize(800, 600)
    stage.overlay.set_keep_clear([QRect(0, 0, 800, 130), QRect(0, 400, 800, 200)])
    stage.desk.toasts.add_user_question(B, "Letters", "Which?")
    finish(stage, "A name of a workflow that needs more than one line of a toast", "two")
    for number, mode in enumerate(ValidationMode):
        refuse(stage, mode, 3 - number)
        limit = stage.cards[-1]
        assert not [each for each in limit.findChildren(Paragraph) if each.isVisible() and each.is_cut()]
        buttons = [each for each in limit.findChildren(QPushButton) if each.isVisible()]
        assert buttons
        assert all(QRect(0, 130, 800, 270).contains(stage.place(each)) for each in (limit, *buttons))
        stage.desk.time.advance(LONG_S)
        stage.show()
    assert "two" in stage.titles, "its time began when it was seen"
    stage.desk.time.advance(BRIEF_S)
    stage.show()
    assert stage.titles[0] == "Letters"
    translation.set_language(Language.ENGLISH)
    translation.retire()
    translation.deleteLater()


# What it offers


def test_go_to_workflow_tells_which_and_closes_what_is_passing(stage: Stage, qtbot: QtBot) -> None:
    finish(stage, "one")
    with qtbot.waitSignal(stage.overlay.go_requested) as told:
        QTest.mouseClick(stage.button(stage.cards[0], "Go to workflow"), Qt.MouseButton.LeftButton)
    assert told.args == [A]
    stage.show()
    assert stage.cards == []


def test_a_question_stays_while_a_person_goes_to_it(stage: Stage) -> None:
    stage.desk.toasts.add_user_question(A, "Letters", "Which?")
    stage.show()
    QTest.mouseClick(stage.button(stage.cards[0], "Go to workflow"), Qt.MouseButton.LeftButton)
    stage.show()
    assert stage.titles == ["Letters"]


def test_without_a_workflow_there_is_nowhere_to_go(stage: Stage) -> None:
    stage.desk.toasts.add(ToastType.INFO, "note", title="Saved")
    stage.show()
    with pytest.raises(AssertionError):
        stage.button(stage.cards[0], "Go to workflow")


def test_of_a_viewed_workflow_it_is_short_and_leads_nowhere_and_gives_way_to_text(stage: Stage) -> None:
    stage.desk.toasts.add_workflow_complete(A, "Letters", RunStatus.SUCCESS, is_viewed=True)
    stage.show()
    with pytest.raises(AssertionError):
        stage.button(stage.cards[0], "Go to workflow")
    text = stage.place(stage.cards[0]).translated(-200, 0)
    stage.overlay.set_text_area(lambda: text)
    stage.overlay.on_text_moved()
    assert stage.cards == []
    text = text.translated(0, -200)
    stage.overlay.on_text_moved()
    assert stage.titles == ["Letters"]
    stage.desk.time.advance(VIEWED_S)
    stage.show()
    assert stage.cards == []


@pytest.mark.parametrize(
    ("mode", "limit", "expected"),
    [
        (ValidationMode.AUTO, 3, "3 workflows are running. That is the limit in automatic mode."),
        (ValidationMode.AUTO, 1, "One workflow is running. That is the limit in automatic mode."),
        (ValidationMode.MANUAL, 1, "One workflow at a time. In manual mode every operation waits"),
        (ValidationMode.SELECTIVE, 1, "One workflow at a time. In selective mode some operations wait"),
    ],
)
def test_at_the_limit_it_says_which_rule_holds(stage: Stage, mode: ValidationMode, limit: int, expected: str) -> None:
    refuse(stage, mode, limit)
    assert stage.cards[0].accessibleName().startswith(f"Warning. {expected}")


# For a screen reader, and in French


def test_a_toast_is_an_alert_with_all_its_words(stage: Stage) -> None:
    stage.desk.toasts.add_user_question(A, "Letters", "Which one?")
    stage.show()
    interface = QAccessible.queryAccessibleInterface(stage.cards[0])
    assert interface.role() is QAccessible.Role.AlertMessage
    assert interface.text(QAccessible.Text.Name) == "Waiting for you. Letters. Which one?"


def test_foreign_words_are_shown_as_they_are(stage: Stage) -> None:
    stage.desk.toasts.add_user_question(A, "<b>A</b>", "<img src='file:///x'> & co")
    stage.show()
    assert "<b>A</b>. <img src='file:///x'> & co" in stage.cards[0].accessibleName()


def test_a_change_of_language_reaches_toasts_on_screen(stage: Stage, qapp: QApplication) -> None:
    translation = Translation(qapp, Language.ENGLISH)
    finish(stage, "one")
    translation.set_language(Language.FRENCH)
    stage.show()
    stage.button(stage.cards[0], "Aller au workflow")
    assert stage.cards[0].accessibleName() == "Terminé. one. Terminé"
    translation.set_language(Language.ENGLISH)
    translation.retire()
    translation.deleteLater()
