"""Pauses the toasts while the user is with them, or away; and remembers the previous focus."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from core.stores.toasts import Toasts


class Attention(QObject):
    """Pauses the store for the reasons `hover`, `focus` and `inactive`, and resumes it for each."""

    def __init__(self, toasts: Toasts, overlay: QWidget, window: QWidget) -> None:
        super().__init__(overlay)
        self._toasts = toasts
        self._overlay = overlay
        self._window = window
        self._came_from: QWidget | None = None
        window.installEventFilter(self)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)
        self._set("inactive", holds=not window.isActiveWindow())

    def set_hovered(self, *, is_hovered: bool) -> None:
        self._set("hover", holds=is_hovered)

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

    def _set(self, reason: str, *, holds: bool) -> None:
        if holds:
            self._toasts.pause(reason)
        else:
            self._toasts.resume(reason)
