"""The left sidebar: shows the stores, and emits what the user requests."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.domain.ids import WorkflowId
from core.ports import Clock
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.workflows import Workflows
from desktop.bind import Frames
from desktop.sidebar.controls import CollapsibleButton, SearchField, SidebarHeader
from desktop.sidebar.list_state import SidebarListState
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.row_menu import RowAction, SidebarKeys
from desktop.sidebar.rows import ModeOf, Section
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, EmptyState, Surface, show_when

_CLOSE_SEARCH = QKeySequence("Esc")


class Sidebar(Adaptive, Surface):
    """Changes no store: each request is a signal, and the list changes when a store does.

    `keys` are the shortcuts that its buttons name; `mode_of` returns the mode of a run that differs from the settings.
    """

    row_requested = Signal(RowAction, str)
    """An action on the workflow of this id; never RENAME."""
    rename_requested = Signal(str, str)
    """The id and the new title."""
    peek_left = Signal()
    new_requested = Signal()
    undo_requested = Signal()
    settings_requested = Signal()
    collapsed_changed = Signal(bool)

    def __init__(
        self,
        theme: Theme,
        frames: Frames,
        background: BackgroundWorkflows,
        workflows: Workflows,
        clock: Clock,
        keys: SidebarKeys,
        mode_of: ModeOf | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("app", "right", parent)
        self.setObjectName("sidebar")
        self._theme = theme
        self._background = background
        self._workflows = workflows
        self._state = SidebarListState(background, workflows, mode_of)
        self._is_peeking = False
        self._keys = keys
        self._is_collapsed = False
        self._header = SidebarHeader(theme, keys.collapse)
        self._new = CollapsibleButton(theme, "secondary", Icon.PLUS)
        self._search = SearchField(theme)
        self._list = SidebarList(theme, clock)
        self._empty = EmptyState(theme, Icon.WORKFLOW)
        self._no_match = EmptyState(theme, Icon.SEARCH)
        self._none_archived = EmptyState(theme, Icon.ARCHIVE)
        self._archive = CollapsibleButton(theme, "ghost", Icon.ARCHIVE)
        self._settings = CollapsibleButton(theme, "ghost", Icon.SETTINGS)
        self._lay_out()
        self._connect()
        self._list.set_keys(keys)
        self.adapt_to(theme)
        frames.bind(self, (background.changed, background.viewed_changed, workflows.changed), self._render)

    def set_keys(self, keys: SidebarKeys) -> None:
        """Set the shortcuts that buttons and menu name."""
        self._keys = keys
        self._header.set_keys(keys.collapse)
        self._list.set_keys(keys)
        self.retranslate()

    @property
    def is_collapsed(self) -> bool:
        return self._is_collapsed

    def set_collapsed(self, is_collapsed: bool) -> None:
        """Collapse to a strip, or expand, without emitting `collapsed_changed`."""
        if is_collapsed == self._is_collapsed:
            return
        self._is_collapsed = is_collapsed
        if is_collapsed:
            self._close_search()
        for part in (self._header, self._new, self._archive, self._settings):
            part.fold(is_collapsed)
        self._list.set_collapsed(is_collapsed)
        self.apply_theme()
        self._render()

    def refresh(self) -> None:
        """Show the stores anew after the result of `mode_of` has changed."""
        self._render()

    def take_focus(self) -> None:
        """Focus the list, or the button for a new workflow while the list is hidden."""
        target = self._list if self._list.isVisible() else self._new
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def order(self) -> list[WorkflowId]:
        """Return the listed workflows, from the top down."""
        return self._state.order()

    @property
    def folded_sections(self) -> tuple[str, ...]:
        """The names of the folded sections, to be saved."""
        return self._state.folded

    def fold_sections(self, names: Iterable[str]) -> None:
        """Restore the saved folded sections."""
        self._state.restore_folded(names)
        self._render()

    @property
    def is_archive_shown(self) -> bool:
        return self._state.is_archive_shown

    def show_archive(self, is_shown: bool) -> None:
        """Show the archive in place of the list, or the list again."""
        if is_shown == self._state.is_archive_shown:
            return
        self._close_search()
        self._state.show_archive(is_shown)
        self._list.settle()
        self.retranslate()
        self._render()

    def set_peeking(self, is_peeking: bool) -> None:
        """Set whether Esc in the list returns to the workflow that was viewed before."""
        self._is_peeking = is_peeking
        self._render()

    def rename(self, workflow_id: WorkflowId) -> None:
        """Edit a title in its row; expands a collapsed sidebar and a folded section for it."""
        self.set_collapsed(False)
        listed = self._workflows.get(workflow_id)
        self.show_archive(listed is not None and listed.workflow.is_archived)
        self._close_search()
        self._state.reveal(workflow_id)
        self._render()
        self._list.rename(workflow_id)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Workflows"))
        self._new.describe(self.tr("New workflow"), self._keys.new)
        self._settings.describe(self.tr("Settings"), self._keys.settings)
        self._archive.describe(
            self.tr("Back to the workflows") if self._state.is_archive_shown else self.tr("Archived"), QKeySequence()
        )
        self._none_archived.describe(
            self.tr("Nothing is archived"),
            self.tr("Archived workflows are kept here, and can be restored. Press Delete in the list to archive one."),
            self.tr("Back to the workflows"),
            _CLOSE_SEARCH,
        )
        self._empty.describe(
            self.tr("No workflows yet"),
            self.tr("Conversations with agents and runs of templates appear here. Several can run at once."),
            self.tr("New workflow"),
            self._keys.new,
        )
        self._describe_no_match()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self.setFixedWidth(sizes.sidebar_collapsed if self._is_collapsed else sizes.sidebar)
        side = 0 if self._is_collapsed else sizes.space_m
        self._tools.setContentsMargins(side, sizes.space_xs, side, sizes.space_s)
        self._tools.setSpacing(sizes.space_s)
        footer_side = 0 if self._is_collapsed else sizes.space_xs
        self._footer.setContentsMargins(footer_side, sizes.space_s, footer_side, sizes.space_s)

    def _lay_out(self) -> None:
        self._tools = QVBoxLayout()
        self._tools.addWidget(self._new)
        self._tools.addWidget(self._search)
        self._search.hide()
        self._pages = QStackedWidget()
        for page in (self._list, self._empty, self._no_match, self._none_archived):
            self._pages.addWidget(page)
        self._footer = QVBoxLayout()
        self._footer.addWidget(self._archive)
        self._footer.addWidget(self._settings)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addLayout(self._tools)
        column.addWidget(self._pages, 1)
        column.addLayout(self._footer)

    def _connect(self) -> None:
        self._header.search_toggled.connect(self._on_search_toggled)
        self._header.fold_pressed.connect(self._on_fold_pressed)
        self._new.pressed.connect(self.new_requested)
        self._empty.acted.connect(self.new_requested)
        self._settings.pressed.connect(self.settings_requested)
        self._search.textChanged.connect(self._on_searched)
        self._search.closed.connect(self._end_search)
        self._search.left.connect(self._list.go_to_first)
        self._no_match.acted.connect(self._end_search)
        self._none_archived.acted.connect(self._close_archive)
        self._archive.pressed.connect(self._toggle_archive)
        rows = self._list
        rows.row_requested.connect(self._on_row_requested)
        rows.rename_requested.connect(self.rename_requested)
        rows.undo_requested.connect(self.undo_requested)
        rows.expand_requested.connect(self.rename)
        rows.fold_requested.connect(self._fold)
        rows.left.connect(self._leave)
        rows.end_reached.connect(self._load_more)

    def _render(self) -> None:
        shown, viewed = self._state, self._background.viewed_workflow_id
        items = shown.items(viewed, is_collapsed=self._is_collapsed)
        self._list.can_leave = self._is_peeking or shown.is_archive_shown or bool(shown.query)
        self._list.show_items(items, viewed)
        show_when(self._archive, shown.is_archive_shown or bool(self._workflows.archived))
        if items or self._is_collapsed:
            self._pages.setCurrentWidget(self._list)
        elif shown.query.strip():
            self._pages.setCurrentWidget(self._no_match)
        else:
            self._pages.setCurrentWidget(self._none_archived if shown.is_archive_shown else self._empty)

    def _fold(self, section: Section, is_folded: bool) -> None:
        if not self._is_collapsed and self._state.fold(section, is_folded):
            self._render()
            self._list.go_to_section(section)

    def _load_more(self, to_the_end: bool) -> None:
        if self._state.load_more(to_the_end=to_the_end):
            self._render()

    def _leave(self) -> None:
        """Close the innermost state: the peek, then the search, then the archive."""
        if self._is_peeking:
            self._list.is_cursor_held = True
            self.peek_left.emit()
            self._list.is_cursor_held = False
        elif self._state.query:
            self._end_search()
        else:
            self._close_archive()

    def _on_row_requested(self, action: RowAction, workflow_id: str) -> None:
        # a peek changes what is viewed, and the cursor would follow it away from the row
        self._list.is_cursor_held = action is RowAction.PEEK
        self.row_requested.emit(action, workflow_id)
        self._list.is_cursor_held = False

    def _close_archive(self) -> None:
        self.show_archive(False)
        self.take_focus()

    def _toggle_archive(self) -> None:
        self.show_archive(not self._state.is_archive_shown)
        self._list.go_to_first()

    def _describe_no_match(self) -> None:
        text = self.tr("No workflow has “{text}” in its name.").format(text=self._search.text().strip())
        self._no_match.describe(self.tr("Nothing found"), text, self.tr("Show all"), _CLOSE_SEARCH)

    def _on_fold_pressed(self) -> None:
        self.set_collapsed(not self._is_collapsed)
        self.collapsed_changed.emit(self._is_collapsed)

    def _on_search_toggled(self, is_searching: bool) -> None:
        self._search.setVisible(is_searching)
        if is_searching:
            self._search.setFocus()
        else:
            self._search.clear()

    def _on_searched(self) -> None:
        self._state.query = self._search.text()
        self._list.settle()
        self._describe_no_match()
        self._render()

    def _close_search(self) -> None:
        self._header.set_searching(False)
        self._search.clear()

    def _end_search(self) -> None:
        self._close_search()
        self._list.setFocus()
