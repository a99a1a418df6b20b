"""Paints the rows and headers of the open sidebar."""

from datetime import datetime

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QRegion
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from desktop.sidebar.pulsing_dots import PulsingDots
from desktop.sidebar.rows import Header, Row, State
from desktop.sidebar.shape import RowShape, center_of, fold_sign_of, ground_of, header_of
from desktop.sidebar.signs import paint_sign, sign_of
from desktop.sidebar.words import section_words, state_words, time_words
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.translation.formats import number
from desktop.widgets.badge import paint_badge
from desktop.widgets.indicator import Indicator
from desktop.widgets.painting import ground_color, paint_cursor, paint_ground, paint_words

_TONES: dict[State, ColorName] = {
    State.FAILED: "error",
    State.WAITING: "warn",
    State.PAUSED: "warn",
    State.INTERRUPTED: "warn",
}


class RowPainter:
    """Paints within `wanted` alone: a sign that pulses does not have its row's words set again."""

    def __init__(self, theme: Theme, dots: PulsingDots) -> None:
        self._theme = theme
        self._dots = dots

    def paint_row(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        row: Row,
        now: datetime,
        wanted: QRegion,
        canvas: QWidget,
        *,
        is_edited: bool = False,
    ) -> None:
        """`is_edited`: its title is being written."""
        theme, when = self._theme, time_words(row, now)
        shape = RowShape.of(option.rect, theme, when, has_slot=row.slot is not None, waiting=row.waiting)
        color = ground_color(option)
        if color is not None:
            paint_ground(painter, theme, shape.ground, theme.sizes.radius_row, color)
        sign = shape.sign
        if is_edited:  # beside the field, which stands in the middle
            sign.moveTop(option.rect.top() + (option.rect.height() - sign.height()) // 2)
        if wanted.intersects(sign):
            center = center_of(sign)
            paint_sign(painter, theme, row, center, canvas)
            if sign_of(row) is Indicator.RUNNING:
                self._dots.remember(center, shape.ground, color)
        if wanted.intersects(shape.title):
            paint_words(painter, theme, row.title, shape.title, "row", "text")
        if wanted.intersects(shape.time):
            paint_words(painter, theme, when, shape.time, "meta", "muted")
        if wanted.intersects(shape.state):
            tone = _TONES.get(row.state, "muted")
            paint_words(painter, theme, state_words(row, now), shape.state, "secondary", tone)
        if row.slot is not None and wanted.intersects(shape.slot):
            self._paint_slot(painter, row.slot, shape.slot)
        if row.waiting and wanted.intersects(shape.badge):
            paint_badge(painter, theme, row.waiting, QRectF(shape.badge))
        paint_cursor(painter, theme, option, shape.ground, theme.sizes.radius_row)

    def paint_header(self, painter: QPainter, option: QStyleOptionViewItem, header: Header) -> None:
        theme = self._theme
        box = header_of(option.rect, theme.sizes)
        icon = Icon.CHEVRON_RIGHT if header.is_folded else Icon.CHEVRON_DOWN
        words = QFontMetrics(theme.font("section")).horizontalAdvance(section_words(header.section))
        theme.icon(icon, "muted").paint(painter, fold_sign_of(box, words, theme.sizes))
        paint_words(painter, theme, section_words(header.section), box, "section", "muted")
        paint_words(painter, theme, number(header.count), box, "meta", "muted", Qt.AlignmentFlag.AlignRight)
        ring = ground_of(option.rect, theme.sizes)
        ring.setTop(box.top())
        paint_cursor(painter, theme, option, ring, theme.sizes.radius_row)

    def is_cut(self, box: QRect, row: Row, now: datetime) -> bool:
        """Whether not all of a row's words have room in `box`."""
        theme = self._theme
        shape = RowShape.of(box, theme, time_words(row, now), has_slot=row.slot is not None, waiting=row.waiting)
        title, state = QFontMetrics(theme.font("row")), QFontMetrics(theme.font("secondary"))
        return (
            title.horizontalAdvance(row.title) > shape.title.width()
            or state.horizontalAdvance(state_words(row, now)) > shape.state.width()
        )

    def _paint_slot(self, painter: QPainter, slot: int, box: QRect) -> None:
        theme = self._theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("border_strong"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = theme.sizes.radius_small - 1
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.restore()
        paint_words(painter, theme, str(slot), box, "meta", "muted", Qt.AlignmentFlag.AlignHCenter)


def moving_parts(
    box: QRect, theme: Theme, row: Row, before: tuple[str, str] | None, words: tuple[str, str]
) -> list[QRect]:
    """What is to be painted again where the state and the time read other `words` than `before`."""
    shape = RowShape.of(box, theme, words[1], has_slot=row.slot is not None, waiting=row.waiting)
    line = QRect(shape.title.topLeft(), QPoint(shape.ground.right(), shape.title.bottom()))
    parts = [] if before is not None and before[0] == words[0] else [shape.state]
    return parts if before is not None and before[1] == words[1] else [*parts, line]
