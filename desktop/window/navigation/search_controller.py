"""Search in all workflows: runs queries, drops late results, and opens the chosen hit."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from core.bus import WorkflowDeleted
from core.domain.ids import MessageId, WorkflowId
from core.ports import HitGroup
from core.services.outcome import Failed
from desktop.operations import unwrap
from desktop.search.index_status import IndexProgress
from desktop.search.panel import SearchPanel
from desktop.search.results import GroupRow, HitRow, Results, WorkflowLabel
from desktop.shortcuts.command import command
from desktop.translation import failure_text
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.focus import FocusRestorer
from desktop.window.base.workflow_strings import state_indicator
from desktop.window.navigation.workflow_switcher import WorkflowOpener

REFRESH_S = 1.0
"""The shortest time between two refreshes of an empty result while the index grows."""


class SearchController(Controller):
    """Connects the search panel to the service.

    `show_message` shows a message with the query marked. `focus_centre` takes the focus where the previous widget is
    gone.
    """

    def __init__(
        self,
        context: WindowContext,
        panel: SearchPanel,
        opener: WorkflowOpener,
        show_message: Callable[[WorkflowId, MessageId, str], None],
        focus_centre: Callable[[], object],
    ) -> None:
        super().__init__(context)
        self._panel = panel
        self._opener = opener
        self._show_message = show_message
        self._focus = FocusRestorer(focus_centre)
        self._query: asyncio.Task[None] | None = None
        self._refresh_timer: asyncio.TimerHandle | None = None
        core = context.core
        panel.asked.connect(self._search)
        panel.more_asked.connect(self._search_more)
        panel.chosen.connect(self._open)
        panel.closed.connect(self._on_left)
        panel.index_stopped.connect(core.search.stop_indexing)
        panel.index_continued.connect(core.search.resume_indexing)
        core.search.changed.connect(self._on_index)
        self._subscription = core.bus.subscribe(WorkflowDeleted, self._on_deleted)

    @command("find.everywhere")
    def open(self) -> None:
        """Open the panel. The same key closes it."""
        if not self._panel.isVisible():
            self._focus.save()
            self._show_index()
        self._panel.open()

    def close(self) -> None:
        """Cancel queries and unsubscribe."""
        self._core.search.changed.disconnect(self._on_index, missing_ok=True)
        self._subscription.close()
        if self._refresh_timer is not None:
            self._refresh_timer.cancel()
        self._cancel()

    def _search(self, query: str) -> None:
        self._cancel()  # a result of an older query must not replace that of a newer
        if not query.strip():
            self._panel.show_results(Results(query))
        elif self._context.tasks.is_open:  # the panel may emit while the window closes
            self._run(self._next_page(Results(query)))

    def _search_more(self, workflow_id: WorkflowId | None) -> None:
        self._cancel()
        if self._context.tasks.is_open:
            results = self._panel.results
            self._run(self._next_page(results) if workflow_id is None else self._more_in(results, workflow_id))

    def _run(self, query: Coroutine[Any, Any, None]) -> None:
        self._query = self._operations.run(query, "search all workflows", failure=self._show_failure)

    def _cancel(self) -> None:
        """Cancel the running query."""
        if self._query is not None:
            self._query.cancel()
            self._query = None

    async def _next_page(self, results: Results) -> None:
        page = unwrap(await self._core.search.find(results.query, results.skip))
        self._panel.show_results(results.with_page(page, self._labels(page.groups)))

    async def _more_in(self, results: Results, workflow_id: WorkflowId) -> None:
        hits = unwrap(await self._core.search.find_in(workflow_id, results.query, results.shown(workflow_id)))
        self._panel.show_results(results.with_hits(workflow_id, hits))

    def _show_failure(self, failed: Failed) -> None:
        self._panel.show_problem(failure_text(failed.code, failed.message))

    def _labels(self, groups: Iterable[HitGroup]) -> dict[WorkflowId, WorkflowLabel]:
        rows = self._stores.workflows
        asking = set(self._stores.questions.workflows)
        listed = ((group.workflow_id, rows.get(group.workflow_id)) for group in groups)
        return {
            workflow_id: WorkflowLabel(
                row.workflow.title,
                row.workflow.is_archived,
                state_indicator(row.status, is_asking=workflow_id in asking),
                row.is_unread,
            )
            for workflow_id, row in listed
            if row is not None
        }

    # The index

    def _on_index(self) -> None:
        if self._panel.isVisible():
            self._show_index()
            if self._refresh_timer is None:  # at the beginning, the index changes many times a second
                self._refresh_timer = asyncio.get_running_loop().call_later(REFRESH_S, self._refresh)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        if any(group.workflow_id == message.workflow_id for group in self._panel.results.groups):
            self._search(self._panel.query)

    def _refresh(self) -> None:
        """Search again if there were no results; loaded pages stay as they are."""
        self._refresh_timer = None
        panel = self._panel
        if panel.isVisible() and not panel.results.groups and panel.query.strip():
            self._search(panel.query)

    def _show_index(self) -> None:
        state = self._core.search.state
        self._panel.show_index(
            IndexProgress(state.done, state.total, state.is_stopped, has_problem=state.problem is not None)
        )

    def _open(self, row: GroupRow | HitRow) -> None:
        if isinstance(row, GroupRow):
            self._opener.open(row.workflow_id)
            return
        hit = row.hit
        self._opener.open(hit.workflow_id)
        if hit.message_id is not None:
            self._show_message(hit.workflow_id, hit.message_id, self._panel.query)

    def _on_left(self) -> None:
        self._cancel()
        self._focus.restore()
