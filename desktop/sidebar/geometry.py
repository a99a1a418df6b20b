"""Geometry of the rows."""

from dataclasses import dataclass
from typing import Self

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize
from PySide6.QtGui import QFontMetrics

from desktop.sidebar.rows import Header, Item, Row
from desktop.theme import TextRole, Theme
from desktop.tokens import Sizes
from desktop.widgets import badge_size


def item_height(item: Item, sizes: Sizes, *, is_collapsed: bool) -> int:
    if isinstance(item, Header):
        return sizes.space_m if is_collapsed else sizes.space_xl + sizes.space_s
    return sizes.sidebar_tile + sizes.space_s if is_collapsed else sizes.row


def title_role(row: Row) -> TextRole:
    return "row_unread" if row.is_unread else "row"


@dataclass(frozen=True, slots=True)
class RowGeometry:
    """The parts of a row in `box`. Indicator and title are on one line, the state below them.

    `mark` is the place of the badge, else that of the mark of an unread row; empty without either.
    """

    background: QRect
    indicator: QRect
    title: QRect
    state: QRect
    time: QRect
    slot: QRect
    mark: QRect

    @classmethod
    def of(cls, box: QRect, theme: Theme, row: Row, time_text: str) -> Self:
        sizes = theme.sizes
        title, state, time = (QFontMetrics(theme.font(role)) for role in (title_role(row), "secondary", "meta"))
        ground = background_rect(box, sizes)
        left = ground.left() + sizes.space_s + sizes.icon_s + sizes.space_s
        right = ground.right() - sizes.space_m + sizes.space_xs
        gap = sizes.space_xs // 2
        top = box.top() + (box.height() - title.height() - gap - state.height()) // 2
        below = top + title.height() + gap
        time_width = time.horizontalAdvance(time_text) + 1  # or its last sign might be cut
        has_slot = row.slot is not None
        slot_width = sizes.icon_s if has_slot else 0
        slot_top = below + (state.height() - sizes.icon_s) // 2
        sign_top = top + (title.height() - sizes.icon_s) // 2
        title_width = right - left - time_width - sizes.space_s
        slot_room = slot_width + sizes.space_s if has_slot else 0
        unread = QSize(sizes.dot, sizes.dot) if row.is_unread else QSize(0, 0)
        mark = badge_size(theme, row.waiting) if row.waiting else unread
        mark_left = right - slot_room - mark.width()
        mark_top = below + (state.height() - mark.height()) // 2
        mark_room = mark.width() + sizes.space_s if mark.width() else 0
        state_width = right - left - slot_room - mark_room
        return cls(
            ground,
            QRect(ground.left() + sizes.space_s, sign_top, sizes.icon_s, sizes.icon_s),
            QRect(left, top, max(0, title_width), title.height()),
            QRect(left, below, max(0, state_width), state.height()),
            QRect(right - time_width, top, time_width, title.height()),
            QRect(right - slot_width, slot_top, slot_width, sizes.icon_s),
            QRect(QPoint(mark_left, mark_top), mark),
        )


def background_rect(box: QRect, sizes: Sizes) -> QRect:
    """Return the area that is coloured when a row is viewed or hovered."""
    return box.adjusted(sizes.space_s, 1, -_right_margin(box, sizes), -1)


def editor_rect(box: QRect, sizes: Sizes) -> QRect:
    """Return the area of the title editor: from a little before the title to the end of the row."""
    ground = background_rect(box, sizes)
    left = ground.left() + sizes.space_s + sizes.icon_s
    top = box.top() + (box.height() - sizes.control) // 2
    return QRect(left, top, ground.right() - sizes.space_xs - left, sizes.control)


def header_rect(box: QRect, sizes: Sizes) -> QRect:
    """Return the line of a section's title."""
    inset = sizes.space_s + sizes.space_s
    return box.adjusted(inset, sizes.space_m, -_right_margin(box, sizes) - sizes.space_s, 0)


def fold_icon_rect(line: QRect, text_width: int, sizes: Sizes) -> QRect:
    """Return the area of the fold icon, behind a title that is `text_width` pixels wide."""
    side = sizes.space_m
    left = min(line.left() + text_width + sizes.space_xs, line.right() - 2 * side)
    return QRect(left, line.top() + (line.height() - side) // 2, side, side)


def tile_rect(box: QRect, sizes: Sizes) -> QRect:
    """Return the square of a collapsed row: in the middle of the sidebar, with and without a scroll bar."""
    size = QSize(sizes.sidebar_tile, sizes.sidebar_tile)
    tile = QRect(QRect(box.topLeft(), size))
    tile.moveLeft(box.left() + (sizes.sidebar_collapsed - sizes.sidebar_tile) // 2)
    tile.moveTop(box.top() + (box.height() - sizes.sidebar_tile) // 2)
    return tile


def center_of(box: QRect) -> QPointF:
    return QRectF(box).center()


def _right_margin(box: QRect, sizes: Sizes) -> int:
    """Return the right margin, smaller next to a scroll bar, which has a margin of its own."""
    has_scroll_bar = box.width() < sizes.sidebar - sizes.space_s
    return 0 if has_scroll_bar else sizes.space_s - 1
