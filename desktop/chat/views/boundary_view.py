"""The line at which what a model is told begins: what stands above it is not sent any more."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.chat.layout.blocks import BoundaryBlock
from desktop.chat.values import Boundary
from desktop.theme.theme import Theme


class BoundaryView(QWidget):
    """Words in the middle of a rule."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def show_block(self, block: BoundaryBlock) -> None:
        self.setAccessibleName(self._words(block.boundary))
        self.update()

    def fit(self, width: int) -> int:
        metrics, sizes = QFontMetrics(self._theme.font("secondary")), self._theme.sizes
        lines = metrics.boundingRect(QRect(0, 0, self._room(width), 10_000), self._flags(), self.accessibleName())
        return lines.height() + sizes.space_s

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, sizes = QPainter(self), self._theme.sizes
        painter.setFont(self._theme.font("secondary"))
        left = (self.width() - self._room(self.width())) // 2
        box = QRect(left, 0, self._room(self.width()), self.height())
        words = painter.boundingRect(box, self._flags(), self.accessibleName())
        painter.setPen(self._theme.color("border_strong"))
        middle = self.height() // 2
        painter.drawLine(0, middle, words.left() - sizes.space_m, middle)
        painter.drawLine(words.right() + sizes.space_m, middle, self.width(), middle)
        painter.setPen(self._theme.color("muted"))
        painter.drawText(box, self._flags(), self.accessibleName())

    def _room(self, width: int) -> int:
        return max(1, width - 4 * self._theme.sizes.space_xl)

    def _flags(self) -> int:
        return int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)

    def _words(self, boundary: Boundary) -> str:
        if boundary is Boundary.SUMMARY:
            return self.tr("Older messages are not sent any more: this summary stands for them")
        return self.tr("Older messages are not sent any more")
