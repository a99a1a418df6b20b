"""Whether the user is with the toasts: then their time stands still, and so do they (UI §7)."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from core.stores.toasts import Toasts

AIM_MS = 700
"""After a click that closed a toast, the others stay where they are for so long: a second click must hit none of
them."""


class Attention(QObject):
    """Pauses the store for the reasons `hover`, `focus` and `inactive`, and resumes it for each.

    `released` is emitted when the toasts may move again.
    """

    released = Signal()

    def __init__(self, toasts: Toasts, overlay: QWidget, window: QWidget) -> None:
        super().__init__(overlay)
        self._toasts = toasts
        self._overlay = overlay
        self._window = window
        self._came_from: QWidget | None = None
        self._reasons: set[str] = set()
        self._aim = QTimer(self, singleShot=True, interval=AIM_MS)
        self._aim.timeout.connect(self._on_aim_over)
        window.installEventFilter(self)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)
        self._set("inactive", holds=not window.isActiveWindow())

    @property
    def is_close(self) -> bool:
        """Whether the pointer or the focus is in a toast, or was until a moment ago."""
        return bool(self._reasons) or self._aim.isActive()

    def set_hovered(self, *, is_hovered: bool) -> None:
        self._set("hover", holds=is_hovered)

    def keep_still(self) -> None:
        """Keep the other toasts in their places for a moment, after a click has closed a toast."""
        self._aim.start()

    def give_focus_back(self) -> None:
        """Focus the widget that had focus before a toast, if it still exists."""
        came_from = self._came_from
        if came_from is not None and isValid(came_from) and came_from.isVisible():
            came_from.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            self._set("inactive", holds=event.type() == QEvent.Type.WindowDeactivate)
        return False

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        is_here = new is not None and self._overlay.isAncestorOf(new)
        if is_here and old is not None and not self._overlay.isAncestorOf(old):
            self._came_from = old
        self._set("focus", holds=is_here)

    def _on_aim_over(self) -> None:
        if not self.is_close:
            self.released.emit()

    def _set(self, reason: str, *, holds: bool) -> None:
        if holds:
            self._toasts.pause(reason)
        else:
            self._toasts.resume(reason)
        if reason == "inactive":
            return
        was_close = self.is_close
        (self._reasons.add if holds else self._reasons.discard)(reason)
        if was_close and not self.is_close:
            self.released.emit()
