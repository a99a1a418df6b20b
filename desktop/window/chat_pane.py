"""The chat pane: the transcript, the composer and the card of what waits, bound to their stores.

Where a person stood in a workflow and what they had begun to write belong to the workflow: a switch puts
both away and takes out those of the other one (UI §3). The card stands over the composer, whose text stays; while a
person answers, it has the whole place.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.events import ModelAsked, RunFinished
from core.domain.ids import InterruptionId, MessageId, WorkflowId
from core.domain.message import Role
from core.ports.clock import Clock
from core.services.outcome import Failed
from core.stores.questions import Questions
from core.stores.usage import Usage
from core.stores.view_cache import ViewCache
from core.stores.viewers import Batch
from core.stores.workflows import Workflows
from desktop.aio import Tasks
from desktop.attention.card import AttentionCard
from desktop.bind import Frames
from desktop.chat.composer.completion import Completion
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.draft import ComposerState, Draft, DraftFile
from desktop.chat.composer.queue_strip import QueueStrip, Waiting
from desktop.chat.composer.text_box import History, local_files
from desktop.chat.derivation import Turns, turn_of
from desktop.chat.position import AT_END, Position
from desktop.chat.token_bar.token_bar import TokenBar
from desktop.chat.transcript.transcript import Transcript
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface
from desktop.window.blank import Blank
from desktop.window.drafts import Drafts
from desktop.window.input_card import InputCard
from desktop.window.outgoing import Outgoing
from desktop.window.title import viewed_title

_HISTORIES_KEPT = 20
_ATTACHED_KEPT = 20
"""Messages whose attached texts stay in memory, once somebody wanted to see them."""


class ChatPane(Adaptive, Surface):
    """Shows the viewed workflow; without one the composer begins a new one."""

    send_requested = Signal(object, bool)
    """The Draft, and whether the turn at work is to be stopped for it."""
    take_up_requested = Signal(object)
    """The Message is to be written anew, with what went along."""
    files_dropped = Signal(list)
    """The paths."""
    stop_requested = Signal()
    link_activated = Signal(str)
    retry_requested = Signal(str)
    answered = Signal(object, object)
    """A question, and what a person answers."""
    foot_changed = Signal()
    """The composer or the card stand otherwise."""

    def __init__(
        self,
        theme: Theme,
        frames: Frames,
        view: ViewCache,
        workflows: Workflows,
        questions: Questions,
        usage: Usage,
        clock: Clock,
        card_keys: QKeySequence,
        drafts_folder: Path,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("canvas", parent=parent)
        self._theme = theme
        self._view = view
        self._workflows = workflows
        self._questions = questions
        self._usage = usage
        self._room: int | None = None
        self._put_off: set[WorkflowId] = set()
        self._shown: WorkflowId | None = None
        self._is_shown = False
        self._turns = Turns()
        self._positions: dict[WorkflowId | None, Position] = {}
        self._histories: dict[WorkflowId | None, History] = {}
        self._known: set[WorkflowId] = set()
        self._attached: dict[MessageId, Sequence[str]] = {}
        self.drafts = Drafts(drafts_folder, tasks, self._current_draft, self)
        self.transcript = Transcript(theme, clock.now, self)
        self._blank = Blank(theme, self.transcript.viewport())
        self.card = AttentionCard(theme, clock.now, card_keys, self)
        self.queue = QueueStrip(theme, self)
        self.composer = Composer(theme, self)
        self.completion = Completion(theme, self.composer.text_box, self.composer, self)
        self.mentions = Completion(theme, self.composer.text_box, self.composer, self, "mentions")
        self.inputs = InputCard(theme, self)
        self.token_bar = TokenBar(theme, self)
        self._column = QVBoxLayout(self)
        self._head = QHBoxLayout()
        self._foot = QHBoxLayout()
        self._build()
        self._bind = frames.bind(self, (view.changed, workflows.changed), self._render)
        self._bind_card = frames.bind(self, (view.changed, workflows.changed, questions.changed), self._render_card)
        self._bind_tokens = frames.bind(self, (view.changed, usage.changed), self._render_tokens)
        view.batch.connect(self._on_batch)
        self.adapt_to(theme)

    def show_now(self) -> None:
        """Show the viewed workflow without waiting for the frame: a key was pressed, and the next belongs to it."""
        self._render()
        self._render_card()
        self._render_tokens()

    def turns_below(self) -> int:
        """How many turns there were from where the person left the viewed workflow to its end; 0 at the end itself."""
        return self._positions.get(self._view.workflow_id, AT_END).below

    def set_room(self, tokens: int | None) -> None:
        """What the model that answers next has for a conversation; None: it has no bounds."""
        self._room = tokens
        self._render_tokens()

    def put_above(self, bar: QWidget) -> None:
        """Have a bar at the right above the transcript, where it covers nothing."""
        self._head.addWidget(bar, 100)

    @property
    def is_completing(self) -> bool:
        """Whether a list of names is offered to who writes."""
        return self.completion.isVisible() or self.mentions.isVisible()

    def focus_composer(self) -> None:
        """A person wants to write; where something is asked for what they wrote, that comes first."""
        if self.inputs.is_open:
            self.inputs.take_focus()
            return
        self._show_composer()
        self.composer.focus_text()

    def clear_selection(self) -> bool:
        """Of the text that is written, where that has the focus, else of the conversation; false if there is none."""
        box = self.composer.text_box
        return (box.hasFocus() and box.clear_selection()) or self.transcript.clear_selection()

    def ask_input(self, title: str, schema: Mapping[str, Any], *, runs: bool) -> None:
        """Ask in the place of the composer for what a template or a prompt needs (`InputCard.ask`)."""
        self._hide_composer()
        self.inputs.ask(title, schema, runs=runs)
        self._limit_card()

    def end_input(self) -> None:
        """It is answered or not wanted: the composer is there again, as it was."""
        self.inputs.put_away()
        self._show_composer()

    def focus_card(self) -> bool:
        """A person wants to answer: the card takes the place, and the focus. False: nothing waits here."""
        self._render_card()
        if not self.card.is_wanted:
            return False
        self._put_off.discard(self._shown_workflow())
        self._hide_composer()
        self.card.take_focus()
        self._limit_card()
        return True

    def settle(self, question_id: InterruptionId, failed: Failed | None) -> None:
        """What became of an answer."""
        self.card.settle(question_id, failed)

    def leave(self) -> None:
        """Hear nothing more of the store."""
        self._bind.close()
        self._bind_card.close()
        self._bind_tokens.close()
        self._view.batch.disconnect(self._on_batch, missing_ok=True)

    def sending_worked(self, origin: str, said: Outgoing) -> None:
        """This message was taken in that workflow ("": in a new one), whatever is shown by now.

        What is written there may be another text: that of a message that was sent again stands in no composer.
        """
        said_in = WorkflowId(origin) if origin else None
        if self.drafts.get(said_in).is_said_by(said.text, said.hashes):
            self.drafts.put(said_in, Draft())
        if self._shown == said_in:
            self.composer.sending_worked(said.text, said.hashes)
        self.drafts.write_soon()

    def sending_failed(self, origin: str, reason: str) -> None:
        """A text was not taken in that workflow; another one's composer has nothing to say of it."""
        if self._shown == (WorkflowId(origin) if origin else None):
            self.composer.sending_failed(reason)

    def retranslate(self) -> None:
        self._render()

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._head.setContentsMargins(0, 0, sizes.space_m, 0)
        self._space_foot()
        self._slot.setSpacing(sizes.space_xs)
        self._limit_card()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._limit_card()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Files that are dropped anywhere here go along with what is written."""
        if files := local_files(event.mimeData()):
            event.acceptProposedAction()
            self.files_dropped.emit(files)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The card and the composer come, go and grow."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            if watched is self.composer:
                self.token_bar.setVisible(not self.composer.isHidden())
                self._space_foot()
            if watched in (self.composer, self.queue):
                self._limit_card()
            self.foot_changed.emit()
        return False

    def _build(self) -> None:
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._head.addStretch(1)
        self._column.addLayout(self._head)
        self._column.addWidget(self.transcript, 1)
        self._slot = QVBoxLayout()
        self._slot.addWidget(self.card)
        self._slot.addWidget(self.inputs)
        self._slot.addWidget(self.queue)
        self._slot.addWidget(self.composer)
        self._slot.addWidget(self.token_bar)
        self._foot.addStretch(1)
        self._foot.addLayout(self._slot, 100)
        self._foot.addStretch(1)
        for widget in (self.card, self.inputs, self.queue, self.composer):
            widget.installEventFilter(self)
        self.card.answered.connect(self.answered)
        self.card.put_off.connect(self._put_card_off)
        self.card.left.connect(self.focus_composer)
        self.card.unfold_requested.connect(self._unfold_card)
        self._column.addLayout(self._foot)
        self.composer.send_requested.connect(self.send_requested)
        self.composer.stop_requested.connect(self.stop_requested)
        self.transcript.link_activated.connect(self.link_activated)
        self.transcript.retry_requested.connect(self.retry_requested)
        self.transcript.edit_requested.connect(self._edit_asked)
        self.composer.edit_last_requested.connect(self._edit_last)
        self.composer.edited.connect(self.drafts.touch)
        self.composer.text_box.cursorPositionChanged.connect(self.drafts.touch)
        self.queue.left.connect(self.focus_composer)
        self.setAcceptDrops(True)

    def _render(self) -> None:
        shown = self._turns.of(self._view.messages, self._view.run_of, self._texts_of)
        workflow_id = self._view.workflow_id
        if workflow_id != self._shown or not self._is_shown:
            if self._is_shown:
                self._positions[self._shown] = self.transcript.position()
                self.drafts.put(self._shown, self.composer.draft())
                self._keep_history(self._shown, self.composer.put_away())
            self._shown, self._is_shown = workflow_id, True
            self.transcript.show_conversation(shown, self._positions.get(workflow_id, AT_END))
            self.composer.set_draft(self.drafts.get(workflow_id), self._histories.pop(workflow_id, None))
        else:
            self.transcript.set_turns(shown)
        self._blank.setVisible(workflow_id is None)
        self._forget_deleted()
        self._tell_composer()

    def _keep_history(self, workflow_id: WorkflowId | None, history: History) -> None:
        """Of the workflows that were lately viewed."""
        self._histories[workflow_id] = history
        if len(self._histories) > _HISTORIES_KEPT:
            del self._histories[next(iter(self._histories))]

    def _edit_asked(self, message_id: str) -> None:
        """A message of a person, or the one that this one answers, is to be written anew."""
        run = self._view.run_of(MessageId(message_id))
        wanted = {message_id, run.prompt_id if run is not None else None}
        asked = next((one for one in self._view.messages if one.id in wanted and one.role is Role.USER), None)
        if asked is not None:
            self.take_up_requested.emit(asked)

    def _edit_last(self) -> None:
        """The newest that waits, else the newest that was said."""
        if self.queue.waiting:
            self.queue.edit_requested.emit(self.queue.waiting[-1].id)
            return
        said = next((one for one in reversed(self._view.messages) if one.role is Role.USER), None)
        if said is not None:
            self.take_up_requested.emit(said)

    def take_up(self, text: str, files: Sequence[DraftFile]) -> None:
        """Have this written anew, before what is begun."""
        self._show_composer()
        self.composer.take_up(text, files)

    def show_queue(self, waiting: Sequence[Waiting], reason: str) -> None:
        """What waits here, and why it does so where nothing is at work."""
        self.queue.show_queue(waiting, reason)
        self.queue.setVisible(bool(waiting) and not self.composer.isHidden())

    def show_attached(self, message_id: MessageId, texts: Sequence[str]) -> None:
        """What went along with a message, as somebody wanted to see."""
        self._attached[message_id] = texts
        if len(self._attached) > _ATTACHED_KEPT:
            del self._attached[next(iter(self._attached))]
        self._render()

    def _texts_of(self, message_id: MessageId) -> Sequence[str]:
        return self._attached.get(message_id, ())

    async def load_drafts(self) -> None:
        """Show what was begun in the last life of the window, where nothing is begun in this one."""
        await self.drafts.load()
        if self._is_shown and self.composer.is_empty:
            self.composer.set_draft(self.drafts.get(self._shown))

    def forget_drafts_of_none(self) -> None:
        """What was begun in workflows that are gone by now goes too. To be called when those that are there are
        known."""
        if self._workflows.rows:
            self.drafts.forget([one for one in self.drafts.workflows if self._workflows.get(one) is None])

    def _current_draft(self) -> tuple[WorkflowId | None, Draft]:
        return self._shown, self.composer.draft() if self._is_shown else self.drafts.get(self._shown)

    def _forget_deleted(self) -> None:
        there = self._workflows.all_ids
        gone, self._known = self._known - there, there
        for one in gone:
            self._positions.pop(one, None)
            self._histories.pop(one, None)
        self.drafts.forget(gone)

    def _show_composer(self) -> None:
        self.composer.show()
        self.queue.setVisible(bool(self.queue.waiting))

    def _hide_composer(self) -> None:
        self.composer.hide()
        self.queue.hide()

    def _render_tokens(self) -> None:
        self.token_bar.show_usage(self._usage.of(self._view.workflow_id), self._room)

    # The card

    def _render_card(self) -> None:
        workflow_id = self._view.workflow_id
        asked = self._questions.get_questions_for_workflow(workflow_id) if workflow_id is not None else []
        is_other = workflow_id != self.card.workflow_id
        self.card.show_questions(workflow_id, viewed_title(self._view, self._workflows), asked, self._how_closed)
        self.card.keep({one.id for one in self._questions.all})
        self._put_off &= set(self._questions.workflows)
        self.card.fold(is_folded=workflow_id in self._put_off and bool(asked))
        if (is_other or not self.card.is_wanted) and not self.inputs.is_open:
            self._show_composer()

    def _how_closed(self, question_id: InterruptionId) -> str | None:
        return self._questions.how_closed(self._shown_workflow(), question_id)

    def _put_card_off(self) -> None:
        """Later: it stays pending, and makes room."""
        self._put_off.add(self._shown_workflow())
        self.card.fold(is_folded=True)
        self.focus_composer()

    def _unfold_card(self) -> None:
        self.focus_card()

    def _shown_workflow(self) -> WorkflowId:
        return self._view.workflow_id or WorkflowId("")

    def _space_foot(self) -> None:
        """A card does not touch the window's edge; below the composer there is the token bar."""
        sizes = self._theme.sizes
        below = sizes.space_l if self.composer.isHidden() else sizes.space_xs
        self._foot.setContentsMargins(sizes.space_l, sizes.space_xs, sizes.space_l, below)

    def _limit_card(self) -> None:
        """The transcript keeps a few lines, and the composer its place if it is there."""
        sizes = self._theme.sizes
        margins = self._foot.contentsMargins()
        composer = 0
        if not self.composer.isHidden():
            composer = self.composer.height() + self.token_bar.height() + 2 * sizes.space_s
            composer += 0 if self.queue.isHidden() else self.queue.height() + sizes.space_xs
        kept = 2 * sizes.row + margins.top() + margins.bottom() + composer
        for card in (self.card, self.inputs):
            card.set_most_height(max(3 * sizes.row, self.height() - kept))

    def _tell_composer(self) -> None:
        execution = self._view.execution
        is_running = execution is not None and execution.is_active
        self.composer.set_state(ComposerState(viewed_title(self._view, self._workflows), is_running))

    def _on_batch(self, batch: Batch) -> None:
        """What happened in a run that is shown: its turn alone is derived anew, unless what is sent to the model may
        begin elsewhere now."""
        if self._view.workflow_id != self._shown:
            return
        if any(isinstance(event.fact, ModelAsked | RunFinished) for event in batch.events):
            self._render()
            return
        for message in reversed(self._view.messages):
            run = self._view.run_of(message.id)
            if run is not None and run.run_id == batch.run_id and run.message_id == message.id:
                self.transcript.update_turn(turn_of(message, run))
                break
        self._tell_composer()
