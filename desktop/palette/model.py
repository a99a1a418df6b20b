"""The rows of the palette, as Qt asks for them."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.palette.entries import Entry, Heading
from desktop.palette.painter import ENTRY

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Rows(QAbstractListModel):
    """Headings cannot be chosen."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: Sequence[Heading | Entry] = ()

    def show(self, entries: Sequence[Heading | Entry]) -> None:
        self.beginResetModel()
        self.entries = tuple(entries)
        self.endResetModel()

    def first(self) -> QModelIndex:
        """The first that can be chosen; invalid where there is none."""
        row = next((at for at, entry in enumerate(self.entries) if isinstance(entry, Entry)), -1)
        return self.index(row) if row >= 0 else QModelIndex()

    def place_of(self, entry: Heading | Entry | None) -> QModelIndex:
        """Where what that entry leads to stands now; invalid where it is gone."""
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
        if role == ENTRY:
            return entry
        return spoken(entry) if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if isinstance(self.entries[index.row()], Heading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


def spoken(entry: Heading | Entry) -> str:
    """What a screen reader says of a row."""
    if isinstance(entry, Heading) or not entry.note:
        return entry.title
    return f"{entry.title}, {entry.note}"
