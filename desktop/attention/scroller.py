"""Where a request is read and filled in: as tall as it needs, and scrolled where it may not be."""

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

_BEGINNING_LINES = 6
_PAGES = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Scroller(QScrollArea):
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
        begun = top + min(part.height(), _BEGINNING_LINES * self.fontMetrics().lineSpacing())
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
