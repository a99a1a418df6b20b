"""Small stores of the window: queued messages (UI §5), open recordings (UI §9) and the save indicator (UI §1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from psygnal import Signal

from core.bus import Bus, QueueChanged, SaveState, SaveStateChanged, WorkflowDeleted
from core.domain.events import Event, RunCreated, RunFinished, StepRecorded
from core.domain.ids import RunId, WorkflowId
from core.domain.messages import QueuedMessage, QueueHold
from core.domain.run import RunKind
from core.ports import Clock
from core.stores.base import CallLater, Store, emit


@dataclass(frozen=True, slots=True)
class Queue:
    """The queued messages of a workflow, next first. `held`: it does not continue by itself."""

    messages: Sequence[QueuedMessage] = ()
    held: QueueHold | None = None


EMPTY_QUEUE = Queue()


class Queues(Store):
    """Queues by workflow. `changed` is emitted when a queue changes."""

    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._queues: dict[WorkflowId, Queue] = {}
        self._subscribe(bus, QueueChanged, self._on_changed)
        self._subscribe(bus, WorkflowDeleted, self._on_deleted)

    def get(self, workflow_id: WorkflowId | None) -> Queue:
        """Return the queue of the workflow; empty if there is none."""
        return self._queues.get(workflow_id, EMPTY_QUEUE) if workflow_id is not None else EMPTY_QUEUE

    def _on_changed(self, message: QueueChanged) -> None:
        if message.messages:
            self._queues[message.workflow_id] = Queue(tuple(message.messages), message.held)
        else:
            self._queues.pop(message.workflow_id, None)
        emit(self.changed)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        if not message.can_return and self._queues.pop(message.workflow_id, None) is not None:
            emit(self.changed)


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
        self._subscribe(bus, Event, self._on_event, (RunCreated, StepRecorded, RunFinished))
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


SETTLE_S = 1.0
"""How long nothing may wait before it counts as saved: while an answer comes in, something waits twice a second."""


class SaveIndicator(Store):
    """`changed` is emitted when `saving` changes, or `code`, the reason of a failure."""

    changed = Signal()

    def __init__(self, bus: Bus, clock: Clock, call_later: CallLater) -> None:
        super().__init__()
        self.saving = SaveState.SAVED
        self.code: str | None = None
        self._clock = clock
        self._settles_at: float | None = None
        self._rings = False
        self._alarm = self._make_alarm(clock, call_later, self._on_alarm)
        self._subscribe(bus, SaveStateChanged, self._on_changed)

    def _on_changed(self, message: SaveStateChanged) -> None:
        if self.saving is not SaveState.WRITING or message.saving is SaveState.FAILED:
            self._set(message.saving, message.code)
        elif message.saving is SaveState.WRITING:
            self._settles_at = None
        else:  # a thousand times a second: the alarm that is set rings early, and is set again then
            self._settles_at = self._clock.monotonic() + SETTLE_S
            if not self._rings:
                self._ring_at(self._settles_at)

    def _ring_at(self, at: float | None) -> None:
        self._rings = at is not None
        self._alarm.set(at)

    def _on_alarm(self, now: float) -> None:
        self._rings = False
        if self._settles_at is not None and self._settles_at > now:
            self._ring_at(self._settles_at)
        elif self._settles_at is not None:
            self._set(SaveState.SAVED, None)

    def _set(self, saving: SaveState, code: str | None) -> None:
        self._settles_at = None
        self._ring_at(None)
        if (saving, code) != (self.saving, self.code):
            self.saving, self.code = saving, code
            emit(self.changed)
