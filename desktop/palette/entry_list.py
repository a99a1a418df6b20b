"""The list of the palette: its model and its delegate."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.palette.entries import Entry, Heading
from desktop.theme.theme import Theme
from desktop.widgets.list_search import ROW_ROLE, RowModel
from desktop.widgets.painting import ground_color, paint_ground, paint_icon, paint_note, paint_words

_Index = QModelIndex | QPersistentModelIndex


class EntryModel(RowModel[Heading | Entry]):
    """The rows of the palette. Headings cannot be selected."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(_accessible_text, parent, lambda row: isinstance(row, Entry))

    @property
    def entries(self) -> list[Entry]:
        """The rows that can be selected."""
        return [row for row in self.rows if isinstance(row, Entry)]

    def first(self) -> QModelIndex:
        """Return the first selectable row; invalid if there is none."""
        return self.find(lambda row: isinstance(row, Entry))

    def find_target(self, entry: Heading | Entry | None) -> QModelIndex:
        """Return the row with the same target as `entry`, whose note may have changed; invalid if it is gone."""
        if not isinstance(entry, Entry):
            return QModelIndex()
        target = (entry.kind, entry.key, entry.title)
        return self.find(lambda row: isinstance(row, Entry) and (row.kind, row.key, row.title) == target)


class EntryDelegate(QStyledItemDelegate):
    """Paints an icon, the title, and a note or keys at the right; headings small. The note gets the width it needs, up
    to half; the title the rest.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        sizes = self._theme.sizes
        is_heading = isinstance(index.data(ROW_ROLE), Heading)
        return QSize(sizes.control, sizes.control_small if is_heading else sizes.control + sizes.space_xs)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row, sizes, theme = index.data(ROW_ROLE), self._theme.sizes, self._theme
        box = QRect(option.rect)
        inner = box.adjusted(sizes.space_s, 0, -sizes.space_s, 0)
        if isinstance(row, Heading):
            paint_words(painter, theme, row.title, inner, "section", "muted")
        elif isinstance(row, Entry):
            if (color := ground_color(option)) is not None:
                paint_ground(painter, theme, box, sizes.radius_row, color)
            inner = paint_icon(painter, theme, row.icon, inner)
            inner = paint_note(painter, theme, row.note, inner, "code_small" if row.has_keys else "secondary")
            paint_words(painter, theme, row.title, inner, "row", "text")


def _accessible_text(row: Heading | Entry) -> str:
    return row.title if isinstance(row, Heading) or not row.note else f"{row.title}, {row.note}"
