"""The chat pane: the transcript, and below it the composer or the card that asks the user."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.app import Stores
from core.domain.ids import WorkflowId
from core.ports.clock import Clock
from desktop.aio import Tasks
from desktop.attention.card import AttentionCard
from desktop.bind import Frames
from desktop.chat.composer.completion import CompletionPopup
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.queue_strip import QueueStrip
from desktop.chat.composer.text_box import local_files
from desktop.chat.composer.token_bar import TokenBar
from desktop.chat.transcript.transcript import Transcript
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface
from desktop.window.conversation.conversation_binder import ConversationBinder, EmptyConversation
from desktop.window.conversation.draft_controller import AnswerDrafts, DraftController
from desktop.window.conversation.footer import CardBinder, Foot, TokenBinder
from desktop.window.conversation.input_card import InputCard


class ChatPane(Adaptive, Surface):
    """Shows the viewed workflow; without any, the composer begins a new one. `drafts` is the folder of drafts."""

    files_dropped = Signal(list)
    """The paths."""

    def __init__(
        self,
        theme: Theme,
        frames: Frames,
        stores: Stores,
        clock: Clock,
        drafts: Path,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("canvas", parent=parent)
        self._theme = theme
        self._workflows = workflows = stores.workflows
        self._known: set[WorkflowId] = set()
        view = stores.view
        self.transcript = Transcript(theme, clock.now, self)
        self.card = AttentionCard(theme, clock.now, QKeySequence(), self)
        self.answers = AnswerDrafts(drafts.with_name("answers.json"), tasks, self.card, self)
        self.queue = QueueStrip(theme, self)
        self.composer = Composer(theme, self)
        self.completion = CompletionPopup(theme, self.composer.text_box, self.composer, self)
        self.mentions = CompletionPopup(theme, self.composer.text_box, self.composer, self, "mentions")
        self.inputs = InputCard(theme, self)
        self.token_bar = TokenBar(theme, self)
        self.foot = Foot(theme, self.card, self.inputs, self.queue, self.composer, self.token_bar, self)
        blank = EmptyConversation(theme, self.transcript.viewport())
        blank.give_way(self.completion, self.mentions)
        self.conversation = ConversationBinder(self.transcript, blank, view, frames, self)
        self.writing = DraftController(self.composer, drafts, tasks, view, workflows, frames, self)
        self.drafts = self.writing.drafts
        self._card_place = CardBinder(self.card, self.foot, view, workflows, stores.questions, frames, self)
        self.token_meter = TokenBinder(self.token_bar, view, stores.usage, frames, self)
        self._bind = frames.bind(self, workflows.changed, self._forget_deleted)
        self._head = QHBoxLayout()
        self._build()
        self.adapt_to(theme)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        transcript = self.transcript
        return {
            "focus.composer": self.focus_composer,
            "focus.attention": self.focus_card,
            "transcript.latest": transcript.jump_to_latest,
            "transcript.previous_message": partial(transcript.focus_turn, -1),
            "transcript.next_message": partial(transcript.focus_turn, 1),
            "transcript.copy_answer": transcript.copy_answer,
            "transcript.copy_code": transcript.copy_code,
        }

    def show_now(self) -> None:
        """Render the viewed workflow now instead of in the next frame: the next key press belongs to it."""
        for part in (self.conversation, self.writing, self._card_place, self.token_meter):
            part.show_now()

    def put_above(self, bar: QWidget) -> None:
        """Add a bar above the transcript, at the right."""
        self._head.addWidget(bar, 100)

    @property
    def is_completing(self) -> bool:
        """Whether a completion list is open."""
        return self.completion.isVisible() or self.mentions.isVisible()

    def focus_composer(self) -> None:
        """Focus the composer (`Foot.focus_composer`)."""
        self.foot.focus_composer()

    def focus_card(self) -> bool:
        """Focus the request card (`CardBinder.focus`)."""
        return self._card_place.focus()

    def clear_selection(self) -> bool:
        """Clear the selection of the focused composer, else of the transcript. Return False if there is none."""
        box = self.composer.text_box
        return (box.hasFocus() and box.clear_selection()) or self.transcript.clear_selection()

    def leave(self) -> None:
        """Disconnect from the stores."""
        self._bind.close()
        for part in (self.conversation, self.writing, self._card_place, self.token_meter):
            part.leave()

    def retranslate(self) -> None:
        self.conversation.show_now()
        self.writing.show_now()

    def apply_theme(self) -> None:
        self._head.setContentsMargins(0, 0, self._theme.sizes.space_m, 0)
        self.foot.apply_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.foot.fit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Attach files dropped anywhere on the pane."""
        if files := local_files(event.mimeData()):
            event.acceptProposedAction()
            self.files_dropped.emit(files)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._head.addStretch(1)
        column.addLayout(self._head)
        column.addWidget(self.transcript, 1)
        column.addLayout(self.foot.layout)
        self.composer.edit_last_requested.connect(self._edit_last)
        self.setAcceptDrops(True)

    def _edit_last(self) -> None:
        """Edit the newest queued message, else the newest message of the user."""
        if self.queue.messages:
            self.queue.edit_requested.emit(self.queue.messages[-1].id)
        else:
            self.conversation.edit_last()

    def _forget_deleted(self) -> None:
        there = self._workflows.all_ids
        gone, self._known = self._known - there, there
        self.conversation.forget(gone)
        self.writing.forget(gone)
