"""Search in all workflows: runs queries, drops late results, and opens the chosen hit."""

import asyncio
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject

from core.app import Core
from core.bus import SearchIndexChanged, WorkflowDeleted
from core.domain.ids import MessageId, WorkflowId
from core.ports.search import HitGroup
from core.services.outcome import Failed
from desktop.aio import Tasks
from desktop.search.index_status import IndexProgress
from desktop.search.panel import SearchPanel
from desktop.search.results import GroupRow, HitRow, Results, WorkflowLabel
from desktop.translation.failure_strings import failure_words
from desktop.window.base.focus import FocusRestorer
from desktop.window.navigation.workflow_switcher import WorkflowOpener

REFRESH_S = 1.0
"""What is indexed while results are shown comes to them at most this often."""


class SearchController(QObject):
    """Connects the search panel to the service.

    `show_message` shows a message with the query marked. `focus_centre` takes the focus where the previous widget is
    gone.
    """

    def __init__(
        self,
        panel: SearchPanel,
        core: Core,
        tasks: Tasks,
        opening: WorkflowOpener,
        show_message: Callable[[WorkflowId, MessageId, str], None],
        focus_centre: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._core = core
        self._tasks = tasks
        self._opening = opening
        self._show_message = show_message
        self._before = FocusRestorer(focus_centre)
        self._asking: asyncio.Task[None] | None = None
        self._refreshing: asyncio.TimerHandle | None = None
        panel.asked.connect(self._ask)
        panel.more_asked.connect(self._ask_more)
        panel.chosen.connect(self._take)
        panel.left.connect(self._focus_back)
        panel.index_stopped.connect(core.search.stop_indexing)
        panel.index_continued.connect(core.search.go_on_indexing)
        self._heard = (
            core.bus.subscribe(SearchIndexChanged, self._on_index),
            core.bus.subscribe(WorkflowDeleted, self._on_deleted),
        )

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"find.everywhere": self.open}

    def open(self) -> None:
        """Open the panel. The same key closes it."""
        if not self._panel.isVisible():
            self._before.keep()
            self._tell_index()
        self._panel.open()

    def leave(self) -> None:
        """Cancel queries and unsubscribe."""
        for subscription in self._heard:
            subscription.close()
        if self._refreshing is not None:
            self._refreshing.cancel()
        self._drop()

    # Asking

    def _ask(self, query: str) -> None:
        self._drop()
        if query.strip() and self._tasks.is_open:
            self._asking = self._tasks.spawn(self._first(query), "search all workflows")
        elif not query.strip():
            self._panel.show_results(Results(query))

    def _ask_more(self, workflow_id: WorkflowId | None) -> None:
        self._drop()
        if not self._tasks.is_open:
            return
        results = self._panel.results
        more = self._next(results) if workflow_id is None else self._more_in(results, workflow_id)
        self._asking = self._tasks.spawn(more, "search further")

    def _drop(self) -> None:
        """Cancel the running query."""
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    async def _first(self, query: str) -> None:
        await self._next(Results(query))

    async def _next(self, results: Results) -> None:
        found = await self._core.search.find(results.query, results.skip)
        if isinstance(found, Failed):
            self._fail(found)
        else:
            self._panel.show_results(results.with_page(found.data, self._named(found.data.groups)))

    async def _more_in(self, results: Results, workflow_id: WorkflowId) -> None:
        found = await self._core.search.find_in(workflow_id, results.query, results.shown(workflow_id))
        if isinstance(found, Failed):
            self._fail(found)
        else:
            self._panel.show_results(results.with_hits(workflow_id, found.data))

    def _fail(self, failed: Failed) -> None:
        self._panel.show_problem(failure_words(failed.code, failed.message))

    def _named(self, groups: Iterable[HitGroup]) -> dict[WorkflowId, WorkflowLabel]:
        rows = self._core.stores.workflows
        listed = ((group.workflow_id, rows.get(group.workflow_id)) for group in groups)
        return {
            workflow_id: WorkflowLabel(row.workflow.title, row.workflow.is_archived)
            for workflow_id, row in listed
            if row is not None
        }

    # The index

    def _on_index(self, _message: SearchIndexChanged) -> None:
        if self._panel.isVisible():
            self._tell_index()
            if self._refreshing is None:
                self._refreshing = asyncio.get_running_loop().call_later(REFRESH_S, self._refresh)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        if any(group.workflow_id == message.workflow_id for group in self._panel.results.groups):
            self._ask(self._panel.query)

    def _refresh(self) -> None:
        """Search again if there were no results; loaded pages stay as they are."""
        self._refreshing = None
        panel = self._panel
        if panel.isVisible() and not panel.results.groups and panel.query.strip():
            self._ask(panel.query)

    def _tell_index(self) -> None:
        state = self._core.search.state
        self._panel.show_index(
            IndexProgress(state.done, state.total, state.is_stopped, has_problem=state.problem is not None)
        )

    # Choosing

    def _take(self, row: GroupRow | HitRow) -> None:
        if isinstance(row, GroupRow):
            self._opening.open(row.workflow_id)
            return
        hit = row.hit
        self._opening.open(hit.workflow_id)
        if hit.message_id is not None:
            self._show_message(hit.workflow_id, hit.message_id, self._panel.query)

    def _focus_back(self) -> None:
        self._drop()
        self._before.give_back()
