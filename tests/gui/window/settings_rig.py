"""The settings dialog in the real window: finds its controls and drives them by keyboard."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from desktop.settings.dialog import SettingsDialog
from desktop.settings.parts.page import PageId
from desktop.settings.parts.undo_bar import UndoBar
from tests.gui.window.rig import App

Until = Callable[..., Awaitable[None]]


def dialog(app: App) -> SettingsDialog:
    found = app.content.preferences._dialog
    assert found is not None
    return found


def control(app: App, name: str) -> QWidget:
    """The visible control that a screen reader calls so."""
    kinds = (QAbstractButton, QLineEdit, QComboBox, QPlainTextEdit, QAbstractSpinBox)
    found = [
        widget
        for widget in dialog(app).findChildren(QWidget)
        if isinstance(widget, kinds)
        and widget.accessibleName() == name
        and widget.isVisible()
        and not isinstance(widget.parentWidget(), QComboBox)
    ]
    assert len(found) == 1, (name, found)
    return found[0]


def texts(app: App) -> str:
    return "\n".join(label.text() for label in dialog(app).findChildren(QLabel) if label.isVisible())


def notice(app: App) -> str:
    found = dialog(app).findChild(UndoBar)
    assert isinstance(found, UndoBar)
    return found.text


def press(app: App, name: str) -> None:
    """By the keyboard."""
    button = control(app, name)
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus, name
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)


def undo(app: App) -> None:
    found = dialog(app).findChild(UndoBar)
    assert isinstance(found, UndoBar)
    button = found.findChild(QPushButton)
    assert isinstance(button, QPushButton)
    assert button.isVisible()
    button.click()


def write(app: App, name: str, text: str) -> None:
    field = control(app, name)
    field.setFocus(Qt.FocusReason.TabFocusReason)
    if isinstance(field, QLineEdit | QPlainTextEdit):
        field.selectAll()
    QTest.keyClicks(field, text)


def choose(app: App, name: str, words: str) -> None:
    box = control(app, name)
    assert isinstance(box, QComboBox)
    box.setFocus(Qt.FocusReason.TabFocusReason)
    while box.currentText() != words:
        before = box.currentIndex()
        QTest.keyClick(box, Qt.Key.Key_Down)
        assert box.currentIndex() != before, words


async def settings(app: App, page: PageId, until: Until) -> None:
    app.content.preferences.open_at(page)
    await until(dialog(app).isActiveWindow)
