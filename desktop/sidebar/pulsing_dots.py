"""The dots of the open sidebar between two paintings of its rows.

A frame of the pulse asks for the dots and nothing else, 12 times a second: then the list is not asked what stands
where, and no row is laid out (UI §1: "no repaint of anything else").
"""

from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import QWidget

from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.indicator import dot_place, paint_dots
from desktop.widgets.painting import paint_ground


class PulsingDots:
    """Remembers where the rows have painted their dots, and on what ground."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._centers: list[QPointF] = []
        self._grounds: list[tuple[QRect, ColorName]] = []
        self._region = QRegion()

    def forget(self) -> None:
        """They may stand elsewhere by now."""
        self._centers.clear()
        self._grounds.clear()
        self._region = QRegion()

    def remember(self, center: QPointF, ground: QRect, color: ColorName | None) -> None:
        """A row has painted its dot; `color` is that of its ground, None where the list shows through."""
        self._centers.append(center)
        if color is not None:
            self._grounds.append((ground, color))
        self._region = self._region.united(dot_place(self._theme, center))

    def paint(self, canvas: QWidget, wanted: QRegion) -> bool:
        """Paint the dots alone, in a paint event of `canvas`; False where more than dots is `wanted`.

        Then rows are painted, and tell of the dots anew that they have there.
        """
        if not wanted.intersects(self._region):
            return False
        if not wanted.subtracted(self._region).isEmpty():
            self.forget()
            return False
        theme = self._theme
        painter = QPainter(canvas)
        for ground, color in self._grounds:
            paint_ground(painter, theme, ground, theme.sizes.radius_row, color)
        paint_dots(painter, theme, self._centers, theme.pulse.beat(canvas, self._region))
        painter.end()
        return True
