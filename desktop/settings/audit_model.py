"""The audit log as a table: newest first, more of it as it is scrolled."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from core.domain.audit import AuditEntry
from desktop.settings.consent_words import decision_words
from desktop.translation.formats import day, time_of_day

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_COLUMNS = 4


class AuditModel(QAbstractTableModel):
    """Emits `wanted` with its last entry when more are to be shown."""

    wanted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[AuditEntry] = []
        self._is_whole = True

    @property
    def entries(self) -> Sequence[AuditEntry]:
        """Those that are there by now."""
        return self._entries

    def show(self, entries: Sequence[AuditEntry]) -> None:
        """These and what follows them; there is none if they are none."""
        self.beginResetModel()
        self._entries = list(entries)
        self._is_whole = not entries
        self.endResetModel()

    def add(self, entries: Sequence[AuditEntry]) -> None:
        """These follow."""
        self._is_whole = not entries
        if entries:
            first = len(self._entries)
            self.beginInsertRows(_NONE, first, first + len(entries) - 1)
            self._entries.extend(entries)
            self.endInsertRows()

    def entry(self, index: Index) -> AuditEntry | None:
        return self._entries[index.row()] if index.isValid() else None

    def retranslate(self) -> None:
        """The words are to be read again."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, _COLUMNS - 1)
        if self._entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._entries) - 1, _COLUMNS - 1))

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) or not index.isValid():
            return None
        entry = self._entries[index.row()]
        at = entry.at.astimezone()
        when = time_of_day(at) if at.date() == datetime.now().astimezone().date() else _past(at)
        words = (when, entry.tool, decision_words(entry), entry.title)[index.column()]
        return words if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("When"), self.tr("Tool"), self.tr("Decision"), self.tr("Workflow"))[section]

    def canFetchMore(self, parent: Index = _NONE) -> bool:
        return not self._is_whole and not parent.isValid()

    def fetchMore(self, parent: Index = _NONE) -> None:
        if self._entries:
            self.wanted.emit(self._entries[-1])


def _past(at: datetime) -> str:
    return f"{day(at.date(), datetime.now().astimezone().date())} {time_of_day(at)}"
