"""The list of the palette: its model and its delegate."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.palette.entries import Entry, Heading
from desktop.theme.theme import Theme
from desktop.theme.typography import TextRole
from desktop.widgets.painting import ground_color, paint_ground, paint_words

ENTRY_ROLE = Qt.ItemDataRole.UserRole
"""The Heading or the Entry of a row."""

_Index = QModelIndex | QPersistentModelIndex


class EntryDelegate(QStyledItemDelegate):
    """Paints an icon, the title, and a note or keys at the right; headings small. The note gets the width it needs, up
    to half; the title the rest.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        sizes = self._theme.sizes
        is_heading = isinstance(index.data(ENTRY_ROLE), Heading)
        return QSize(sizes.control, sizes.control_small if is_heading else sizes.control + sizes.space_xs)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry, sizes, theme = index.data(ENTRY_ROLE), self._theme.sizes, self._theme
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


_ROOT = QModelIndex()


class EntryModel(QAbstractListModel):
    """The rows of the palette. Headings cannot be selected."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: Sequence[Heading | Entry] = ()

    def show(self, entries: Sequence[Heading | Entry]) -> None:
        self.beginResetModel()
        self.entries = tuple(entries)
        self.endResetModel()

    def first(self) -> QModelIndex:
        """Return the first selectable row; invalid if there is none."""
        row = next((at for at, entry in enumerate(self.entries) if isinstance(entry, Entry)), -1)
        return self.index(row) if row >= 0 else QModelIndex()

    def place_of(self, entry: Heading | Entry | None) -> QModelIndex:
        """Return the row with the same target as `entry`; invalid if it is gone."""
        if not isinstance(entry, Entry):
            return QModelIndex()
        same = (entry.kind, entry.key, entry.title)
        rows = enumerate(self.entries)
        row = next((at for at, one in rows if isinstance(one, Entry) and (one.kind, one.key, one.title) == same), -1)
        return self.index(row) if row >= 0 else QModelIndex()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entries[index.row()]
        if role == ENTRY_ROLE:
            return entry
        return (
            accessible_text(entry)
            if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            else None
        )

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if isinstance(self.entries[index.row()], Heading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


def accessible_text(entry: Heading | Entry) -> str:
    """Return the accessible text of a row."""
    if isinstance(entry, Heading) or not entry.note:
        return entry.title
    return f"{entry.title}, {entry.note}"
