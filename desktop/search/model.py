"""The rows of results, as Qt asks for them."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.search.rows import GroupRow, HitRow, MoreRow, ResultRow
from desktop.search.words import ResultWords

ROW = Qt.ItemDataRole.UserRole
"""The ResultRow."""

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Rows(QAbstractListModel):
    def __init__(self, words: ResultWords, parent: QObject) -> None:
        super().__init__(parent)
        self._words = words
        self.rows: Sequence[ResultRow] = ()

    def show(self, rows: Sequence[ResultRow]) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def place_of(self, row: ResultRow | None) -> QModelIndex:
        """Where that row stands now; for one that told of more, where that begins."""
        if isinstance(row, GroupRow):
            found = (at for at, one in enumerate(self.rows) if _is_group(one, row))
        else:
            found = (at for at, one in enumerate(self.rows) if one == row)
        at = next(found, -1)
        return self.index(at) if at >= 0 else QModelIndex()

    def first(self) -> QModelIndex:
        """The first hit; a workflow that was found by its title alone is one."""
        for at, row in enumerate(self.rows):
            below = self.rows[at + 1] if at + 1 < len(self.rows) else None
            if isinstance(row, HitRow) or (isinstance(row, GroupRow) and isinstance(below, GroupRow | MoreRow | None)):
                return self.index(at)
        return QModelIndex()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        return self._words.spoken(row) if is_text else None

    def flags(self, _index: _Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


def _is_group(one: ResultRow, row: GroupRow) -> bool:
    return isinstance(one, GroupRow) and one.workflow_id == row.workflow_id
