"""Every workflow there is, the last changed first: what the section *Workflows* lists."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from psygnal import Signal

from core.bus import Bus, WorkflowChanged, WorkflowDeleted
from core.domain.events import Event, Fact, RunCreated, RunFinished, RunResumed, RunStarted, RunWaiting
from core.domain.ids import RunId, WorkflowId
from core.domain.run import RunKind, RunStatus
from core.domain.workflow import Workflow
from core.stores.listeners import tell


@dataclass(frozen=True, slots=True)
class ListedWorkflow:
    """A workflow with the status of its newest run, None without one."""

    workflow: Workflow
    status: RunStatus | None = None

    @property
    def title(self) -> str:
        return self.workflow.title


class Workflows:
    """The list. `changed` tells that a row came, went, or is another."""

    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        self._rows: dict[WorkflowId, ListedWorkflow] = {}
        self._newest: dict[WorkflowId, RunId] = {}
        self._subscriptions = (
            bus.subscribe(WorkflowChanged, self._on_changed),
            bus.subscribe(WorkflowDeleted, self._on_deleted),
            bus.subscribe(Event, self._on_event),
        )

    def close(self) -> None:
        """Hear nothing more."""
        for subscription in self._subscriptions:
            subscription.close()

    def load(self, rows: Iterable[ListedWorkflow]) -> None:
        """Take in what the store holds; what was heard of meanwhile is newer and stays."""
        self._rows = {**{row.workflow.id: row for row in rows}, **self._rows}
        tell(self.changed)

    @property
    def rows(self) -> list[ListedWorkflow]:
        return sorted(self._rows.values(), key=lambda row: row.workflow.updated_at, reverse=True)

    def get(self, workflow_id: WorkflowId) -> ListedWorkflow | None:
        return self._rows.get(workflow_id)

    def _on_changed(self, message: WorkflowChanged) -> None:
        known = self._rows.get(message.workflow.id)
        self._rows[message.workflow.id] = ListedWorkflow(message.workflow, known.status if known else None)
        tell(self.changed)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        self._newest.pop(message.workflow_id, None)
        if self._rows.pop(message.workflow_id, None) is not None:
            tell(self.changed)

    def _on_event(self, event: Event) -> None:
        """The status of a workflow is that of its newest run; what runs below that one shows in it."""
        fact = event.fact
        if isinstance(fact, RunCreated) and fact.parent_run_id is None and fact.kind is not RunKind.RECORDING:
            self._newest[event.workflow_id] = event.run_id
        status = _STATUS.get(type(fact))
        if isinstance(fact, RunFinished):
            status = fact.status
        row = self._rows.get(event.workflow_id)
        is_newest = self._newest.get(event.workflow_id) == event.run_id
        if row is not None and status is not None and is_newest and row.status is not status:
            self._rows[event.workflow_id] = replace(row, status=status)
            tell(self.changed)


_STATUS: Mapping[type[Fact], RunStatus] = {
    RunCreated: RunStatus.ENQUEUED,
    RunStarted: RunStatus.RUNNING,
    RunWaiting: RunStatus.WAITING,
    RunResumed: RunStatus.RUNNING,
}
