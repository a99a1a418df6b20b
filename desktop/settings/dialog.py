"""The settings dialog: search and page list on the left, the page on the right, the undo bar below it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from desktop.settings.consent.folders_page import FoldersPage
from desktop.settings.consent.validation_page import ValidationPage
from desktop.settings.data.data_page import DataPage
from desktop.settings.general.about_page import AboutPage
from desktop.settings.general.setting_pages import AppearancePage, LimitsPage, NotificationsPage
from desktop.settings.keys.keys_page import KeysPage
from desktop.settings.memory.memory_page import MemoryPage
from desktop.settings.models.agents_page import AgentsPage
from desktop.settings.models.models_page import ModelsPage
from desktop.settings.navigation import PageList, PageStack
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.undo_bar import UndoBar
from desktop.settings.prompts.prompts_page import PromptsPage
from desktop.settings.servers.servers_page import ServersPage
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.widgets import Adaptive, EmptyState, Surface, row_of

_PAGES: Sequence[type[Page]] = (
    ModelsPage,
    AgentsPage,
    ServersPage,
    FoldersPage,
    ValidationPage,
    LimitsPage,
    PromptsPage,
    MemoryPage,
    NotificationsPage,
    AppearancePage,
    KeysPage,
    DataPage,
    AboutPage,
)


class SettingsDialog(Adaptive, QDialog):
    """Non-modal. `present` opens it; Esc closes it, and it can be presented again."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme = context.theme
        self._history = context.history
        self.setObjectName("settings")
        self.setModal(False)
        makers = {page.page_id: partial(page, context) for page in _PAGES}
        self._side = Surface("app", "right", self)
        self._search = QLineEdit(self._side)
        self._list = PageList(theme, makers, self._side)
        self._pages = PageStack(makers, self)
        self._no_results = EmptyState(theme, Icon.SEARCH)
        self._pages.addWidget(self._no_results)
        self._undo_bar = UndoBar(theme, self._history, self)
        self._lay_out()
        self._list.choose(next(iter(makers)))
        self._connect()
        self.adapt_to(theme)
        self._resize_once()

    def present(self, page_id: PageId | None = None) -> None:
        """Show the dialog in front, at this page or the last page, and focus its first control."""
        if page_id is not None:
            self._list.choose(page_id)
        self._pages.setCurrentWidget(self._page())
        # raise_ does not restore a minimized window.
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()
        self._page().focus_first()

    @property
    def page(self) -> PageId:
        """The current page; during a search without results, the last page."""
        return self._list.page

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Settings"))
        self._search.setPlaceholderText(self.tr("Search settings"))
        self._search.setAccessibleName(self.tr("Search settings"))
        self._no_results.describe(self.tr("No setting found"), self.tr("Other words may find it."), self.tr("Show all"))
        self._search.clear()  # it asked in the other language
        self._filter()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._side_column.setContentsMargins(sizes.space_s, sizes.space_m, sizes.space_s, sizes.space_m)
        self._side_column.setSpacing(sizes.space_m)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # Minimizing hides the dialog too, but is no end.
        if not event.spontaneous():
            self._search.clear()
            self._history.clear()

    def _lay_out(self) -> None:
        self._side_column = QVBoxLayout(self._side)
        self._search.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # the list says how wide
        self._side_column.addWidget(self._search)
        self._side_column.addWidget(self._list, 1)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self._pages, 1)
        column.addWidget(self._undo_bar)
        row = row_of(self)
        row.setSpacing(0)
        row.addWidget(self._side)
        row.addLayout(column, 1)

    def _connect(self) -> None:
        self._search.textChanged.connect(self._filter)
        self._search.returnPressed.connect(self._enter_page)
        self._search.addAction(self._theme.icon(Icon.SEARCH), QLineEdit.ActionPosition.LeadingPosition)
        self._list.chosen.connect(self._show)
        self._pages.made.connect(self._undo_bar.follow_page)
        self._no_results.acted.connect(self._search.clear)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self._enter_search)

    def _resize_once(self) -> None:
        """Set the initial size: the page list and the chat column's width, within the parent window."""
        width = self._side.sizeHint().width() + self._theme.sizes.chat_column
        size = QSize(width, round(width * 2 / 3))
        parent = self.parentWidget()
        self.resize(size if parent is None else size.boundedTo(parent.window().size()))

    def _filter(self) -> None:
        query = self._search.text()
        matching = self._pages.filter(query)
        self._list.show_only(matching)
        if not matching:
            self._pages.setCurrentWidget(self._no_results)
        elif self.page in matching:
            self._show(self.page)
        else:
            self._list.choose(matching[0])

    def _show(self, page_id: PageId) -> None:
        if self.isVisible():  # else `present` does, for the page that it opens
            self._pages.setCurrentWidget(self._pages.page(page_id))

    def _page(self) -> Page:
        return self._pages.page(self.page)

    def _enter_page(self) -> None:
        self._page().focus_first()

    def _enter_search(self) -> None:
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()
