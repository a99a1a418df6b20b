"""Paints the rows of the collapsed sidebar: a square with the initial, its ring or its sign."""

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from desktop.sidebar.rows import Row, Section, State
from desktop.sidebar.shape import center_of, tile_of
from desktop.sidebar.signs import paint_sign
from desktop.sidebar.words import initial
from desktop.theme.theme import Theme
from desktop.widgets.badge import badge_size, paint_badge
from desktop.widgets.indicator import paint_pulsing_ring
from desktop.widgets.painting import ground_color, paint_cursor, paint_ground, paint_words


class TilePainter:
    """Between two sections stands a line."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def paint_tile(self, painter: QPainter, option: QStyleOptionViewItem, row: Row, canvas: QWidget) -> None:
        theme = self._theme
        tile, radius = tile_of(option.rect, theme.sizes), theme.sizes.radius_row
        paint_ground(painter, theme, tile, radius, ground_color(option) or "raised")
        self._paint_edge(painter, tile, radius)
        paint_words(painter, theme, initial(row.title), tile, "row_unread", "text", Qt.AlignmentFlag.AlignHCenter)
        if row.section not in (Section.WORKFLOWS, Section.ARCHIVED):
            self._paint_state(painter, row, tile, canvas)
        self._paint_badge(painter, row, tile)
        gap = theme.sizes.focus_ring + 1
        paint_cursor(painter, theme, option, tile.adjusted(-gap, -gap, gap, gap), radius + gap)

    def paint_line(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        tile = tile_of(option.rect, self._theme.sizes)
        painter.setPen(QPen(self._theme.color("border"), 1))
        middle = option.rect.center().y()
        painter.drawLine(tile.left(), middle, tile.right(), middle)

    def _paint_edge(self, painter: QPainter, tile: QRect, radius: int) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(tile).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.restore()

    def _paint_badge(self, painter: QPainter, row: Row, tile: QRect) -> None:
        """In the upper right corner, beyond the edge of the square."""
        theme = self._theme
        if row.waiting:
            badge = QRect(tile.topLeft(), badge_size(theme, row.waiting))
            badge.moveTopRight(tile.topRight() + QPoint(theme.sizes.space_s, -theme.sizes.space_xs))
            gap = theme.sizes.focus_ring
            paint_ground(painter, theme, badge.adjusted(-gap, -gap, gap, gap), badge.height() // 2 + gap, "app")
            paint_badge(painter, theme, row.waiting, QRectF(badge))

    def _paint_state(self, painter: QPainter, row: Row, tile: QRect, canvas: QWidget) -> None:
        """The ring of one that runs, else its sign in the lower right corner. One that needs somebody has its badge."""
        theme = self._theme
        if row.is_repeated:
            return
        if row.state is State.RUNNING:
            paint_pulsing_ring(painter, theme, QRectF(tile), theme.sizes.radius_row, canvas)
            return
        side = theme.sizes.icon_s
        sign = QRect(0, 0, side, side)
        sign.moveBottomRight(tile.bottomRight() + QPoint(theme.sizes.space_xs, theme.sizes.space_xs))
        gap = theme.sizes.focus_ring
        paint_ground(painter, theme, sign.adjusted(-gap, -gap, gap, gap), side // 2 + gap, "app")
        paint_sign(painter, theme, row, center_of(sign), canvas)
