"""The workflows of the sidebar, and which of them the user looks at (UI §2)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from psygnal import Signal

from core.bus import Bus, WorkflowChanged, WorkflowDeleted
from core.domain.events import Event, Fact, RunCreated, RunFinished, RunResumed, RunStarted, RunWaiting
from core.domain.ids import RunId, WorkflowId
from core.domain.run import RunKind, RunStatus
from core.domain.workflow import Workflow
from core.stores.base import Store, emit


class ViewedWorkflow(Store):
    """The workflow that the window shows, and whether the user works in that window.

    `viewed_changed` is emitted when another or no workflow is viewed, `window_active_changed` when the user activates
    or leaves the window.
    """

    viewed_changed = Signal()
    window_active_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._viewed: WorkflowId | None = None
        self._is_window_active = False

    @property
    def viewed_workflow_id(self) -> WorkflowId | None:
        """The workflow that the window shows."""
        return self._viewed

    def is_viewed(self, workflow_id: WorkflowId) -> bool:
        """Return whether the window shows the workflow."""
        return workflow_id == self._viewed

    def set_viewed(self, workflow_id: WorkflowId | None) -> None:
        """View another workflow: a pointer moves, nothing is copied."""
        if workflow_id != self._viewed:
            self._viewed = workflow_id
            emit(self.viewed_changed)

    def set_window_active(self, is_active: bool) -> None:
        """Set whether the window is the active window."""
        if is_active != self._is_window_active:
            self._is_window_active = is_active
            emit(self.window_active_changed)

    def is_watched(self, workflow_id: WorkflowId) -> bool:
        """Return whether the user sees the workflow: it is viewed, in the active window."""
        return self._is_window_active and self.is_viewed(workflow_id)


@dataclass(frozen=True, slots=True)
class ListedWorkflow:
    """A workflow with the status of its newest run, None without a run. `is_unread`: that has succeeded or failed, and
    the user has not looked at it since.
    """

    workflow: Workflow
    status: RunStatus | None = None
    is_unread: bool = False

    @property
    def title(self) -> str:
        """The title of the workflow."""
        return self.workflow.title


class Workflows(Store):
    """The list. `changed` is emitted when a row is added, removed or changed."""

    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._rows: dict[WorkflowId, ListedWorkflow] = {}
        self._hidden: set[WorkflowId] = set()
        self._sorted_rows: list[ListedWorkflow] | None = None
        self._newest: dict[WorkflowId, RunId] = {}
        self._subscribe(bus, WorkflowChanged, self._on_changed)
        self._subscribe(bus, WorkflowDeleted, self._on_deleted)
        self._subscribe(bus, Event, self._on_event, (*_STATUS, RunFinished))

    def load(self, rows: Iterable[ListedWorkflow]) -> None:
        """Add what the store holds; later events are newer and win."""
        self._rows = {**{row.workflow.id: row for row in rows}, **self._rows}
        self._emit_changed()

    @property
    def rows(self) -> list[ListedWorkflow]:
        """The workflows that are not archived. The list is cached until the next change, and must not be modified."""
        if self._sorted_rows is None:
            listed = (row for row in self._rows.values() if not row.workflow.is_archived)
            self._sorted_rows = sorted(listed, key=lambda row: row.workflow.updated_at, reverse=True)
        return self._sorted_rows

    @property
    def archived(self) -> list[ListedWorkflow]:
        """The archived workflows, last archived first."""
        put_away = [(row.workflow.archived_at, row) for row in self._rows.values() if row.workflow.archived_at]
        return [row for _, row in sorted(put_away, key=lambda pair: pair[0], reverse=True)]

    def get(self, workflow_id: WorkflowId) -> ListedWorkflow | None:
        """Return the workflow, archived or not."""
        return self._rows.get(workflow_id)

    def mark_read(self, workflow_id: WorkflowId) -> None:
        """Report that the user looks at the workflow."""
        row = self._rows.get(workflow_id)
        if row is not None and row.is_unread:
            self._rows[workflow_id] = replace(row, is_unread=False)
            self._emit_changed()

    @property
    def all_ids(self) -> set[WorkflowId]:
        """The ids of all workflows: listed, archived, or discarded and still restorable."""
        return {*self._rows, *self._hidden}

    def _on_changed(self, message: WorkflowChanged) -> None:
        self._hidden.discard(message.workflow.id)
        known = self._rows.get(message.workflow.id)
        # a renamed workflow keeps the status that is known
        status = message.status or (known.status if known else None)
        is_unread = known is not None and known.is_unread
        self._rows[message.workflow.id] = ListedWorkflow(message.workflow, status, is_unread)
        self._emit_changed()

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        self._newest.pop(message.workflow_id, None)
        # the second message of a discarded workflow finds it among the hidden ones
        was_there = self._rows.pop(message.workflow_id, None) is not None or message.workflow_id in self._hidden
        self._hidden.discard(message.workflow_id)
        if message.can_return:
            self._hidden.add(message.workflow_id)
        if was_there:
            self._emit_changed()

    def _on_event(self, event: Event) -> None:
        """Update the status of a workflow, which is that of its newest root run."""
        fact = event.fact
        if isinstance(fact, RunCreated) and fact.parent_run_id is None and fact.kind is not RunKind.RECORDING:
            self._newest[event.workflow_id] = event.run_id
        status = _STATUS.get(type(fact))
        if isinstance(fact, RunFinished):
            status = fact.status
        row = self._rows.get(event.workflow_id)
        is_newest = self._newest.get(event.workflow_id) == event.run_id
        if row is not None and status is not None and is_newest and row.status is not status:
            is_unread = status in UNREAD_STATUS
            self._rows[event.workflow_id] = replace(row, status=status, is_unread=is_unread)
            self._emit_changed()

    def _emit_changed(self) -> None:
        self._sorted_rows = None
        emit(self.changed)


UNREAD_STATUS = frozenset({RunStatus.SUCCESS, RunStatus.ERROR})
"""A run that ends so is news; what the user stopped is none."""
_STATUS: Mapping[type[Fact], RunStatus] = {
    RunCreated: RunStatus.ENQUEUED,
    RunStarted: RunStatus.RUNNING,
    RunWaiting: RunStatus.WAITING,
    RunResumed: RunStatus.RUNNING,
}
