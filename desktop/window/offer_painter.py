"""Paints the rows of the picker: a title with a note at the right, a check at what holds; headings small."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.painting import ground_color, paint_ground, paint_words
from desktop.window.offers import Heading, Offer

ENTRY = Qt.ItemDataRole.UserRole
"""The Heading or the Offer of a row."""


class OfferDelegate(QStyledItemDelegate):
    """The title has the room that it needs, the note what is left: at least a third of the row, if it takes that."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        sizes = self._theme.sizes
        is_heading = isinstance(index.data(ENTRY), Heading)
        return QSize(sizes.control, sizes.control_small if is_heading else sizes.control + sizes.space_xs)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry, sizes, theme = index.data(ENTRY), self._theme.sizes, self._theme
        box = QRect(option.rect)
        inner = box.adjusted(sizes.space_s, 0, -sizes.space_s, 0)
        if isinstance(entry, Heading):
            paint_words(painter, theme, entry.title, inner, "section", "muted")
        elif isinstance(entry, Offer):
            if (color := ground_color(option)) is not None:
                paint_ground(painter, theme, box, sizes.radius_row, color)
            if entry.is_current:
                self._paint_check(painter, inner)
            inner.setLeft(inner.left() + sizes.icon_s + sizes.space_s)
            note = min(QFontMetrics(theme.font("secondary")).horizontalAdvance(entry.note) + 1, inner.width() // 3)
            room = inner.width() - note - sizes.space_m
            title = min(room, QFontMetrics(theme.font("row")).horizontalAdvance(entry.title) + 1)
            paint_words(painter, theme, entry.title, inner.adjusted(0, 0, title - inner.width(), 0), "row", "text")
            rest = inner.adjusted(title + sizes.space_m, 0, 0, 0)
            paint_words(painter, theme, entry.note, rest, "secondary", "muted", Qt.AlignmentFlag.AlignRight)

    def width_of(self, offer: Offer) -> int:
        """What it takes to paint all of it."""
        sizes, theme = self._theme.sizes, self._theme
        words = QFontMetrics(theme.font("row")).horizontalAdvance(offer.title) + 2
        words += QFontMetrics(theme.font("secondary")).horizontalAdvance(offer.note) + 2
        return words + sizes.icon_s + sizes.space_m + 3 * sizes.space_s

    def _paint_check(self, painter: QPainter, box: QRect) -> None:
        side = self._theme.sizes.icon_s
        pixmap = self._theme.pixmap(Icon.CHECK, "accent", side, painter.device().devicePixelRatio())
        painter.drawPixmap(box.left(), box.top() + (box.height() - side) // 2, pixmap)
