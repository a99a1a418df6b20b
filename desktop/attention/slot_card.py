"""A card in the composer's slot: as tall as what is on it, as far as there is room, with keys of its own (UI §6)."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.attention.scroller import Scroller
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface


class SlotCard(Adaptive, Surface):
    """A class to derive from, which fills `_column`, with `_scroller` in it, and overrides `_is_own`."""

    _column: QVBoxLayout

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("composer", parent=parent)
        self._theme = theme
        self._most_height = 0
        self._scroller = Scroller()

    def set_most_height(self, height: int) -> None:
        """How tall it may be."""
        if height != self._most_height:
            self._most_height = height
            self._fit()

    def event(self, event: QEvent) -> bool:
        """With focus in it, Esc and Ctrl+Enter are its own, whatever else in the window has these keys."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._is_own(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _is_own(self, event: QKeyEvent) -> bool:
        """Whether the key is the card's."""
        raise NotImplementedError

    def _fit(self) -> None:
        """As tall as what is on it, as far as there is room; the rest is scrolled."""
        around = self._column.contentsMargins()
        inner = self.width() - around.left() - around.right() - 2 * self.frameWidth()
        wanted = self._scroller.wanted_height(inner)
        column, width = self._column, self.width() - 2 * self.frameWidth()
        wraps = column.hasHeightForWidth()  # what is wrapped is taller than its hint
        whole = column.totalHeightForWidth(width) if wraps else column.sizeHint().height()
        other = whole - self._scroller.sizeHint().height()
        room = max(self._theme.sizes.row, self._most_height - other) if self._most_height else wanted
        self._scroller.set_height(min(wanted, room))
