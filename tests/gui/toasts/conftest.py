"""A window with a composer, the real pile of toasts over it, and a clock that the test owns."""

from dataclasses import dataclass

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.domain.ids import WorkflowId
from desktop.bind import Frames
from desktop.theme import Theme
from desktop.toasts.card import ToastCard
from desktop.toasts.overlay import ToastOverlay
from tests.stores.rig import Desk

A, B = WorkflowId("wf_a"), WorkflowId("wf_b")
WIDTH, HEIGHT = 900, 600
COMPOSER = QRect(300, 500, 584, 84)


class Window(QWidget):
    """A composer with Send at the bottom, and buttons all over the place where toasts come."""

    def __init__(self) -> None:
        super().__init__()
        self.resize(WIDTH, HEIGHT)
        self.clicked: list[str] = []
        self.under = [self._button(str(n), QRect(550 + n % 5 * 68, 10 + n // 5 * 45, 64, 40)) for n in range(50)]
        self.composer = QLineEdit(self)
        self.composer.setGeometry(COMPOSER.adjusted(0, 0, -100, 0))
        self.send = self._button("send", QRect(800, 520, 64, 40))

    def _button(self, name: str, place: QRect) -> QPushButton:
        button = QPushButton(name, self)
        button.setGeometry(place)
        button.clicked.connect(self._note)
        return button

    def _note(self) -> None:
        self.clicked.append("click")


@dataclass
class Stage:
    """What the test looks at. `show` draws what the store says, as the next frame would."""

    window: Window
    desk: Desk
    overlay: ToastOverlay
    frames: Frames

    def show(self) -> None:
        self.frames.draw()
        QTest.qWait(0)  # not processEvents, which deletes nothing

    @property
    def cards(self) -> list[ToastCard]:
        """Those that are seen, from the top down."""
        return [card for card in self.overlay.cards if card.isVisible()]

    @property
    def titles(self) -> list[str]:
        return [card.toast.title for card in self.cards]

    def button(self, card: ToastCard, text: str) -> QAbstractButton:
        """The button of a card that is called so."""
        found = [each for each in card.findChildren(QAbstractButton) if each.accessibleName() == text]
        assert [each for each in found if each.isVisible()], f"no button {text!r} is seen"
        return next(each for each in found if each.isVisible())

    def place(self, widget: QWidget) -> QRect:
        """In the window."""
        return QRect(widget.mapTo(self.window, QPoint(0, 0)), widget.size())


@pytest.fixture
def stage(theme: Theme, qtbot: QtBot) -> Stage:
    window, desk = Window(), Desk()
    qtbot.addWidget(window)
    errors: list[Exception] = []
    frames = Frames(errors.append)
    overlay = ToastOverlay(theme, desk.toasts, frames, window)
    overlay.set_keep_clear([COMPOSER])
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.composer.setFocus()
    made = Stage(window, desk, overlay, frames)
    made.show()
    assert not errors
    return made
