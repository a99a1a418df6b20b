"""Layout helpers: responsive rows, the centred column, and tables without a scroll bar of their own."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QBoxLayout, QHBoxLayout, QHeaderView, QLayout, QTableView, QWidget

from desktop.theme import Theme
from desktop.widgets import Adaptive


class ResponsiveRow(Adaptive, QWidget):
    """Shares the width equally; with `compact`, each widget has its own width, from the left."""

    def __init__(
        self, theme: Theme, rows: Sequence[QWidget], parent: QWidget | None = None, *, compact: bool = False
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = list(rows)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        # The minimum of the wide arrangement would keep the widget from ever becoming narrow.
        self._box.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._is_compact = compact
        sides = Qt.AlignmentFlag.AlignLeft if compact else Qt.AlignmentFlag(0)
        for row in rows:
            self._box.addWidget(row, 0 if compact else 1, Qt.AlignmentFlag.AlignTop | sides)
        if compact:
            self._box.addStretch(1)
        self.adapt_to(theme)

    def apply_theme(self) -> None:
        self._box.setSpacing(self._theme.sizes.space_m)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(max(row.minimumSizeHint().width() for row in self._rows), 0)

    def _arrange(self) -> None:
        gaps = self._box.spacing() * (len(self._rows) - 1)
        widths = [row.minimumSizeHint().width() for row in self._rows]
        needed = gaps + (sum(widths) if self._is_compact else len(widths) * max(widths))
        directions = QBoxLayout.Direction
        self._box.setDirection(directions.LeftToRight if self.width() >= needed else directions.TopToBottom)


def center_column(column: QWidget, parent: QWidget) -> QHBoxLayout:
    """Return a layout of `parent` that centres the column, at most at its maximum width."""
    layout = QHBoxLayout(parent)
    layout.addStretch()
    layout.addWidget(column, 1)
    layout.addStretch()
    return layout


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

    def __init__(self, model: QAbstractItemModel, stretched: int, selection: QAbstractItemView.SelectionMode) -> None:
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
