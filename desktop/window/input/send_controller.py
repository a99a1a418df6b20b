"""From the composer to the core: reads attached files, sends messages, and manages the queue."""

from dataclasses import replace

from core.domain.agent import AgentSelection
from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import Message, QueuedMessage, QueueHold, Role
from core.services.outcome import Failed
from desktop.chat.composer.draft import Draft
from desktop.chat.composer.queue_strip import WaitingMessage
from desktop.shortcuts.command import command
from desktop.translation import failure_text
from desktop.window.actions.retry_controller import RetryController
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import OutgoingMessage, StartSource
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.input.attachment_controller import AttachmentController, draft_files
from desktop.window.input.file_notes import FileNotes
from desktop.window.input.folder_choice import FolderChoice
from desktop.window.input.header_choices import AnsweringChoice
from desktop.window.input.mentions import Mentions
from desktop.window.input.server_offers import ServerOffers
from desktop.window.input.slash_commands import SlashCommands
from desktop.window.navigation.workflow_switcher import WorkflowOpener


class SendController(Controller):
    """Sends drafts and handles the queue. A draft belongs to the workflow that was viewed when the key was pressed."""

    def __init__(
        self,
        context: WindowContext,
        actions: WorkflowActions,
        chat: ChatPane,
        slash_commands: SlashCommands,
        answering: AnsweringChoice,
        attachments: AttachmentController,
    ) -> None:
        super().__init__(context)
        self._actions = actions
        self._chat = chat
        self._slash_commands = slash_commands
        self._answering = answering
        self._attachments = attachments
        chat.composer.send_requested.connect(self.send)
        queue = chat.queue
        queue.edit_requested.connect(self._edit)
        queue.send_requested.connect(self._send_queued)
        queue.remove_requested.connect(self._remove)
        queue.move_requested.connect(self._move)
        stores = context.stores
        signals = (stores.queues.changed, stores.view.changed, stores.background.changed)
        context.frames.bind(chat, signals, self.show_queue)

    def send(self, draft: Draft, interrupts: bool, queued: bool = False) -> None:
        """Send the draft to the viewed workflow; `queued`: its turn may wait for a free slot."""
        # all that depends on the viewed workflow is read now: another may be viewed once the files are read
        origin, selection = self._viewed, self._answering.for_new
        message = OutgoingMessage(draft.text, interrupts=interrupts, queued=queued)
        if draft.files:
            self._operations.run(self._send_with_files(draft, message, origin, selection), "read attached files")
        else:
            self._slash_commands.send(message, origin, selection)

    async def _send_with_files(
        self, draft: Draft, message: OutgoingMessage, origin: WorkflowId | None, selection: AgentSelection
    ) -> None:
        attached = await self._attachments.read(draft, origin)
        if isinstance(attached, str):
            self._actions.refused.emit(origin or "", attached)
        else:
            self._slash_commands.send(replace(message, attached=tuple(attached)), origin, selection)

    def resend(self, message: Message) -> None:
        """Send the message again in the viewed workflow, with its attachments."""
        self._operations.run(self._resend(message, self._viewed), "send again")

    async def _resend(self, message: Message, origin: WorkflowId | None) -> None:
        attached = await self._attachments.of_message(message)
        outgoing = OutgoingMessage(message.text, tuple(attached), source=StartSource.COMMAND)
        self._slash_commands.send(outgoing, origin, self._answering.for_new)

    @command("composer.send_now")
    def send_now(self) -> None:
        """Send the draft, or the first queued message if there is none, and stop the active turn."""
        waiting = self._stores.queues.get(self._viewed).messages
        if self._chat.composer.is_empty and waiting:
            self._send_queued(waiting[0].id)
        else:
            self._chat.composer.submit(interrupts=True)

    # The queue

    def show_queue(self) -> None:
        """Render the queue of the viewed workflow; called directly after a switch."""
        queue = self._stores.queues.get(self._viewed)
        execution = self._stores.view.execution
        is_active = execution is not None and execution.is_active
        waiting = [WaitingMessage(message.id, message.text, len(message.attachments)) for message in queue.messages]
        reason = self._reason(queue.held) if queue.held is not None and not is_active else ""
        self._chat.footer.show_queue(waiting, reason)

    def _edit(self, message_id: str) -> None:
        if (message := self._find(message_id)) is not None:
            self._operations.run(self._move_to_composer(message), "edit a queued message")

    def _remove(self, message_id: str) -> None:
        if (message := self._find(message_id)) is not None:
            take_back = self._core.queue.withdraw(message.workflow_id, message.id)
            self._operations.run(take_back, "remove a queued message", failure=self._fail_take_back)

    def _send_queued(self, message_id: str) -> None:
        if (message := self._find(message_id)) is not None:
            send_now = self._core.queue.send_now(message.workflow_id, message.id)
            self._operations.run(send_now, "send a queued message")

    def _move(self, message_id: str, index: int) -> None:
        if (message := self._find(message_id)) is not None:
            move = self._core.queue.move(message.workflow_id, message.id, index)
            self._operations.run(move, "move a queued message")

    async def _move_to_composer(self, message: QueuedMessage) -> None:
        """Move a queued message to the composer: saved there before it leaves the queue, so a crash loses nothing."""
        chat, workflow_id = self._chat, message.workflow_id
        attached = await self._attachments.of_message(_as_message(message))
        if workflow_id != self._viewed:
            return
        before = chat.composer.draft()
        chat.footer.prepend(message.text, draft_files(attached))
        await chat.drafts.flush()
        outcome = await self._core.queue.withdraw(workflow_id, message.id)
        if isinstance(outcome, Failed):
            if workflow_id == self._viewed:
                chat.composer.set_draft(before)
            self._fail_take_back(outcome)

    def _fail_take_back(self, failed: Failed) -> None:
        """Report a failure; a message that is no longer queued was sent meanwhile."""
        self._actions.fail(Failed("said_meanwhile", failed.message) if failed.code == "not_found" else failed)

    def _find(self, message_id: str) -> QueuedMessage | None:
        waiting = self._stores.queues.get(self._viewed).messages
        return next((message for message in waiting if message.id == MessageId(message_id)), None)

    def _reason(self, held: QueueHold) -> str:
        match held.code:
            case "turn_failed":
                return self.tr("The turn failed: messages wait until you send one, or the next turn succeeds")
            case "turn_stopped":
                return self.tr("The turn was stopped: messages wait until you send one, or the next turn succeeds")
            case "imported":
                return self.tr("These messages were imported: they wait until you send one, or the next turn succeeds")
            case _:
                return self.tr("Messages wait: {reason}").format(reason=failure_text(held.code, held.message))


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
        context: WindowContext,
        actions: WorkflowActions,
        retry: RetryController,
        chat: ChatPane,
        answering: AnsweringChoice,
        folders: FolderChoice,
        opener: WorkflowOpener,
    ) -> None:
        self.attachments = AttachmentController(context, chat, opener, folders)
        offers = ServerOffers(context, self.attachments)
        self.slash_commands = SlashCommands(context, actions, chat, opener, answering, folders, offers)
        self.forms = self.slash_commands.forms
        self.sender = SendController(context, actions, chat, self.slash_commands, answering, self.attachments)
        self.file_notes = FileNotes(context, chat, answering)
        self.mentions = Mentions(context, chat, answering, folders, self.attachments, self.slash_commands)
        drafts = chat.draft_controller
        for receive in (drafts.on_sent, answering.on_sent):
            actions.sent.connect(receive)
        actions.begun.connect(drafts.on_begun)
        actions.refused.connect(drafts.on_refused)
        retry.resend_requested.connect(self.sender.resend)

    def on_viewed(self) -> None:
        """Show the queue and input form of the workflow that is now viewed."""
        self.forms.on_viewed()
        self.sender.show_queue()
