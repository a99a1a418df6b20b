"""The orange number of requests that wait for the user."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from desktop.theme.theme import Theme

_MOST = 99


def badge_size(theme: Theme, count: int) -> QSize:
    height = theme.sizes.radius_badge * 2
    width = QFontMetricsF(theme.font("badge")).horizontalAdvance(_shown(count)) + theme.sizes.space_s
    return QSize(max(height, round(width)), height)


def paint_badge(painter: QPainter, theme: Theme, count: int, box: QRectF) -> None:
    """Fill `box`, which has the size of `badge_size`; paint nothing for a count of 0."""
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
