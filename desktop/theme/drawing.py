"""Strokes that several painters share: the focus ring and the soft shadow."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

_SHADOW_LAYERS = 10
_SHADOW_STEP = 2
_SHADOW_DROP = 6


def paint_focus_ring(painter: QPainter, box: QRectF, radius: float, color: QColor, width: float) -> None:
    """Paint a ring that lies inside `box`."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color, width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inset = width / 2
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius - inset, radius - inset)
    painter.restore()


def paint_shadow(painter: QPainter, box: QRectF, radius: float, color: QColor) -> None:
    """Paint a soft shadow of `color` around `box`, for floating surfaces: 20 px to the sides, 26 px below.

    Painted by hand, since a graphics effect renders the whole widget again at each change.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    layer = QColor(color)
    for number in range(_SHADOW_LAYERS, 0, -1):  # together they fade with the square of the distance
        layer.setAlphaF(color.alphaF() * (2 * (_SHADOW_LAYERS - number) + 1) / _SHADOW_LAYERS**2)
        painter.setBrush(layer)
        reach = number * _SHADOW_STEP
        grown = box.adjusted(-reach, -reach, reach, reach).translated(0, _SHADOW_DROP)
        painter.drawRoundedRect(grown, radius + reach, radius + reach)
    painter.restore()
