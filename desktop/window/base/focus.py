"""The focus and the presence of the user: input methods, restoring the focus, window activation."""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from core.stores.background_workflows import BackgroundWorkflows
from desktop.widgets import Preedit


class PreeditTracker:
    """Tracks the widget with an uncommitted input method composition, whose keys belong to the input method (UI §4).

    Pass it all events of an application-wide filter except key events. A click commits the text before it acts, since
    a button takes no focus.
    """

    def __init__(self) -> None:
        self._at: QWidget | None = None
        self._preedit = Preedit()

    def track(self, watched: QObject, event: QEvent) -> bool:
        """Return whether the event has to be dropped."""
        if isinstance(event, QInputMethodEvent) and isinstance(watched, QWidget):
            self._at = watched if event.preeditString() else None
            return not self._preedit.take(event)
        if self._at is not None and event.type() == QEvent.Type.MouseButtonPress and self.is_at(self._at):
            self._preedit.commit(self._at)
        return False

    def is_at(self, watched: QObject) -> bool:
        if self._at is not None and self._at is not QApplication.focusWidget():
            # a widget that loses the focus drops or commits its composition, and no event reports that
            self._at = None
        return self._at is watched


class FocusRestorer:
    """Remembers the focused widget while something is opened over it. `otherwise` takes the focus if it is gone."""

    def __init__(self, otherwise: Callable[[], object]) -> None:
        self._otherwise = otherwise
        self._widget: QWidget | None = None

    @property
    def widget(self) -> QWidget | None:
        """The remembered widget, None if it is deleted or none was saved."""
        return self._widget if self._widget is not None and isValid(self._widget) else None

    def save(self) -> None:
        """Save the focused widget."""
        self._widget = QApplication.focusWidget()

    def forget(self) -> None:
        self._widget = None

    def restore(self) -> None:
        """Focus the saved widget if it is visible."""
        before = self.widget
        self.forget()
        if before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        else:
            self._otherwise()


def is_present(window: QWidget) -> bool:
    """Return whether the active window is this window or a dialog of it."""
    active: QWidget | None = QApplication.activeWindow()
    while active is not None and active is not window:
        active = active.parentWidget()
    return active is not None


async def until_present(window: QWidget) -> None:
    """Wait until the user is at the window. Meanwhile the task bar entry is marked; nothing comes to the front."""
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
    """Sets whether the window is active in the store, from its creation to the end of `parent`."""

    def __init__(self, window: QWidget, background: BackgroundWorkflows, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        window.installEventFilter(self)
        background.set_window_active(window.isActiveWindow())

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            self._background.set_window_active(event.type() == QEvent.Type.WindowActivate)
        return False
