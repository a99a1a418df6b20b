"""The items as a Qt list."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.stores.activity_items import ActivityItem
from desktop.activity.words import outcome, title
from desktop.translation.formats import ago
from desktop.widgets.labels import plain_tool_tip

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class ActivityModel(QAbstractListModel):
    """The newest first. What is new is inserted above, so that selection and scroll position stay on their items."""

    def __init__(self, now: Callable[[], datetime], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._now = now
        self._items: list[ActivityItem] = []

    def show(self, items: Sequence[ActivityItem]) -> None:
        """Items that did not change are the same objects as before."""
        more = len(items) - len(self._items)
        if more < 0 or any(old.id != new.id for old, new in zip(self._items, items[more:], strict=False)):
            self.beginResetModel()
            self._items = list(items)
            self.endResetModel()
            return
        if more > 0:
            self.beginInsertRows(QModelIndex(), 0, more - 1)
            self._items = [*items[:more], *self._items]
            self.endInsertRows()
        for row in range(more, len(items)):
            if self._items[row] is not items[row]:
                self._items[row] = items[row]
                self.dataChanged.emit(self.index(row), self.index(row))

    def item(self, index: Index) -> ActivityItem | None:
        return self._items[index.row()] if index.isValid() and index.row() < len(self._items) else None

    def row_of(self, item_id: str) -> int | None:
        return next((row for row, item in enumerate(self._items) if item.id == item_id), None)

    def age(self, item: ActivityItem) -> str:
        """How long ago it began."""
        return ago(max(0.0, (self._now() - item.at).total_seconds()))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        item = self.item(index)
        if item is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title(item)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tool_tip(f"{title(item)}\n{outcome(item)}")
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join((title(item), outcome(item), self.age(item)))
            case _:
                return None
