"""The list as a Qt model: a new list is applied as insertions, removals, moves and changes.

So a row keeps its selection, its cursor and its open editor wherever it moves.
"""

from collections.abc import Collection, Hashable, Sequence
from typing import Any, cast

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.ports import Clock
from desktop.sidebar.rows import Header, Item, Row
from desktop.sidebar.sidebar_strings import accessible_row_text, section_title, state_text
from desktop.widgets import plain_tool_tip

Index = QModelIndex | QPersistentModelIndex

_ROW_FLAGS = (
    Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsEditable
    | Qt.ItemFlag.ItemNeverHasChildren
)
_HEADER_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
_NOWHERE = QModelIndex()


class SidebarModel(QAbstractListModel):
    """A header is enabled where its section is folded. Times are relative to `clock`."""

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._items: list[Item] = []
        self._places: dict[Hashable, int] | None = None

    @property
    def items(self) -> Sequence[Item]:
        return self._items

    def show_items(self, items: Sequence[Item]) -> None:
        """Replace the items."""
        # removals first, then insertions and moves from the top: each item is moved at most once, and only upwards
        self._remove_all_but({item.key for item in items})
        known_keys = {item.key for item in self._items}
        number = 0
        while number < len(items):
            if items[number].key not in known_keys:
                number = self._insert(items, number, known_keys)
                continue
            self._put(items[number], number)
            number += 1

    def retranslate(self) -> None:
        """Emit a change of all rows after a change of language."""
        if self._items:
            self.dataChanged.emit(self.index(0), self.index(len(self._items) - 1))

    def index_of(self, key: Hashable) -> QModelIndex:
        """Return the index of an item, invalid if it is not listed. The key of a workflow's own row is its id."""
        if self._places is None:
            self._places = {item.key: number for number, item in enumerate(self._items)}
        return self.index(self._places.get(key, -1))

    def row_at(self, index: Index) -> Row | None:
        """Return the workflow at an index, None for a header or an invalid index."""
        item = self._items[index.row()] if index.isValid() else None
        return item if isinstance(item, Row) else None

    def header_at(self, index: Index) -> Header | None:
        """Return the header at an index, None for a workflow or an invalid index."""
        item = self._items[index.row()] if index.isValid() else None
        return item if isinstance(item, Header) else None

    def item_at(self, index: Index) -> Item:
        """Return the item at an index. Raises IndexError for an invalid index."""
        return self._items[index.row()]

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._items)

    def flags(self, index: Index) -> Qt.ItemFlag:
        header = self.header_at(index)
        if header is not None:
            return _HEADER_FLAGS if header.is_folded else Qt.ItemFlag.NoItemFlags
        return _ROW_FLAGS if index.isValid() else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        item = self._items[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return section_title(item.section) if isinstance(item, Header) else item.title
            case Qt.ItemDataRole.EditRole if isinstance(item, Row):
                return item.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._accessible_text(item)
            case Qt.ItemDataRole.ToolTipRole if isinstance(item, Row):
                return plain_tool_tip(f"{item.title}\n{state_text(item, self._clock.now())}")
            case _:
                return None

    def _accessible_text(self, item: Item) -> str:
        """Return `Recently finished, 3 workflows` for a header."""
        if isinstance(item, Row):
            return accessible_row_text(item, self.tr("%n waiting for you", None, item.waiting) if item.waiting else "")
        texts = (section_title(item.section), self.tr("%n workflows", None, item.count))
        return ", ".join((*texts, self.tr("folded")) if item.is_folded else texts)

    def _remove_all_but(self, keys: Collection[object]) -> None:
        end = len(self._items)
        # from the end, so that the numbers of earlier rows stay valid; consecutive rows are removed in one step
        while end > 0:
            start = end
            while start > 0 and self._items[start - 1].key not in keys:
                start -= 1
            if start < end:
                self.beginRemoveRows(_NOWHERE, start, end - 1)
                del self._items[start:end]
                self._places = None
                self.endRemoveRows()
            end = start - 1

    def _insert(self, items: Sequence[Item], start: int, known_keys: Collection[object]) -> int:
        """Insert all new items that begin here at once. Return the place after them."""
        end = start
        while end < len(items) and items[end].key not in known_keys:
            end += 1
        self.beginInsertRows(_NOWHERE, start, end - 1)
        self._items[start:start] = items[start:end]
        self._places = None
        self.endInsertRows()
        return end

    def _put(self, item: Item, number: int) -> None:
        """Move a known item to its place, from there or further down."""
        old = next(old for old in range(number, len(self._items)) if self._items[old].key == item.key)
        if old != number:
            self.beginMoveRows(_NOWHERE, old, old, _NOWHERE, number)
            self._items.insert(number, self._items.pop(old))
            self._places = None
            self.endMoveRows()
        before = self._items[number]
        if before is not item and before != item:
            self._items[number] = item
            self.dataChanged.emit(self.index(number), self.index(number))


def model_of(index: Index) -> SidebarModel:
    """Return the sidebar's model of an index."""
    return cast("SidebarModel", index.model())
