"""Binds the transcript to the viewed workflow, with the hint that an empty conversation shows (UI §3, §10)."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QWidget

from core.domain.changed_files import ShownChange
from core.domain.events import ModelAsked, RunFinished
from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import Message, Role
from core.stores.watched_runs import Batch
from desktop.chat.derivation import TurnCache, derive_turn
from desktop.chat.transcript.transcript import Transcript
from desktop.chat.view_state import AT_END, ViewState
from desktop.theme import Icon, Theme
from desktop.widgets import EmptyState
from desktop.window.base.context import Controller, WindowContext

_GEOMETRY_EVENTS = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize)


class EmptyConversation(EmptyState):
    """A hint over all of `ground`, transparent to the mouse."""

    def __init__(self, theme: Theme, ground: QWidget) -> None:
        super().__init__(theme, Icon.MESSAGE_CIRCLE, ground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._is_wanted = False
        self._above: list[QWidget] = []
        self.hide()
        ground.installEventFilter(self)

    def set_wanted(self, is_wanted: bool) -> None:
        """Set whether the conversation is empty."""
        self._is_wanted = is_wanted
        self._appear()

    def yield_to(self, *above: QWidget) -> None:
        """Hide the hint while any of these widgets would cover its text."""
        self._above.extend(above)
        for widget in above:
            widget.installEventFilter(self)

    def retranslate(self) -> None:
        self.describe(
            self.tr("What would you like to do?"),
            self.tr(
                "Type a message below: / for a template or a prompt, @ for an agent, a model, a file or a resource of "
                "an MCP server."
            ),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched in self._above:
            if event.type() in _GEOMETRY_EVENTS:
                self._appear()
        elif event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
            self._appear()
        return False

    def _appear(self) -> None:
        is_below = any(self._is_below(widget) for widget in self._above if widget.isVisible())
        self.setVisible(self._is_wanted and self._has_room() and not is_below)

    def _has_room(self) -> bool:
        return self._column.totalMinimumHeightForWidth(self.width()) <= self.height()

    def _is_below(self, above: QWidget) -> bool:
        self._column.activate()  # else the geometries below are those before the last resize
        words = self._icon.geometry().united(self._text.geometry())
        corner = self.mapFromGlobal(above.mapToGlobal(QPoint(0, 0)))
        return words.intersects(QRect(corner, above.size()))


_MOST_CACHED = 20
"""Messages whose attached texts, or changed files, are cached after the user unfolded them."""

V = TypeVar("V")


class ConversationBinder(Controller):
    """Derives the turns of the viewed workflow from the store and restores its scroll position (UI §3).

    Rendered while `pane` is visible.
    """

    edit_requested = Signal(object)
    """The Message is to be edited, with its attachments."""

    def __init__(self, context: WindowContext, transcript: Transcript, hint: EmptyConversation, pane: QWidget) -> None:
        super().__init__(context, pane)
        self._transcript = transcript
        self._hint = hint
        self._view = context.stores.view
        self._turns = TurnCache()
        self._shown: WorkflowId | None = None
        self._is_shown = False
        self._positions: dict[WorkflowId | None, ViewState] = {}
        self._attached: dict[MessageId, Sequence[str]] = {}
        self._changes: dict[MessageId, Sequence[ShownChange]] = {}
        transcript.edit_requested.connect(self._on_edit)
        self._bind = context.frames.bind(pane, self._view.changed, self.show_now)
        self._view.batch.connect(self._on_batch)

    def show_now(self) -> None:
        """Render the turns of the viewed workflow; after a switch, at the scroll position of the last visit."""
        turns = self._turns.of(self._view.messages, self._view.run_of, self._texts_of, self._changes_of)
        viewed = self._view.workflow_id
        self._hint.set_wanted(viewed is None)
        if viewed == self._shown and self._is_shown:
            self._transcript.set_turns(turns)
            return
        if self._is_shown:
            self._positions[self._shown] = self._transcript.view_state()
        self._shown, self._is_shown = viewed, True
        self._transcript.show_conversation(turns, self._positions.get(viewed, AT_END))

    def turns_below(self) -> int:
        """Return the number of turns below the saved scroll position; 0 at the end."""
        return self._positions.get(self._view.workflow_id, AT_END).turns_below

    def show_attached(self, message_id: MessageId, texts: Sequence[str]) -> None:
        """Show the attached texts of a message that the user unfolded."""
        _remember(self._attached, message_id, texts)
        self.show_now()

    def show_changes(self, message_id: MessageId, changes: Sequence[ShownChange]) -> None:
        """Show the differences of the files that the run of a message has changed."""
        _remember(self._changes, message_id, changes)
        self.show_now()

    def edit_last(self) -> None:
        """Request editing of the user's last message."""
        self._request_edit(reversed(self._view.messages))

    def forget(self, workflow_ids: Iterable[WorkflowId]) -> None:
        """Drop the scroll positions of deleted workflows."""
        for workflow_id in workflow_ids:
            self._positions.pop(workflow_id, None)

    def close(self) -> None:
        """Disconnect from the store."""
        self._bind.close()
        self._view.batch.disconnect(self._on_batch, missing_ok=True)

    def _on_edit(self, message_id: str) -> None:
        """Request editing of a message of the user, or of the message that this answer belongs to."""
        run = self._view.run_of(MessageId(message_id))
        wanted = {message_id, run.prompt_id if run is not None else None}
        self._request_edit(message for message in self._view.messages if message.id in wanted)

    def _request_edit(self, messages: Iterable[Message]) -> None:
        """Request editing of the first message of the user."""
        message = next((message for message in messages if message.role is Role.USER), None)
        if message is not None:
            self.edit_requested.emit(message)

    def _on_batch(self, batch: Batch) -> None:
        """Render the turn of the run alone, unless the context sent to the model may now begin elsewhere."""
        if self._view.workflow_id != self._shown:
            return
        # these facts can move the mark where the context of the model begins, which is in another turn
        if any(isinstance(event.fact, ModelAsked | RunFinished) for event in batch.events):
            self.show_now()
            return
        for message in reversed(self._view.messages):  # from the end, where the active run is
            run = self._view.run_of(message.id)
            if run is not None and run.run_id == batch.run_id and run.message_id == message.id:
                self._transcript.update_turn(derive_turn(message, run))
                break

    def _texts_of(self, message_id: MessageId) -> Sequence[str]:
        return self._attached.get(message_id, ())

    def _changes_of(self, message_id: MessageId) -> Sequence[ShownChange]:
        return self._changes.get(message_id, ())


def _remember(cached: dict[MessageId, V], message_id: MessageId, loaded: V) -> None:
    """Cache what was loaded for a message, in place of the oldest."""
    cached.pop(message_id, None)
    cached[message_id] = loaded
    if len(cached) > _MOST_CACHED:
        del cached[next(iter(cached))]
