"""Paints a row of the palette: an icon, the title, a note or keys at the right; headings small."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.palette.entries import Entry, Heading
from desktop.theme.theme import Theme
from desktop.theme.typography import TextRole
from desktop.widgets.painting import ground_color, paint_ground, paint_words

ENTRY = Qt.ItemDataRole.UserRole
"""The Heading or the Entry of a row."""

_Index = QModelIndex | QPersistentModelIndex


class EntryDelegate(QStyledItemDelegate):
    """The note has the room that it needs, up to half; the title what is left."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        sizes = self._theme.sizes
        is_heading = isinstance(index.data(ENTRY), Heading)
        return QSize(sizes.control, sizes.control_small if is_heading else sizes.control + sizes.space_xs)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry, sizes, theme = index.data(ENTRY), self._theme.sizes, self._theme
        box = QRect(option.rect)
        inner = box.adjusted(sizes.space_s, 0, -sizes.space_s, 0)
        if isinstance(entry, Heading):
            paint_words(painter, theme, entry.title, inner, "section", "muted")
        elif isinstance(entry, Entry):
            if (color := ground_color(option)) is not None:
                paint_ground(painter, theme, box, sizes.radius_row, color)
            side = sizes.icon_s
            pixmap = theme.pixmap(entry.icon, "muted", side, painter.device().devicePixelRatio())
            painter.drawPixmap(inner.left(), inner.top() + (inner.height() - side) // 2, pixmap)
            inner.setLeft(inner.left() + side + sizes.space_s)
            role: TextRole = "code_small" if entry.has_keys else "secondary"
            note = min(inner.width() // 2, QFontMetrics(theme.font(role)).horizontalAdvance(entry.note) + 1)
            at_right = inner.adjusted(inner.width() - note, 0, 0, 0)
            paint_words(painter, theme, entry.note, at_right, role, "muted", Qt.AlignmentFlag.AlignRight)
            paint_words(painter, theme, entry.title, inner.adjusted(0, 0, -note - sizes.space_m, 0), "row", "text")
