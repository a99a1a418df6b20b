"""The orange count of what waits for a person."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.visibility import show_when

_MOST = 99


def badge_size(theme: Theme, count: int) -> QSize:
    height = theme.sizes.radius_badge * 2
    width = QFontMetricsF(theme.font("badge")).horizontalAdvance(_shown(count)) + theme.sizes.space_s
    return QSize(max(height, round(width)), height)


def paint_badge(painter: QPainter, theme: Theme, count: int, box: QRectF) -> None:
    """Fills `box`, which has the size of `badge_size`; nothing for a count of 0."""
    if count < 1:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("badge"))
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    painter.setPen(theme.color("on_badge"))
    painter.setFont(theme.font("badge"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _shown(count))
    painter.restore()


def _shown(count: int) -> str:
    return str(count) if count <= _MOST else f"{_MOST}+"


class Badge(Adaptive, QWidget):
    """Hidden at 0."""

    def __init__(self, theme: Theme, count: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._count = 0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.adapt_to(theme)
        self.set_count(count)

    @property
    def count(self) -> int:
        return self._count

    def set_count(self, count: int) -> None:
        self._count = count
        show_when(self, count > 0)
        self.retranslate()
        self.apply_theme()

    def sizeHint(self) -> QSize:
        return badge_size(self._theme, self._count)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("%n waiting for you", "", self._count))

    def apply_theme(self) -> None:
        self.updateGeometry()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_badge(QPainter(self), self._theme, self._count, QRectF(self.rect()))
