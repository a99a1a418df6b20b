"""Shadows of floating surfaces, painted below them and transparent to the mouse."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme, paint_shadow
from desktop.widgets.adaptive import Adaptive

_REACH = 26


class Shadow(Adaptive, QWidget):
    """Paints a shadow around each of its boxes."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._boxes: tuple[QRect, ...] = ()
        self._pixmaps: dict[tuple[int, int, float], QPixmap] = {}
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.adapt_to(theme)

    def cast(self, room: QRect, boxes: Sequence[QRect]) -> None:
        """Set the boxes. `room` is in the parent's coordinates, the boxes in those of `room`."""
        self.setGeometry(room.adjusted(-_REACH, -_REACH, _REACH, _REACH) if boxes else QRect())
        self._boxes = tuple(sorted(boxes, key=QRect.top))
        sizes = {(box.width(), box.height()) for box in boxes}
        self._pixmaps = {key: pixmap for key, pixmap in self._pixmaps.items() if key[:2] in sizes}
        self.update()

    def apply_theme(self) -> None:
        self._pixmaps.clear()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint each shadow down to the next box only: between two boxes, two shadows would add up."""
        painter = QPainter(self)
        scale = self.devicePixelRatioF()
        around = QSize(2 * _REACH, 2 * _REACH)
        top = 0
        for box, below in zip(self._boxes, (*self._boxes[1:], None), strict=True):
            place = QRect(box.topLeft(), box.size() + around)
            end = below.top() + _REACH if below is not None else place.bottom() + 1
            band = QRect(place.left(), top, place.width(), end - top).intersected(place)
            if band.intersects(event.rect()):
                source = QRectF(QPointF(band.topLeft() - place.topLeft()) * scale, QSizeF(band.size()) * scale)
                painter.drawPixmap(QRectF(band), self._pixmap(box.size()), source)
            top = end

    def _pixmap(self, size: QSize) -> QPixmap:
        """Return the cached shadow, since every change below the overlay repaints it."""
        key = (size.width(), size.height(), self.devicePixelRatioF())
        if key not in self._pixmaps:
            self._pixmaps[key] = self._draw(size, self.devicePixelRatioF())
        return self._pixmaps[key]

    def _draw(self, size: QSize, scale: float) -> QPixmap:
        pixmap = QPixmap((size + QSize(2 * _REACH, 2 * _REACH)) * scale)
        pixmap.setDevicePixelRatio(scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        box = QRectF(QPoint(_REACH, _REACH), size)
        paint_shadow(painter, box, self._theme.sizes.radius_toast, self._theme.color("shadow"))
        painter.end()
        return pixmap
