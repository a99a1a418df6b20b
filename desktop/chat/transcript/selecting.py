"""Selecting with mouse and keyboard; the transcript scrolls while a selection is drawn beyond its edge."""

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from desktop.chat.transcript.selection import Selection
from desktop.chat.views.intents import Intents
from desktop.chat.views.text_view import TextView

_SHARE = 4
"""Each step scrolls by this part of the distance from the edge."""


class Selecting(QObject):
    """Turns what the views tell into one selection."""

    scrolled = Signal(int)
    """Scroll by this many pixels; down is positive."""
    pressed = Signal(QWidget)
    """The mouse is down in a text, which must not go away before it is released."""
    released = Signal()

    def __init__(self, selection: Selection, intents: Intents, viewport: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._selection = selection
        self._viewport = viewport
        self._is_click = False
        intents.press.connect(self._on_press)
        intents.drag.connect(self._on_drag)
        intents.release.connect(self._on_release)
        intents.select.connect(self._on_select)

    def _on_press(self, view: QWidget, extends: bool) -> None:
        if isinstance(view, TextView):
            self._selection.begin(view, extends=extends)
            self._is_click = not extends
            self.pressed.emit(view)

    def _on_drag(self, _view: QWidget, mouse: QPoint) -> None:
        """Comes again and again while the mouse is beyond the edge of the text that it was pressed in."""
        self._is_click = False
        if distance := self._distance(mouse):
            self.scrolled.emit(distance // _SHARE or 1)
        self._selection.draw_to(mouse)

    def _on_release(self, view: QWidget) -> None:
        self.released.emit()
        if self._is_click:
            self._on_select(view)  # Qt gives up a selection that was clicked on only now

    def _on_select(self, view: QWidget) -> None:
        if isinstance(view, TextView):
            self._selection.follow_keys(view)

    def _distance(self, mouse: QPoint) -> int:
        """How far the mouse is above (negative) or below the room."""
        y = self._viewport.mapFromGlobal(mouse).y()
        return min(y, 0) or max(0, y - self._viewport.height())
