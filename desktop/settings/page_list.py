"""The list of pages."""

from collections.abc import Collection, Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QWidget

from desktop.settings.page_names import PAGE_ICONS, PageId, page_title
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive

_Index = QModelIndex | QPersistentModelIndex


class PageList(Adaptive, QListView):
    """Arrows and clicks choose a page."""

    chosen = Signal(PageId)

    def __init__(self, theme: Theme, pages: Iterable[PageId], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pages = list(pages)
        self._items = QStandardItemModel(self)
        for page_id in self._pages:
            self._items.appendRow(QStandardItem(theme.icon(PAGE_ICONS[page_id]), ""))
        self.setModel(self._items)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.adapt_to(theme)

    def choose(self, page_id: PageId) -> None:
        """Marks a page as the one shown, and tells of it if it was another."""
        self.setCurrentIndex(self._items.index(self._pages.index(page_id), 0))

    @property
    def page(self) -> PageId:
        """The page marked; the first one from the start."""
        return self._pages[max(self.currentIndex().row(), 0)]

    def show_only(self, found: Collection[PageId]) -> None:
        for row, page_id in enumerate(self._pages):
            self.setRowHidden(row, page_id not in found)

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid():
            self.chosen.emit(self._pages[current.row()])

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Pages"))
        for row, page_id in enumerate(self._pages):
            self._items.item(row).setText(page_title(page_id))
        self._fit()

    def dress(self) -> None:
        sizes = self._theme.sizes
        self.setIconSize(QSize(sizes.icon_s, sizes.icon_s))
        self.setSpacing(1)
        self._fit()

    def _fit(self) -> None:
        """At least as wide as its longest title, and no wider by itself."""
        self.setMinimumWidth(self.sizeHintForColumn(0) + 2 * self._theme.sizes.space_s)
