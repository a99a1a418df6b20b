"""A card in the composer's slot: as tall as what is on it, as far as there is room, with keys of its own (UI §6)."""

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

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
        self._scroller = RequestScrollArea()

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


_REVEALED_LINES = 6
_PAGES = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class RequestScrollArea(QScrollArea):
    """Pages turn the requests, not this."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self._height = 0

    def show_page(self, page: QWidget | None) -> None:
        """Show this one; the one before is the caller's again."""
        before = self.takeWidget()
        if before is not None and before is not page:
            before.setParent(self)
            before.hide()  # by name, or it would come back with this, once that was folded
        if page is not None:
            self.setWidget(page)
            page.setAutoFillBackground(False)
            page.show()
        self.verticalScrollBar().setValue(0)

    def wanted_height(self, width: int) -> int:
        """What the page needs at this width."""
        page = self.widget()
        layout = page.layout() if page is not None else None
        if page is None or layout is None:
            return 0
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()

    def set_height(self, height: int) -> None:
        if height != self._height:
            self._height = height
            self.setFixedHeight(height)

    def reveal(self, part: QWidget) -> None:
        """Have the beginning of it in sight, and what stands above it as far as there is room."""
        page, bar = self.widget(), self.verticalScrollBar()
        if page is None:
            return
        top = part.mapTo(page, QPoint(0, 0)).y()
        begun = top + min(part.height(), _REVEALED_LINES * self.fontMetrics().lineSpacing())
        if top < bar.value():
            bar.setValue(top)
        elif begun > bar.value() + self.viewport().height():
            bar.setValue(begun - self.viewport().height())

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _PAGES:
            event.ignore()
        else:
            super().keyPressEvent(event)
