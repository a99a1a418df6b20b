"""Tables of the settings: items in rows, as many as fit without a scroll bar of their own."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

T = TypeVar("T")
ModelIndex = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


class TableModel(QAbstractTableModel, Generic[T]):
    """An item per row. Subclasses override `headers` and `data`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: Sequence[T] = ()

    def headers(self) -> Sequence[str]:
        """Return the titles of the columns."""
        raise NotImplementedError

    def set_items(self, items: Sequence[T]) -> None:
        self.beginResetModel()
        self.items = items
        self.endResetModel()

    def retranslate(self) -> None:
        """Emit that all texts have changed."""
        last = self.columnCount() - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
        if self.items:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.items) - 1, last))

    def rowCount(self, parent: ModelIndex = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.items)

    def columnCount(self, parent: ModelIndex = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.headers())

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        is_title = orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return self.headers()[section] if is_title else None


class ItemTable(QTableView):
    """Selects whole rows; one column takes the width that the others leave."""

    def __init__(self, model: QAbstractTableModel, stretched: int, selection: QAbstractItemView.SelectionMode) -> None:
        super().__init__()
        self.setModel(model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(selection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)

    def fit_rows(self, rows: int, row_height: int) -> None:
        """Set the height to this number of rows."""
        self.verticalHeader().setDefaultSectionSize(row_height)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows * row_height + 2 * self.frameWidth())
