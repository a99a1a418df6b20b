"""The page list and the page stack of the dialog."""

from collections.abc import Callable, Collection, Iterable, Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QStackedWidget, QWidget

from desktop.settings.parts.page import PAGE_ICONS, Page, PageId, page_title
from desktop.theme import Theme
from desktop.widgets import Adaptive

_PAUSE_MS = 30
"""Between two pages that nobody waits for: to make one takes about as long, and all at once would be felt."""


class PageStack(QStackedWidget):
    """Creates each page when it is first shown, or when the dialog is idle. `made` is emitted for each new page."""

    made = Signal(Page)

    def __init__(self, makers: Mapping[PageId, Callable[[], Page]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._makers = makers
        self._pages: dict[PageId, Page] = {}
        self._spare_time = QTimer(self, interval=_PAUSE_MS)
        self._spare_time.timeout.connect(self._make_next)

    def page(self, page_id: PageId) -> Page:
        """Return the page, created on first use. Raise KeyError for an unknown id."""
        if page_id not in self._pages:
            page = self._pages[page_id] = self._makers[page_id]()
            self.addWidget(page)
            self.made.emit(page)
        return self._pages[page_id]

    def filter(self, query: str) -> list[PageId]:
        """Show the matching sections and return the pages that have any; all pages without a query."""
        # A search must look into all pages, so it creates them.
        ids = self._makers if query.strip() else self._pages
        matching = [page_id for page_id in ids if self.page(page_id).filter(query)]
        return matching if query.strip() else list(self._makers)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._spare_time.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._spare_time.stop()

    def _make_next(self) -> None:
        missing = next((page_id for page_id in self._makers if page_id not in self._pages), None)
        if missing is None:
            self._spare_time.stop()
        else:
            self.page(missing)


_Index = QModelIndex | QPersistentModelIndex


class PageList(Adaptive, QListView):
    """Arrow keys and clicks choose a page."""

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
        """Select a page; emits `chosen` if it was another."""
        self.setCurrentIndex(self._items.index(self._pages.index(page_id), 0))

    @property
    def page(self) -> PageId:
        """The selected page; initially the first."""
        return self._pages[max(self.currentIndex().row(), 0)]

    def show_only(self, matching: Collection[PageId]) -> None:
        for row, page_id in enumerate(self._pages):
            self.setRowHidden(row, page_id not in matching)

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid():
            self.chosen.emit(self._pages[current.row()])

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Pages"))
        for row, page_id in enumerate(self._pages):
            self._items.item(row).setText(page_title(page_id))
        self._fit()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self.setIconSize(QSize(sizes.icon_s, sizes.icon_s))
        self.setSpacing(1)
        self._fit()

    def _fit(self) -> None:
        """Set the minimum width to the longest title."""
        self.setMinimumWidth(self.sizeHintForColumn(0) + 2 * self._theme.sizes.space_s)
