"""Paints the rows: indicators, expanded rows, and tiles of the collapsed sidebar."""

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QRegion
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from desktop.sidebar.geometry import (
    RowGeometry,
    background_rect,
    center_of,
    fold_icon_rect,
    header_rect,
    tile_rect,
    title_role,
)
from desktop.sidebar.rows import Header, Row, RowState, Section
from desktop.sidebar.sidebar_strings import RowTexts, initial, section_title
from desktop.theme import Icon, Theme
from desktop.tokens import ColorName
from desktop.translation import number
from desktop.widgets import (
    Indicator,
    background_color,
    badge_size,
    dot_place,
    paint_badge,
    paint_cursor,
    paint_dots,
    paint_ground,
    paint_indicator,
    paint_outline,
    paint_pulsing_ring,
    paint_text,
    paint_unread,
)

_INDICATORS = {
    RowState.QUEUED: Indicator.QUEUED,
    RowState.RUNNING: Indicator.RUNNING,
    RowState.WAITING: Indicator.WAITING,
    RowState.PAUSED: Indicator.PAUSED,
    RowState.COMPLETED: Indicator.SUCCESS,
    RowState.FAILED: Indicator.ERROR,
    RowState.STOPPED: Indicator.CANCELLED,
}


def indicator_of(row: Row) -> Indicator:
    """Return the indicator of a row. A finished run has a shape of its own only while it is recent or unread; then a
    ring.
    """
    is_idle = row.section in (Section.WORKFLOWS, Section.ARCHIVED) and not row.is_unread
    return Indicator.IDLE if is_idle else _INDICATORS[row.state]


class PulsingDots:
    """Caches where the rows have painted their dots, and on which background.

    The pulse runs at 12 frames a second for as long as anything runs. A frame requests only the region of the dots;
    painted through the list view, that would find every row at these points, compute its geometry and set its text (UI
    §1: "no repaint of anything else"). Painting the dots directly skips the view; it is right only as long as nothing
    has moved, so any larger request and any scrolling clear the cache.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._centers: list[QPointF] = []
        self._grounds: list[tuple[QRect, ColorName]] = []
        self._region = QRegion()

    def clear(self) -> None:
        """Clear the cache, since the dots may be elsewhere."""
        self._centers.clear()
        self._grounds.clear()
        self._region = QRegion()

    def add(self, center: QPointF, ground: QRect, color: ColorName | None) -> None:
        """Add the dot of a row; `color` is that of its background, None where the list shows through."""
        self._centers.append(center)
        if color is not None:
            self._grounds.append((ground, color))
        self._region = self._region.united(dot_place(self._theme, center))

    def paint(self, canvas: QWidget, dirty: QRegion) -> bool:
        """Paint only the dots, in a paint event of `canvas`. Return False if more than dots is `dirty`.

        Then rows are painted, and add their dots again.
        """
        if not dirty.intersects(self._region):
            return False
        # something else is to be painted too: dots may have moved, and are found again by painting rows
        if not dirty.subtracted(self._region).isEmpty():
            self.clear()
            return False
        theme = self._theme
        painter = QPainter(canvas)
        # Qt has erased the region, and with it the colour of hovered and selected rows
        for ground, color in self._grounds:
            paint_ground(painter, theme, ground, theme.sizes.radius_row, color)
        paint_dots(painter, theme, self._centers, theme.pulse.beat(canvas, self._region))
        painter.end()
        return True


_TONES: dict[RowState, ColorName] = {
    RowState.FAILED: "error",
    RowState.WAITING: "warn",
    RowState.PAUSED: "warn",
    RowState.INTERRUPTED: "warn",
}


class RowPainter:
    """Paints rows and headers of the expanded sidebar, only within `dirty`: text layout is the expensive part of a
    row, and a pulsing indicator must not cause it.
    """

    def __init__(self, theme: Theme, dots: PulsingDots) -> None:
        self._theme = theme
        self._dots = dots

    def paint_row(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        row: Row,
        texts: RowTexts,
        dirty: QRegion,
        canvas: QWidget,
        *,
        is_edited: bool = False,
    ) -> None:
        """Paint a row. `is_edited`: its title is in an editor."""
        theme = self._theme
        shape = RowGeometry.of(option.rect, theme, row, texts.time)
        color = background_color(option)
        if color is not None:
            paint_ground(painter, theme, shape.background, theme.sizes.radius_row, color)
        indicator = shape.indicator
        if is_edited:  # beside the field, which stands in the middle
            indicator.moveTop(option.rect.top() + (option.rect.height() - indicator.height()) // 2)
        if dirty.intersects(indicator):
            center = center_of(indicator)
            paint_indicator(painter, theme, indicator_of(row), center, canvas)
            if indicator_of(row) is Indicator.RUNNING:
                self._dots.add(center, shape.background, color)
        if dirty.intersects(shape.title):
            paint_text(painter, theme, row.title, shape.title, title_role(row), "text")
        if dirty.intersects(shape.time):
            paint_text(painter, theme, texts.time, shape.time, "meta", "muted")
        if dirty.intersects(shape.state):
            tone = _TONES.get(row.state, "muted")
            paint_text(painter, theme, texts.state, shape.state, "secondary", tone)
        if row.slot is not None and dirty.intersects(shape.slot):
            self._paint_slot(painter, row.slot, shape.slot)
        if dirty.intersects(shape.mark):
            if row.waiting:
                paint_badge(painter, theme, row.waiting, QRectF(shape.mark))
            elif row.is_unread:
                paint_unread(painter, theme, center_of(shape.mark))
        paint_cursor(painter, theme, option, shape.background, theme.sizes.radius_row)

    def paint_header(self, painter: QPainter, option: QStyleOptionViewItem, header: Header) -> None:
        theme = self._theme
        box = header_rect(option.rect, theme.sizes)
        icon = Icon.CHEVRON_RIGHT if header.is_folded else Icon.CHEVRON_DOWN
        title_width = QFontMetrics(theme.font("section")).horizontalAdvance(section_title(header.section))
        theme.icon(icon, "muted").paint(painter, fold_icon_rect(box, title_width, theme.sizes))
        paint_text(painter, theme, section_title(header.section), box, "section", "muted")
        paint_text(painter, theme, number(header.count), box, "meta", "muted", Qt.AlignmentFlag.AlignRight)
        ring = background_rect(option.rect, theme.sizes)
        ring.setTop(box.top())
        paint_cursor(painter, theme, option, ring, theme.sizes.radius_row)

    def is_cut(self, box: QRect, row: Row, texts: RowTexts) -> bool:
        """Return whether the texts of a row do not fit in `box`."""
        theme = self._theme
        shape = RowGeometry.of(box, theme, row, texts.time)
        title, state = QFontMetrics(theme.font(title_role(row))), QFontMetrics(theme.font("secondary"))
        return (
            title.horizontalAdvance(row.title) > shape.title.width()
            or state.horizontalAdvance(texts.state) > shape.state.width()
        )

    def _paint_slot(self, painter: QPainter, slot: int, box: QRect) -> None:
        theme = self._theme
        paint_outline(painter, theme, box, theme.sizes.radius_small - 1, "border_strong")
        paint_text(painter, theme, str(slot), box, "meta", "muted", Qt.AlignmentFlag.AlignHCenter)


def changed_areas(box: QRect, theme: Theme, row: Row, before: RowTexts | None, texts: RowTexts) -> list[QRect]:
    """Return the areas to repaint where state and time have other texts than `before`."""
    shape = RowGeometry.of(box, theme, row, texts.time)
    line = QRect(shape.title.topLeft(), QPoint(shape.background.right(), shape.title.bottom()))
    parts = [] if before is not None and before.state == texts.state else [shape.state]
    return parts if before is not None and before.time == texts.time else [*parts, line]


class TilePainter:
    """Paints the rows of the collapsed sidebar: a square with the initial, its ring or its indicator; a line between
    sections.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def paint_tile(self, painter: QPainter, option: QStyleOptionViewItem, row: Row, canvas: QWidget) -> None:
        theme = self._theme
        tile, radius = tile_rect(option.rect, theme.sizes), theme.sizes.radius_row
        paint_ground(painter, theme, tile, radius, background_color(option) or "raised")
        paint_outline(painter, theme, tile, radius, "border")
        paint_text(painter, theme, initial(row.title), tile, "row_unread", "text", Qt.AlignmentFlag.AlignHCenter)
        if row.is_unread or row.section not in (Section.WORKFLOWS, Section.ARCHIVED):
            self._paint_state(painter, row, tile, canvas)
        self._paint_badge(painter, row, tile)
        gap = theme.sizes.focus_ring + 1
        paint_cursor(painter, theme, option, tile.adjusted(-gap, -gap, gap, gap), radius + gap)

    def paint_line(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        tile = tile_rect(option.rect, self._theme.sizes)
        painter.setPen(QPen(self._theme.color("border"), 1))
        middle = option.rect.center().y()
        painter.drawLine(tile.left(), middle, tile.right(), middle)

    def _paint_badge(self, painter: QPainter, row: Row, tile: QRect) -> None:
        """Paint the badge in the upper right corner, beyond the edge of the square."""
        theme = self._theme
        if row.waiting:
            badge = QRect(tile.topLeft(), badge_size(theme, row.waiting))
            badge.moveTopRight(tile.topRight() + QPoint(theme.sizes.space_s, -theme.sizes.space_xs))
            gap = theme.sizes.focus_ring
            paint_ground(painter, theme, badge.adjusted(-gap, -gap, gap, gap), badge.height() // 2 + gap, "app")
            paint_badge(painter, theme, row.waiting, QRectF(badge))
        elif row.is_unread:
            gap, center = theme.sizes.focus_ring, QPointF(tile.topRight())
            side = theme.sizes.dot + 2 * gap
            ground = QRect(0, 0, side, side)
            ground.moveCenter(center.toPoint())
            paint_ground(painter, theme, ground, side // 2, "app")
            paint_unread(painter, theme, center_of(ground))

    def _paint_state(self, painter: QPainter, row: Row, tile: QRect, canvas: QWidget) -> None:
        """Paint the ring of a running workflow, else its indicator in the lower right corner. A repeated row has its
        badge.
        """
        theme = self._theme
        if row.is_repeated:
            return
        if row.state is RowState.RUNNING:
            paint_pulsing_ring(painter, theme, QRectF(tile), theme.sizes.radius_row, canvas)
            return
        side = theme.sizes.icon_s
        indicator = QRect(0, 0, side, side)
        indicator.moveBottomRight(tile.bottomRight() + QPoint(theme.sizes.space_xs, theme.sizes.space_xs))
        gap = theme.sizes.focus_ring
        paint_ground(painter, theme, indicator.adjusted(-gap, -gap, gap, gap), side // 2 + gap, "app")
        paint_indicator(painter, theme, indicator_of(row), center_of(indicator), canvas)
