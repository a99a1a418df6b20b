"""Where an input method has something in it that it has not committed yet: its keys are its own (UI §4)."""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from core.stores.background_workflows import BackgroundWorkflows


class PreeditTracker:
    """What an event filter of the application knows of it; give it every event but those of keys."""

    def __init__(self) -> None:
        self._at: QWidget | None = None

    def look(self, watched: QObject, event: QEvent) -> None:
        if isinstance(event, QInputMethodEvent):
            self._at = watched if event.preeditString() and isinstance(watched, QWidget) else None

    def is_at(self, watched: QObject) -> bool:
        if self._at is not None and self._at is not QApplication.focusWidget():
            self._at = None  # what loses the focus loses what was not committed, or has it committed
        return self._at is watched


class FocusRestorer:
    """`otherwise` takes the focus where what had it is gone."""

    def __init__(self, otherwise: Callable[[], object]) -> None:
        self._otherwise = otherwise
        self._widget: QWidget | None = None

    @property
    def widget(self) -> QWidget | None:
        """None where it is gone, or nothing is kept."""
        kept = self._widget
        return kept if kept is not None and isValid(kept) else None

    def keep(self) -> None:
        """What has it now."""
        self._widget = QApplication.focusWidget()

    def forget(self) -> None:
        self._widget = None

    def give_back(self) -> None:
        before = self.widget
        self.forget()
        if before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        else:
            self._otherwise()


def is_present(window: QWidget) -> bool:
    """Whether the window is the active one, or a window that belongs to it."""
    active: QWidget | None = QApplication.activeWindow()
    while active is not None and active is not window:
        active = active.parentWidget()
    return active is not None


async def until_present(window: QWidget) -> None:
    """Come back once somebody is there. Until then the window is marked in the task bar, and nothing comes forward."""
    app = QApplication.instance()
    if is_present(window) or not isinstance(app, QApplication):
        return
    here = asyncio.Event()

    def look() -> None:
        if is_present(window):
            here.set()

    app.focusWindowChanged.connect(look)
    try:
        QApplication.alert(window)
        await here.wait()
    finally:
        app.focusWindowChanged.disconnect(look)


class ActivationWatcher(QObject):
    """Tells the store from when it is made, as long as `parent` lives."""

    def __init__(self, window: QWidget, background: BackgroundWorkflows, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        window.installEventFilter(self)
        background.set_window_active(window.isActiveWindow())

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            self._background.set_window_active(event.type() == QEvent.Type.WindowActivate)
        return False
