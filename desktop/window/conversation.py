"""The conversation of the viewed workflow in the transcript; where a person stood in each comes back (UI §3)."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.domain.events import ModelAsked, RunFinished
from core.domain.ids import MessageId, WorkflowId
from core.domain.message import Message, Role
from core.stores.view_cache import ViewCache
from core.stores.viewers import Batch
from desktop.bind import Frames
from desktop.chat.derivation import Turns, turn_of
from desktop.chat.position import AT_END, Position
from desktop.chat.transcript.transcript import Transcript
from desktop.window.blank import Blank

_ATTACHED_KEPT = 20
"""Messages whose attached texts stay in memory, once somebody wanted to see them."""


class Conversation(QObject):
    """Derives the turns from the store. It is rendered while `pane` is seen."""

    take_up_requested = Signal(object)
    """The Message is to be written anew, with what went along."""

    def __init__(self, transcript: Transcript, blank: Blank, view: ViewCache, frames: Frames, pane: QWidget) -> None:
        super().__init__(pane)
        self._transcript = transcript
        self._blank = blank
        self._view = view
        self._turns = Turns()
        self._shown: WorkflowId | None = None
        self._is_shown = False
        self._positions: dict[WorkflowId | None, Position] = {}
        self._attached: dict[MessageId, Sequence[str]] = {}
        transcript.edit_requested.connect(self._on_edit)
        self._bind = frames.bind(pane, view.changed, self.show_now)
        view.batch.connect(self._on_batch)

    def show_now(self) -> None:
        """The turns of the viewed workflow: where they are another one's, from where a person left them."""
        turns = self._turns.of(self._view.messages, self._view.run_of, self._texts_of)
        viewed = self._view.workflow_id
        self._blank.want(viewed is None)
        if viewed == self._shown and self._is_shown:
            self._transcript.set_turns(turns)
            return
        if self._is_shown:
            self._positions[self._shown] = self._transcript.position()
        self._shown, self._is_shown = viewed, True
        self._transcript.show_conversation(turns, self._positions.get(viewed, AT_END))

    def turns_below(self) -> int:
        """How many turns there were from where the person left the viewed workflow to its end; 0 at the end itself."""
        return self._positions.get(self._view.workflow_id, AT_END).below

    def show_attached(self, message_id: MessageId, texts: Sequence[str]) -> None:
        """What went along with a message, as somebody wanted to see."""
        self._attached[message_id] = texts
        if len(self._attached) > _ATTACHED_KEPT:
            del self._attached[next(iter(self._attached))]
        self.show_now()

    def edit_last(self) -> None:
        """What was said last is to be written anew."""
        self._take_up(next((one for one in reversed(self._view.messages) if one.role is Role.USER), None))

    def forget(self, workflow_ids: Iterable[WorkflowId]) -> None:
        """These are gone."""
        for one in workflow_ids:
            self._positions.pop(one, None)

    def leave(self) -> None:
        """Hear nothing more of the store."""
        self._bind.close()
        self._view.batch.disconnect(self._on_batch, missing_ok=True)

    def _on_edit(self, message_id: str) -> None:
        """A message of a person, or the one that this one answers, is to be written anew."""
        run = self._view.run_of(MessageId(message_id))
        wanted = {message_id, run.prompt_id if run is not None else None}
        self._take_up(next((one for one in self._view.messages if one.id in wanted and one.role is Role.USER), None))

    def _take_up(self, message: Message | None) -> None:
        if message is not None:
            self.take_up_requested.emit(message)

    def _on_batch(self, batch: Batch) -> None:
        """What happened in a run that is shown: its turn alone is derived anew, unless what is sent to the model may
        begin elsewhere now."""
        if self._view.workflow_id != self._shown:
            return
        if any(isinstance(event.fact, ModelAsked | RunFinished) for event in batch.events):
            self.show_now()
            return
        for message in reversed(self._view.messages):
            run = self._view.run_of(message.id)
            if run is not None and run.run_id == batch.run_id and run.message_id == message.id:
                self._transcript.update_turn(turn_of(message, run))
                break

    def _texts_of(self, message_id: MessageId) -> Sequence[str]:
        return self._attached.get(message_id, ())
