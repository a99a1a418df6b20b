"""Messages that wait for the end of the current turn of their workflow (UI §5).

    add ──► waiting, stored ──(a turn succeeds)──► the first is sent: one transaction takes it from the queue and
                                                    creates its run, which has the message's id as its key
            └──(the turn fails or is stopped)──► held: messages stay until a turn succeeds or the user sends them now

They are sent by the process that has the window and calls `attend`; other processes leave them in the store.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any, Self

from core.bus import Bus, QueueChanged, WorkflowDeleted
from core.domain.events import Event, RunFinished
from core.domain.ids import MessageId, RunId, WorkflowId, new_id
from core.domain.messages import AttachedFile, QueuedMessage, QueueHold
from core.domain.run import ACTIVE_STATUSES, RunStatus
from core.engine.runs.engine import Engine
from core.errors import MetierError, NotFound, Refused, StorageFailed
from core.ports import Clock, OrderQueued, QueueMessage, Storage, UnqueueMessage
from core.services.attachments import attachment_writes, load_attached
from core.services.chat import ChatService, require_message
from core.services.lookup import require_workflow
from core.services.outcome import Failed, returns_outcome
from core.services.settings import SettingsService

log = logging.getLogger(__name__)

MAX_QUEUED = 50
"""Messages that wait in one workflow."""

_IMPORTED = QueueHold("imported")
_HOLD_REASONS = {RunStatus.ERROR: QueueHold("turn_failed"), RunStatus.CANCELLED: QueueHold("turn_stopped")}


class QueueService:
    """An async context manager; after it is closed nothing is sent. The operations of a workflow run one after the
    other.
    """

    def __init__(
        self, chat: ChatService, engine: Engine, storage: Storage, bus: Bus, clock: Clock, settings: SettingsService
    ) -> None:
        self._chat = chat
        self._engine = engine
        self._storage = storage
        self._bus = bus
        self._clock = clock
        self._settings = settings
        self._queues: dict[WorkflowId, list[QueuedMessage]] = {}
        self._holds: dict[WorkflowId, QueueHold] = {}
        self._locks: dict[WorkflowId, asyncio.Lock] = {}
        self._tasks_running: set[asyncio.Task[None]] = set()
        self._is_attending = False
        self._subscriptions = (
            bus.subscribe(Event, self._on_finished, (RunFinished,)),
            bus.subscribe(WorkflowDeleted, self._on_deleted),
        )

    async def __aenter__(self) -> Self:
        self._tasks = asyncio.TaskGroup()
        await self._tasks.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._is_attending = False
        for subscription in self._subscriptions:
            subscription.close()
        for chore in tuple(self._tasks_running):
            chore.cancel()
        # waits for the cancelled tasks, so that none touches a closed store
        await self._tasks.__aexit__(None, None, None)

    @returns_outcome
    async def start(self) -> None:
        """Load the stored messages, and send them from now on. Call it when runs are recovered."""
        # set before the store is read: what is added meanwhile is sent in any case
        self._is_attending = True
        for message in await self._storage.queued_messages.all():
            # a message may have been added while the store was read
            if self._find(message.workflow_id, message.id) is None:
                self._queues.setdefault(message.workflow_id, []).append(message)
        for workflow_id in tuple(self._queues):
            self._publish(workflow_id)
            self._spawn(self._send_next(workflow_id))

    def adopt(self, imported: Sequence[QueuedMessage]) -> None:
        """Hold imported messages, which are stored already, until the user sends them or a turn succeeds."""
        for message in imported:
            self._queues.setdefault(message.workflow_id, []).append(message)
        for workflow_id in {message.workflow_id for message in imported}:
            self._hold(workflow_id, _IMPORTED)

    @returns_outcome
    async def add(self, workflow_id: WorkflowId, text: str, attached: Sequence[AttachedFile] = ()) -> QueuedMessage:
        """Store a message that is sent after those before it, once the current turn has succeeded.

        Fails with `not_found`, `queue_full`, and the errors of `require_message`.
        """
        return await self._enqueue(workflow_id, text, attached)

    @returns_outcome
    async def interject(
        self, workflow_id: WorkflowId, text: str, attached: Sequence[AttachedFile] = ()
    ) -> QueuedMessage:
        """Stop the current turn and send this message before all that wait. It is stored when this returns; later
        errors hold the message and fail nothing.
        """
        # urgent: `_send_next` would send the message before this one if the turn ended just now
        added = await self._enqueue(workflow_id, text, attached, is_urgent=True)
        self._spawn(self._interject(added))
        return added

    @returns_outcome
    async def send_now(self, workflow_id: WorkflowId, message_id: MessageId) -> None:
        """Stop the current turn and send this waiting message. Does nothing if it no longer waits."""
        await self._send_at_once(workflow_id, message_id)

    @returns_outcome
    async def move(self, workflow_id: WorkflowId, message_id: MessageId, position: int) -> None:
        """Move a message to a position (from 0) in its queue. Does nothing if it no longer waits."""
        async with self._lock_of(workflow_id):
            await self._move(workflow_id, message_id, position)

    @returns_outcome
    async def withdraw(self, workflow_id: WorkflowId, message_id: MessageId) -> list[AttachedFile]:
        """Remove a message from the queue and return its attached texts. Fails with `not_found` if it was sent
        meanwhile.
        """
        async with self._lock_of(workflow_id):
            message = self._find(workflow_id, message_id)
            if message is None:
                raise NotFound("queued message", message_id)
            attached = await self._attached(message)
            await self._storage.commit([UnqueueMessage(workflow_id, message_id, with_texts=True)])
            self._drop(message)
            return attached

    # Sending

    async def _enqueue(
        self, workflow_id: WorkflowId, text: str, attached: Sequence[AttachedFile], *, is_urgent: bool = False
    ) -> QueuedMessage:
        require_message(text, attached)
        async with self._lock_of(workflow_id):
            waiting = self._queues.get(workflow_id, [])
            if len(waiting) >= MAX_QUEUED:
                raise Refused("queue_full", f"{MAX_QUEUED} messages wait already", limit=MAX_QUEUED)
            await require_workflow(self._storage, workflow_id)
            about = tuple(file.about for file in attached)
            message = QueuedMessage(MessageId(new_id("msg")), workflow_id, text, self._clock.now(), about)
            texts = attachment_writes(workflow_id, message.id, attached)
            await self._storage.commit([*texts, QueueMessage(message)])
            self._queues.setdefault(workflow_id, []).append(message)
        self._publish(workflow_id)
        if not is_urgent:
            self._spawn(self._send_next(workflow_id))  # the turn may have ended while it was written down
        return message

    async def _interject(self, message: QueuedMessage) -> None:
        try:
            await self._send_at_once(message.workflow_id, message.id)
        except MetierError as error:
            self._hold(message.workflow_id, QueueHold(error.code, error.message))

    async def _send_at_once(self, workflow_id: WorkflowId, message_id: MessageId) -> None:
        async with self._lock_of(workflow_id):
            if self._find(workflow_id, message_id) is None:
                return
            # first, on disk: if the process dies between cancel and send, the next start sends it first
            await self._move(workflow_id, message_id, 0)
            newest = await self._engine.newest(workflow_id)
            if newest is not None:  # even if it has ended: that may not have left the engine yet
                await self._engine.cancel(newest.id)
            await self._send_first(workflow_id)

    async def _send_next(self, workflow_id: WorkflowId, ended: RunId | None = None) -> None:
        """Send the next message if the newest run of the workflow has succeeded, else hold the queue. Do nothing while
        the run is active, or if `ended` is not the newest run.
        """
        # the event of the end is published before the run has left the engine, which would refuse a start
        if ended is not None:
            await self._engine.wait(ended)
        async with self._lock_of(workflow_id):
            if not self._is_attending or not self._queues.get(workflow_id):
                return
            newest = await self._engine.newest(workflow_id)
            # `ended` is not the newest run if the user has sent something else meanwhile: its end sends the queue
            if newest is not None and (newest.status in ACTIVE_STATUSES or ended not in (None, newest.id)):
                return
            if ended is None and self._queues[workflow_id][0].is_held:
                self._hold(workflow_id, _IMPORTED)
            elif newest is not None and (held := _HOLD_REASONS.get(newest.status)) is not None:
                if self._holds.get(workflow_id) in (None, *_HOLD_REASONS.values()):  # what refused the first says more
                    self._hold(workflow_id, held)
            else:
                await self._send_first(workflow_id)

    async def _send_first(self, workflow_id: WorkflowId) -> None:
        message = self._queues[workflow_id][0]
        try:
            attached = await self._attached(message)
        except MetierError as error:
            self._hold(workflow_id, QueueHold(error.code, error.message))
            return
        answer = await self._chat.send(
            message.text,
            workflow_id,
            mode=self._settings.current.validation_mode,
            gated=True,
            queued=True,
            attached=attached,
            queued_message=message,
        )
        if not isinstance(answer, Failed):
            self._holds.pop(workflow_id, None)
            self._drop(message)
        elif answer.code != "workflow_busy" and workflow_id in self._queues:  # busy: another turn began, and will end
            self._hold(workflow_id, QueueHold(answer.code, answer.message))

    async def _attached(self, message: QueuedMessage) -> list[AttachedFile]:
        if not message.attachments:
            return []
        attached = await load_attached(self._storage, message.workflow_id, message.id, message.attachments)
        # they are stored with their message in one transaction: if one is missing, the store is damaged
        if len(attached) != len(message.attachments):
            raise StorageFailed("storage_failed", "a file that goes along with the message is missing")
        return attached

    async def _move(self, workflow_id: WorkflowId, message_id: MessageId, position: int) -> None:
        message = self._find(workflow_id, message_id)
        if message is None:
            return
        waiting = [other for other in self._queues[workflow_id] if other is not message]
        waiting.insert(max(0, position), message)
        if waiting != self._queues[workflow_id]:
            await self._storage.commit([OrderQueued(workflow_id, tuple(other.id for other in waiting))])
            self._queues[workflow_id] = waiting
            self._publish(workflow_id)

    # State

    def _find(self, workflow_id: WorkflowId, message_id: MessageId) -> QueuedMessage | None:
        return next((message for message in self._queues.get(workflow_id, ()) if message.id == message_id), None)

    def _drop(self, message: QueuedMessage) -> None:
        workflow_id = message.workflow_id
        remaining = [other for other in self._queues.get(workflow_id, ()) if other.id != message.id]
        if remaining:
            self._queues[workflow_id] = remaining
        else:
            self._queues.pop(workflow_id, None)
            self._holds.pop(workflow_id, None)
        self._publish(workflow_id)

    def _hold(self, workflow_id: WorkflowId, held: QueueHold) -> None:
        self._holds[workflow_id] = held
        self._publish(workflow_id)

    def _publish(self, workflow_id: WorkflowId) -> None:
        waiting = tuple(self._queues.get(workflow_id, ()))
        self._bus.publish(QueueChanged(workflow_id, waiting, self._holds.get(workflow_id)))

    def _lock_of(self, workflow_id: WorkflowId) -> asyncio.Lock:
        return self._locks.setdefault(workflow_id, asyncio.Lock())

    def _on_finished(self, event: Event) -> None:
        if self._is_attending and self._queues.get(event.workflow_id):
            self._spawn(self._send_next(event.workflow_id, event.run_id))

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        # a discarded workflow keeps its queue, which its restoration continues
        if message.can_return:
            return
        self._queues.pop(message.workflow_id, None)
        self._holds.pop(message.workflow_id, None)
        self._locks.pop(message.workflow_id, None)

    def _spawn(self, chore: Coroutine[Any, Any, None]) -> None:
        task = self._tasks.create_task(_log_errors(chore))
        self._tasks_running.add(task)
        task.add_done_callback(self._tasks_running.discard)


async def _log_errors(chore: Coroutine[Any, Any, None]) -> None:
    """Log errors: what cannot be sent now is sent after the next turn, or at the next start."""
    try:
        await chore
    except MetierError as error:
        log.warning("messages wait, and cannot be looked at: %s", error.message)
    except Exception:
        log.exception("messages wait, and cannot be looked at")
