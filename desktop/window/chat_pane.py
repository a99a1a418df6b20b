"""The chat pane: the transcript, the composer and the card of what waits, bound to their stores.

Where a person stood in a workflow and what they had begun to write belong to the workflow: a switch puts
both away and takes out those of the other one (UI §3). The card stands over the composer, whose text stays; while a
person answers, it has the whole place.
"""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
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
from desktop.attention.card import AttentionCard
from desktop.bind import Frames
from desktop.chat.composer.completion import Completion
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.draft import ComposerState, Draft
from desktop.chat.derivation import turn_of, turns
from desktop.chat.position import AT_END, Position
from desktop.chat.token_bar.token_bar import TokenBar
from desktop.chat.transcript.transcript import Transcript
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface
from desktop.window.input_card import InputCard
from desktop.window.title import viewed_title


class ChatPane(Adaptive, Surface):
    """Shows the viewed workflow; without one the composer begins a new one."""

    send_requested = Signal(str)
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
        self._positions: dict[WorkflowId | None, Position] = {}
        self._drafts: dict[WorkflowId | None, Draft] = {}
        self.transcript = Transcript(theme, clock.now, self)
        self.card = AttentionCard(theme, clock.now, card_keys, self)
        self.composer = Composer(theme, self)
        self.completion = Completion(theme, self.composer.text_box, self.composer, self)
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

    def set_room(self, tokens: int | None) -> None:
        """What the model that answers next has for a conversation; None: it has no bounds."""
        self._room = tokens
        self._render_tokens()

    def put_above(self, bar: QWidget) -> None:
        """Have a bar at the right above the transcript, where it covers nothing."""
        self._head.addWidget(bar, 100)

    def focus_composer(self) -> None:
        """A person wants to write; where something is asked for what they wrote, that comes first."""
        if self.inputs.is_open:
            self.inputs.take_focus()
            return
        self.composer.show()
        self.composer.focus_text()

    def ask_input(self, title: str, schema: Mapping[str, Any], *, runs: bool) -> None:
        """Ask in the place of the composer for what a template or a prompt needs (`InputCard.ask`)."""
        self.composer.hide()
        self.inputs.ask(title, schema, runs=runs)
        self._limit_card()

    def end_input(self) -> None:
        """It is answered or not wanted: the composer is there again, as it was."""
        self.inputs.put_away()
        self.composer.show()

    def focus_card(self) -> bool:
        """A person wants to answer: the card takes the place, and the focus. False: nothing waits here."""
        self._render_card()
        if not self.card.is_wanted:
            return False
        self._put_off.discard(self._shown_workflow())
        self.composer.hide()
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

    def sending_worked(self, origin: str, text: str) -> None:
        """This text was taken in that workflow ("": in a new one), whatever is shown by now.

        What is written there may be another text: that of a message that was sent again stands in no composer.
        """
        said_in = WorkflowId(origin) if origin else None
        if said_in in self._drafts and self._drafts[said_in].text == text:
            del self._drafts[said_in]
        if self._shown == said_in:
            self.composer.sending_worked(text)

    def sending_failed(self, origin: str, reason: str) -> None:
        """A text was not taken in that workflow; another one's composer has nothing to say of it."""
        if self._shown == (WorkflowId(origin) if origin else None):
            self.composer.sending_failed(reason)

    def retranslate(self) -> None:
        self._render()

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._head.setContentsMargins(0, 0, sizes.space_m, 0)
        self._foot.setContentsMargins(sizes.space_l, sizes.space_xs, sizes.space_l, sizes.space_xs)
        self._slot.setSpacing(sizes.space_xs)
        self._limit_card()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._limit_card()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The card and the composer come, go and grow."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            if watched is self.composer:
                self.token_bar.setVisible(not self.composer.isHidden())
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
        self._slot.addWidget(self.composer)
        self._slot.addWidget(self.token_bar)
        self._foot.addStretch(1)
        self._foot.addLayout(self._slot, 100)
        self._foot.addStretch(1)
        for widget in (self.card, self.inputs, self.composer):
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

    def _render(self) -> None:
        shown = turns(self._view.messages, self._view.run_of)
        workflow_id = self._view.workflow_id
        if workflow_id != self._shown or not self._is_shown:
            if self._is_shown:
                self._positions[self._shown] = self.transcript.position()
                self._drafts[self._shown] = self.composer.draft()
            self._shown, self._is_shown = workflow_id, True
            self.transcript.show_conversation(shown, self._positions.get(workflow_id, AT_END))
            self.composer.set_draft(self._drafts.get(workflow_id, Draft()))
        else:
            self.transcript.set_turns(shown)
        self._forget_deleted()
        self._tell_composer()

    def _edit_asked(self, message_id: str) -> None:
        """The message that this one answers is to be written anew."""
        run = self._view.run_of(MessageId(message_id))
        asked = next((one for one in self._view.messages if run is not None and one.id == run.prompt_id), None)
        if asked is not None:
            self._take_up(asked.text)

    def _edit_last(self) -> None:
        said = next((one for one in reversed(self._view.messages) if one.role is Role.USER), None)
        if said is not None:
            self._take_up(said.text)

    def _take_up(self, text: str) -> None:
        self.composer.show()
        self.composer.take_up(text)

    def _forget_deleted(self) -> None:
        for kept in (self._positions, self._drafts):
            for one in [one for one in kept if one is not None and self._workflows.get(one) is None]:
                del kept[one]

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
            self.composer.show()

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

    def _limit_card(self) -> None:
        """The transcript keeps a few lines, and the composer its place if it is there."""
        sizes = self._theme.sizes
        margins = self._foot.contentsMargins()
        composer = 0
        if not self.composer.isHidden():
            composer = self.composer.height() + self.token_bar.height() + 2 * sizes.space_s
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
