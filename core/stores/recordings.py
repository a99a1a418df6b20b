"""The open recordings by workflow and their number of steps: what the banner shows (UI §9)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from psygnal import Signal

from core.bus import Bus, WorkflowDeleted
from core.domain.events import Event, RunCreated, RunFinished, StepRecorded
from core.domain.ids import RunId, WorkflowId
from core.domain.run import RunKind
from core.stores.base import Store, emit


@dataclass(frozen=True, slots=True)
class ListedRecording:
    """An open recording, with the number of its calls."""

    run_id: RunId
    workflow_id: WorkflowId
    steps: int = 0


class Recordings(Store):
    """Open recordings by workflow. `changed` is emitted when a recording opens, closes or grows."""

    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._open: dict[WorkflowId, ListedRecording] = {}
        self._subscribe(bus, Event, self._on_event)
        self._subscribe(bus, WorkflowDeleted, lambda message: self._forget(message.workflow_id))

    def load(self, recordings: Iterable[ListedRecording]) -> None:
        """Add what the store holds; later events are newer and win."""
        # events may have come in while the store was read
        self._open = {**{recording.workflow_id: recording for recording in recordings}, **self._open}
        emit(self.changed)

    def get(self, workflow_id: WorkflowId | None) -> ListedRecording | None:
        """Return the open recording of the workflow."""
        return self._open.get(workflow_id) if workflow_id is not None else None

    def _on_event(self, event: Event) -> None:
        match event.fact:
            case RunCreated(kind=RunKind.RECORDING):
                self._open[event.workflow_id] = ListedRecording(event.run_id, event.workflow_id)
                emit(self.changed)
            case StepRecorded() if (known := self._recording_of(event)) is not None:
                self._open[event.workflow_id] = replace(known, steps=known.steps + 1)
                emit(self.changed)
            case RunFinished() if self._recording_of(event) is not None:
                self._forget(event.workflow_id)

    def _recording_of(self, event: Event) -> ListedRecording | None:
        known = self._open.get(event.workflow_id)
        return known if known is not None and known.run_id == event.run_id else None

    def _forget(self, workflow_id: WorkflowId) -> None:
        if self._open.pop(workflow_id, None) is not None:
            emit(self.changed)
