"""The right sidebar: the plan of the viewed workflow, and below what happened in it, newest first."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.changed_files import ShownChange
from core.domain.tool import COMMAND_TOOL
from core.stores.activity import Activity
from core.stores.activity_details import ActivityDetail
from core.stores.activity_items import ActivityFilter, ActivityItem, ActivityState, count_by_filter
from core.stores.view_cache import ViewCache
from desktop.activity.activity_list import ActivityList
from desktop.activity.detail_pane import DetailPane
from desktop.activity.export_progress import ExportProgress
from desktop.activity.plan_view import PlanView
from desktop.bind import Frames
from desktop.shortcuts.chords import is_pressed
from desktop.theme import Icon, Theme
from desktop.translation import compact
from desktop.widgets import Adaptive, EmptyState, IconButton, Label, Segmented, Surface


class ActivityPanel(Adaptive, Surface):
    """304 pixels wide, collapsed 48. `now` returns the time for ages; `fold_keys` and `compose_keys` are the shortcuts
    that its buttons name.
    """

    collapsed_changed = Signal(bool)
    compose_requested = Signal()
    export_requested = Signal()
    result_wanted = Signal(str, str)
    """The ids of the run and of an opened call of which only a summary is known here; answered with `show_result`."""
    change_wanted = Signal(str, object)
    """The id of an opened call, and the FileChanged facts of what it changed; answered with `show_change`."""

    def __init__(
        self,
        theme: Theme,
        view: ViewCache,
        frames: Frames,
        now: Callable[[], datetime],
        fold_keys: QKeySequence,
        compose_keys: QKeySequence,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("app", "left", parent)
        self.setObjectName("activity")
        self._theme = theme
        self._view = view
        self._activity = Activity(view)
        self._shown_workflow = view.workflow_id
        self._filter = ActivityFilter.ALL
        self._is_collapsed = False
        self._counts = count_by_filter(())
        self._opened: str | None = None
        self._folded: str | None = None
        self._fold_keys = fold_keys
        self._compose_keys = compose_keys
        self._title = Label("", "title")
        self._button = IconButton(theme, Icon.PANEL_RIGHT, is_large=True)
        self._button.clicked.connect(self.toggle)
        self._export = IconButton(theme, Icon.DOWNLOAD)
        self._export.clicked.connect(self.export_requested)
        self.exporting = ExportProgress(theme, self)
        self._header = QHBoxLayout()
        self._header.addWidget(self._title, 1)
        self._header.addWidget(self._export)
        self._header.addWidget(self._button)
        self._content = QWidget(self)
        self._plan = PlanView(theme, self._content)
        self._plan.opened.connect(self._open)
        self._filters = Segmented(theme, is_tight=True, parent=self._content)
        self._filters.chosen.connect(self._choose)
        self._list = ActivityList(theme, now, self._content)
        self._list.opened.connect(self._open)
        self._list.reached.connect(self._reach)
        self._empty = EmptyState(theme, Icon.LIST_TODO, self._content)
        self._empty.acted.connect(self.compose_requested)
        self._detail = DetailPane(theme, self._content)
        self._detail.closed.connect(self._close)
        self._detail.hide()
        self._lay_out()
        self.adapt_to(theme)
        frames.bind(self, self._activity.changed, self._render)

    def set_keys(self, fold_keys: QKeySequence, compose_keys: QKeySequence) -> None:
        """Set the shortcuts that the buttons name."""
        self._fold_keys, self._compose_keys = fold_keys, compose_keys
        self.retranslate()

    @property
    def is_collapsed(self) -> bool:
        return self._is_collapsed

    def set_collapsed(self, is_collapsed: bool) -> None:
        """Collapse or expand without emitting `collapsed_changed`."""
        if is_collapsed != self._is_collapsed:
            self._is_collapsed = is_collapsed
            self._title.setVisible(not is_collapsed)
            self._export.setVisible(not is_collapsed)
            self._content.setVisible(not is_collapsed)
            self.retranslate()
            self.apply_theme()

    def toggle(self) -> None:
        """Collapse or expand on behalf of the user, by the button or a shortcut."""
        self.set_collapsed(not self._is_collapsed)
        self.collapsed_changed.emit(self._is_collapsed)

    def filtered_items(self) -> list[tuple[ActivityItem, ActivityDetail]]:
        """Return what the filter shows, oldest first, with all details."""
        shown = [item for item in reversed(self._activity.items) if self._filter.includes(item)]
        return list(self._activity.details(shown))

    def show_result(self, call_id: str, text: str) -> None:
        """Show the complete result of a call; no effect if another item is open by now."""
        if call_id == self._opened:
            self._detail.show_result(text)

    def show_change(self, call_id: str, change: ShownChange) -> None:
        """Show what a call changed of a file; no effect if another item is open by now."""
        if call_id == self._opened:
            self._detail.show_change(change)

    def take_focus(self) -> None:
        """Focus the list, or the button while the list is hidden."""
        target = self._list if self._list.isVisible() else self._button
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Activity"))
        self._title.setText(self.tr("Activity"))
        name = self.tr("Show the activity") if self._is_collapsed else self.tr("Hide the activity")
        self._button.describe(name, self._fold_keys)
        self._export.describe(self.tr("Export the activity…"))
        self._filters.setAccessibleName(self.tr("Filter"))
        names = {
            ActivityFilter.ALL: self.tr("All"),
            ActivityFilter.TOOLS: self.tr("Tools"),
            ActivityFilter.AGENTS: self.tr("Agents"),
            ActivityFilter.REASONING: self.tr("Reasoning"),
            ActivityFilter.TASKS: self.tr("Tasks"),
        }
        segments = [(which, f"{name}\n{compact(self._counts[which])}") for which, name in names.items()]
        self._filters.set_segments(segments)
        self._filters.setMinimumHeight(self._filters.sizeHint().height())  # an opened item must not squeeze it
        self._describe_empty()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self.setFixedWidth(sizes.activity_collapsed if self._is_collapsed else sizes.activity)
        side = (sizes.activity_collapsed - sizes.control) // 2
        margin = (sizes.header - sizes.control) // 2
        self._header.setContentsMargins(side if self._is_collapsed else sizes.space_l, margin, side, margin)
        self._plan_row.setContentsMargins(sizes.space_l, 0, sizes.space_l, sizes.space_m)
        self._filter_row.setContentsMargins(sizes.space_l, 0, sizes.space_l, sizes.space_s)
        self._list.setMinimumHeight(2 * sizes.row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._plan.set_room(self.height() // 3)

    def event(self, event: QEvent) -> bool:
        """Claim Esc while an item is open and the focus is in the panel, whatever shortcut the window has for it."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._closes(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._closes(event):
            self._close()
        else:
            super().keyPressEvent(event)

    def _closes(self, event: QKeyEvent) -> bool:
        return self._opened is not None and is_pressed("Esc", event)

    def _lay_out(self) -> None:
        self._plan_row = QHBoxLayout()
        self._plan_row.addWidget(self._plan)
        self._filter_row = QHBoxLayout()
        self._filter_row.addWidget(self._filters)
        content_layout = QVBoxLayout(self._content)
        content_layout.setContentsMargins(0, 0, 0, 0)
        content_layout.setSpacing(0)
        content_layout.addLayout(self._plan_row)
        content_layout.addLayout(self._filter_row)
        content_layout.addWidget(self._list, 1)
        content_layout.addWidget(self._empty, 1)
        content_layout.addWidget(self._detail)
        content_layout.addWidget(self.exporting)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)  # the edge
        column.setSpacing(0)
        column.addLayout(self._header)
        column.addWidget(self._content, 1)
        column.setAlignment(self._header, Qt.AlignmentFlag.AlignTop)

    # Rendering

    def _render(self) -> None:
        items = self._activity.items
        shown = [item for item in items if self._filter.includes(item)]
        self._counts = count_by_filter(items)
        self._list.show_items(shown)
        self._list.setVisible(bool(shown))
        self._empty.setVisible(not shown)
        self._filters.setVisible(bool(items))
        self._export.setEnabled(bool(shown))
        self._show_plan()
        self._show_detail(items)
        self.retranslate()

    def _show_plan(self) -> None:
        workflow_id = self._view.workflow_id
        self._plan.show_plan(self._activity.plan, is_other=workflow_id != self._shown_workflow)
        self._plan.set_room(self.height() // 3)
        self._shown_workflow = workflow_id

    def _show_detail(self, items: list[ActivityItem]) -> None:
        item = next((item for item in items if item.id == self._opened), None)
        if item is None:
            self._opened, item = None, self._running_command(items)
        detail = self._activity.detail(item) if item is not None else None
        if item is None or detail is None or (self._opened is None and not detail.console):
            self._opened = None
            self._detail.hide()
            self._detail.clear()
        else:
            if self._detail.show_item(item, detail):
                if detail.is_summary:
                    self.result_wanted.emit(item.run_id, item.id)
                if detail.changes:
                    self.change_wanted.emit(item.id, detail.changes)
            self._detail.show()

    def _running_command(self, items: list[ActivityItem]) -> ActivityItem | None:
        """Return the newest command that runs, whose output is in sight as long as nothing else is open and the user
        does not fold it.
        """
        commands = (item for item in items if item.name == COMMAND_TOOL and item.state is ActivityState.RUNNING)
        return next((item for item in commands if item.id != self._folded), None)

    def _describe_empty(self) -> None:
        if any(self._counts.values()):
            self._empty.describe(self.tr("Nothing of this kind"), self.tr("Other activity is under All."))
        else:
            text = self.tr("Tool calls and steps of this workflow appear here as they happen.")
            self._empty.describe(self.tr("No activity yet"), text, self.tr("Write a message"), self._compose_keys)

    # User actions

    def _choose(self, which: str) -> None:
        self._filter = ActivityFilter(which)
        self._render()

    def _open(self, item_id: str) -> None:
        self._opened = item_id
        self._list.select(item_id)
        self._show_detail(self._activity.items)

    def _reach(self, item_id: str) -> None:
        """Open the item that the arrows reach while an item is open."""
        if self._opened not in (None, item_id):
            self._open(item_id)

    def _close(self) -> None:
        self._folded = self._detail.shown_id
        self._opened = None
        self._detail.hide()
        self._detail.clear()
        self._list.select(None)
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)
