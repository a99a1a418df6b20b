"""Blocks input for half a second after the card gains focus, since it was meant for another widget.

Only Esc and Tab work meanwhile. Each blocked key restarts the half second, because a user who goes on typing has not
seen the card (UI §6).
"""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

GUARD_MS = 500

_KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.InputMethod)
_MOUSE = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick)
_FREE = frozenset({Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab})
_PAGES = frozenset({Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})


class FocusGuard(QObject):
    """Watches the application's focus. `arrived` is emitted when focus enters the card."""

    arrived = Signal()
    changed = Signal(bool)
    """Whether it is on."""

    def __init__(self, card: QWidget) -> None:
        super().__init__(card)
        self._card = card
        self._stops_mouse = True
        self._free = _FREE
        self._timer = QTimer(self, singleShot=True, interval=GUARD_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._end)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._app = app
        app.focusChanged.connect(self._on_focus)

    @property
    def is_on(self) -> bool:
        return self._timer.isActive()

    def start(self, *, frees_pages: bool = False) -> None:
        """Start or restart the guard. The click that moved the focus passes, and page keys do with `frees_pages`."""
        self._free = _FREE | _PAGES if frees_pages else _FREE
        # A click that moved the focus here is still down: its release must reach the button.
        self._stops_mouse = QApplication.mouseButtons() == Qt.MouseButton.NoButton
        if not self.is_on:
            self._app.installEventFilter(self)
            self.changed.emit(True)
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Block events that would act in the card."""
        kind = event.type()
        if kind not in _KEYS and not (self._stops_mouse and kind in _MOUSE):
            return False
        # The filter sees all events of the application; only the card is guarded.
        if not isinstance(watched, QWidget) or not (watched is self._card or self._card.isAncestorOf(watched)):
            return False
        if isinstance(event, QKeyEvent) and event.key() in self._free:
            return False
        # The user goes on typing, so has not seen the card yet.
        if kind == QEvent.Type.KeyPress:
            self._timer.start()
        return True

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        if self._is_within(new) and not self._is_within(old):
            self.start()
            self.arrived.emit()

    def _is_within(self, widget: QWidget | None) -> bool:
        return widget is not None and self._card.isAncestorOf(widget)

    def _end(self) -> None:
        self._app.removeEventFilter(self)
        self.changed.emit(False)
