"""The open recordings by workflow and their number of steps: what the banner shows (UI §9)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from psygnal import Signal

from core.bus import Bus, WorkflowDeleted
from core.domain.events import Event, RunCreated, RunFinished, StepRecorded
from core.domain.ids import RunId, WorkflowId
from core.domain.run import RunKind
from core.stores.base import emit


@dataclass(frozen=True, slots=True)
class ListedRecording:
    """An open recording, with the number of its calls."""

    run_id: RunId
    workflow_id: WorkflowId
    steps: int = 0


class Recordings:
    """Open recordings by workflow. `changed` is emitted when a recording opens, closes or grows."""

    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        self._open: dict[WorkflowId, ListedRecording] = {}
        self._subscriptions = (
            bus.subscribe(Event, self._on_event),
            bus.subscribe(WorkflowDeleted, lambda message: self._forget(message.workflow_id)),
        )

    def close(self) -> None:
        """Close all subscriptions."""
        for subscription in self._subscriptions:
            subscription.close()

    def load(self, recordings: Iterable[ListedRecording]) -> None:
        """Add what the store holds; later events are newer and win."""
        self._open = {**{one.workflow_id: one for one in recordings}, **self._open}
        emit(self.changed)

    def get(self, workflow_id: WorkflowId | None) -> ListedRecording | None:
        """Return the open recording of the workflow."""
        return self._open.get(workflow_id) if workflow_id is not None else None

    def _on_event(self, event: Event) -> None:
        match event.fact:
            case RunCreated(kind=RunKind.RECORDING):
                self._open[event.workflow_id] = ListedRecording(event.run_id, event.workflow_id)
                emit(self.changed)
            case StepRecorded() if (known := self._of(event)) is not None:
                self._open[event.workflow_id] = replace(known, steps=known.steps + 1)
                emit(self.changed)
            case RunFinished() if self._of(event) is not None:
                self._forget(event.workflow_id)

    def _of(self, event: Event) -> ListedRecording | None:
        known = self._open.get(event.workflow_id)
        return known if known is not None and known.run_id == event.run_id else None

    def _forget(self, workflow_id: WorkflowId) -> None:
        if self._open.pop(workflow_id, None) is not None:
            emit(self.changed)
