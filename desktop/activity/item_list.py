"""The list of items."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from core.stores.activity_items import ActivityItem
from desktop.activity.delegate import ActivityDelegate
from desktop.activity.model import ActivityModel, Index
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive

_AGE_MS = 20_000
"""How often the ages are drawn again: they are told in minutes."""

_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class ItemList(Adaptive, QListView):
    """Arrows go from item to item: `reached` tells which. Enter, Space or a click opens one: `opened`."""

    opened = Signal(str)
    reached = Signal(str)

    def __init__(self, theme: Theme, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.items = ActivityModel(now, self)
        self.setModel(self.items)
        self.setItemDelegate(ActivityDelegate(theme, self.items, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._ages = QTimer(self)
        self._ages.setInterval(_AGE_MS)
        self._ages.timeout.connect(self.viewport().update)
        self.clicked.connect(self._open)
        self.adapt_to(theme)

    def select(self, item_id: str | None) -> None:
        """Mark the item that is open, or none."""
        row = None if item_id is None else self.items.row_of(item_id)
        if row is None:
            self.clearSelection()
        else:
            flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(self.items.index(row), flag)

    def show_items(self, items: list[ActivityItem]) -> None:
        """The newest first. The item that is selected stays so as long as it is there."""
        chosen = self.items.item(self.currentIndex()) if self.selectedIndexes() else None
        self.items.show(items)
        if chosen is not None and not self.currentIndex().isValid():
            self.select(chosen.id)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Activity"))
        self.viewport().update()

    def dress(self) -> None:
        margin = self._theme.sizes.space_s
        self.setViewportMargins(margin, 0, margin, 0)
        self.scheduleDelayedItemsLayout()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        item = self.items.item(current)
        if item is not None:
            self.reached.emit(item.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _OPENING and self.currentIndex().isValid():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.selectedIndexes():
            self.scrollTo(self.currentIndex())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ages.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ages.stop()

    def _open(self, index: Index) -> None:
        item = self.items.item(index)
        if item is not None:
            self.opened.emit(item.id)
