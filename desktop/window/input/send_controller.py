"""From the composer to the core: reads attached files, sends messages, and manages the queue."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.app import Core
from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import Message, QueuedMessage, QueueHold, Role
from core.services.outcome import Failed
from desktop.aio import Tasks
from desktop.bind import Frames
from desktop.chat.composer.draft import Draft
from desktop.chat.composer.queue_strip import WaitingMessage
from desktop.theme.theme import Theme
from desktop.translation.failure_strings import failure_words
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import ErrorPresenter
from desktop.window.base.outgoing import OutgoingMessage
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.input.answering_choice import AnsweringChoice
from desktop.window.input.attachment_controller import AttachmentController, draft_files
from desktop.window.input.mentions import Mentions
from desktop.window.input.slash_commands import SlashCommands
from desktop.window.navigation.workflow_switcher import WorkflowOpener


class SendController(QObject):
    """Sends drafts and handles the queue. A draft belongs to the workflow that was viewed when the key was pressed."""

    def __init__(
        self,
        core: Core,
        tasks: Tasks,
        presenter: ErrorPresenter,
        frames: Frames,
        deeds: WorkflowActions,
        chat: ChatPane,
        slashing: SlashCommands,
        answering: AnsweringChoice,
        attaching: AttachmentController,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._core = core
        self._tasks = tasks
        self._presenter = presenter
        self._deeds = deeds
        self._chat = chat
        self._slashing = slashing
        self._answering = answering
        self._attaching = attaching
        chat.composer.send_requested.connect(self.send)
        deeds.say_requested.connect(self._say_again)
        queue = chat.queue
        queue.edit_requested.connect(self._edit)
        queue.send_requested.connect(self._send_waiting)
        queue.remove_requested.connect(self._remove)
        queue.move_requested.connect(self._move)
        stores = core.stores
        frames.bind(chat, (stores.queues.changed, stores.view.changed, stores.background.changed), self.show_queue)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"composer.send_now": self.send_now}

    def send(self, draft: Draft, interrupts: bool) -> None:
        """Send the draft to the viewed workflow."""
        origin = self._viewed
        if draft.files:
            self._tasks.spawn(self._send_with_files(draft, interrupts, origin), "read attached files")
        else:
            self._slashing.send(OutgoingMessage(draft.text, interrupts=interrupts), origin, self._answering.of_new)

    def send_now(self) -> None:
        """Send the draft, or the first queued message if there is none, and stop the active turn."""
        waiting = self._core.stores.queues.of(self._viewed).messages
        if self._chat.composer.is_empty and waiting:
            self._send_waiting(waiting[0].id)
        else:
            self._chat.composer.submit(interrupts=True)

    def show_queue(self) -> None:
        """Render the queue of the viewed workflow; called directly after a switch."""
        queue = self._core.stores.queues.of(self._viewed)
        execution = self._core.stores.view.execution
        is_at_work = execution is not None and execution.is_active
        waiting = [WaitingMessage(one.id, one.text, len(one.attachments)) for one in queue.messages]
        reason = self._reason(queue.held) if queue.held is not None and not is_at_work else ""
        self._chat.foot.show_queue(waiting, reason)

    # Doing

    async def _send_with_files(self, draft: Draft, interrupts: bool, origin: WorkflowId | None) -> None:
        answering = self._answering.of_new
        attached = await self._attaching.read(draft, origin)
        if isinstance(attached, str):
            self._deeds.refused.emit(origin or "", attached)
        else:
            self._slashing.send(OutgoingMessage(draft.text, tuple(attached), interrupts), origin, answering)

    def _say_again(self, message: Message) -> None:
        self._tasks.spawn(self._say(message, self._viewed), "send again")

    async def _say(self, message: Message, origin: WorkflowId | None) -> None:
        attached = await self._attaching.of_message(message)
        self._slashing.send(OutgoingMessage(message.text, tuple(attached)), origin, self._answering.of_new)

    # What waits

    def _edit(self, message_id: str) -> None:
        """Move a queued message to the composer: saved there before it leaves the queue, so a crash loses nothing."""
        found = self._find(message_id)
        if found is not None:
            self._tasks.spawn(self._take_back(found, is_wanted=True), "edit a message that waits")

    def _remove(self, message_id: str) -> None:
        found = self._find(message_id)
        if found is not None:
            self._tasks.spawn(self._take_back(found, is_wanted=False), "remove a message that waits")

    async def _take_back(self, message: QueuedMessage, *, is_wanted: bool) -> None:
        chat, workflow_id = self._chat, message.workflow_id
        before = chat.composer.draft()
        if is_wanted:
            attached = await self._attaching.of_message(_as_message(message))
            if workflow_id != self._viewed:
                return
            before = chat.composer.draft()
            chat.foot.take_up(message.text, draft_files(attached))
            await chat.drafts.flush()
        answer = await self._core.queue.take_back(workflow_id, message.id)
        if not isinstance(answer, Failed):
            return
        if is_wanted and workflow_id == self._viewed:
            chat.composer.set_draft(before)
        self._presenter.fail(Failed("said_meanwhile", answer.message) if answer.code == "not_found" else answer)

    def _send_waiting(self, message_id: str) -> None:
        found = self._find(message_id)
        if found is not None:
            self._tasks.spawn(self._do(found, None), "send a message that waits")

    def _move(self, message_id: str, place: int) -> None:
        found = self._find(message_id)
        if found is not None:
            self._tasks.spawn(self._do(found, place), "move a message that waits")

    async def _do(self, message: QueuedMessage, place: int | None) -> None:
        queue = self._core.queue
        if place is None:
            answer = await queue.send_now(message.workflow_id, message.id)
        else:
            answer = await queue.move(message.workflow_id, message.id, place)
        if isinstance(answer, Failed):
            self._presenter.fail(answer)

    def _find(self, message_id: str) -> QueuedMessage | None:
        waiting = self._core.stores.queues.of(self._viewed).messages
        return next((one for one in waiting if one.id == MessageId(message_id)), None)

    def _reason(self, held: QueueHold) -> str:
        match held.code:
            case "turn_failed":
                return self.tr("The turn failed: these wait until you send one, or the next turn succeeds")
            case "turn_stopped":
                return self.tr("The turn was stopped: these wait until you send one, or the next turn succeeds")
            case _:
                return self.tr("They wait: {reason}").format(reason=failure_words(held.code, held.message))

    @property
    def _viewed(self) -> WorkflowId | None:
        return self._core.stores.background.viewed_workflow_id


def _as_message(message: QueuedMessage) -> Message:
    return Message(
        message.id,
        message.workflow_id,
        Role.USER,
        message.text,
        message.created_at,
        attachments=message.attachments,
    )


class InputController:
    """Creates the controllers of the composer and connects them to each other."""

    def __init__(
        self,
        core: Core,
        tasks: Tasks,
        presenter: ErrorPresenter,
        theme: Theme,
        frames: Frames,
        deeds: WorkflowActions,
        chat: ChatPane,
        answering: AnsweringChoice,
        opening: WorkflowOpener,
        window: QWidget,
        parent: QObject,
    ) -> None:
        self.slashing = slashing = SlashCommands(core, tasks, deeds, chat.foot, chat.completion, opening, parent)
        self.attaching = attaching = AttachmentController(core, tasks, theme, chat, opening, window, parent)
        self.sending = SendController(
            core, tasks, presenter, frames, deeds, chat, slashing, answering, attaching, parent
        )
        deeds.sent.connect(chat.writing.sending_worked)
        deeds.begun.connect(chat.writing.begun)
        deeds.sent.connect(answering.on_sent)
        deeds.refused.connect(chat.writing.sending_failed)
        self.mentions = Mentions(core, tasks, chat, answering, attaching, parent)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {**self.attaching.by_command(), **self.sending.by_command()}

    def viewed_another(self) -> None:
        """Show the queue and input form of the workflow that is now viewed."""
        self.slashing.viewed_another()
        self.sending.show_queue()
