"""The pages of the settings, one above the other: each is made when it is first wanted, or when there is time."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.settings.page import Page
from desktop.settings.page_names import PageId

_PAUSE_MS = 30
"""Between two pages that nobody waits for: to make one takes about as long, and all at once would be felt."""


class Pages(QStackedWidget):
    """`made` tells of each page."""

    made = Signal(Page)

    def __init__(self, makers: Mapping[PageId, Callable[[], Page]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._makers = makers
        self._pages: dict[PageId, Page] = {}
        self._spare_time = QTimer(self)
        self._spare_time.setInterval(_PAUSE_MS)
        self._spare_time.timeout.connect(self._make_next)

    def page(self, page_id: PageId) -> Page:
        """The page of that name. Raises KeyError where there is none."""
        if page_id not in self._pages:
            page = self._pages[page_id] = self._makers[page_id]()
            self.addWidget(page)
            self.made.emit(page)
        return self._pages[page_id]

    def filter(self, query: str) -> list[PageId]:
        """Show the sections that the query finds; the pages that have any. With no query, all."""
        ids = self._makers if query.strip() else self._pages
        found = [page_id for page_id in ids if self.page(page_id).filter(query)]
        return found if query.strip() else list(self._makers)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._spare_time.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._spare_time.stop()

    def _make_next(self) -> None:
        wanted = next((page_id for page_id in self._makers if page_id not in self._pages), None)
        if wanted is None:
            self._spare_time.stop()
        else:
            self.page(wanted)
