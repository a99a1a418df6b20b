"""The queued messages of each workflow, and why they are held: the chips above the composer (UI §5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from psygnal import Signal

from core.bus import Bus, QueueChanged, WorkflowDeleted
from core.domain.ids import WorkflowId
from core.domain.messages import QueuedMessage, QueueHold
from core.stores.base import Store, emit


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
