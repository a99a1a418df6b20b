"""The chat pane: the transcript, and below it the composer or the card that asks the user."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.ids import WorkflowId
from desktop.attention.card import AttentionCard
from desktop.chat.composer.completion import CompletionPopup
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.draft import local_files
from desktop.chat.composer.queue_strip import QueueStrip
from desktop.chat.composer.token_bar import TokenBar
from desktop.chat.transcript.transcript import Transcript
from desktop.shortcuts.command import command
from desktop.widgets import Adaptive, Surface
from desktop.window.base.context import WindowContext
from desktop.window.conversation.conversation_binder import ConversationBinder, EmptyConversation
from desktop.window.conversation.draft_controller import AnswerDrafts, DraftController
from desktop.window.conversation.footer import CardBinder, Footer, TokenBinder
from desktop.window.conversation.input_card import InputCard
from desktop.window.conversation.model_offer import ModelOfferBinder


class ChatPane(Adaptive, Surface):
    """Shows the viewed workflow; without any, the composer begins a new one."""

    files_dropped = Signal(object)
    """The paths."""
    picture_dropped = Signal(object)
    """Carries the QImage."""

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__("canvas", parent=parent)
        self._theme = theme = context.theme
        self._workflows = context.stores.workflows
        self._known: set[WorkflowId] = set()
        now = context.core.clock.now
        self.transcript = Transcript(theme, now, self)
        self.card = AttentionCard(theme, now, QKeySequence(), self)
        self.answer_drafts = AnswerDrafts(context, self.card, self)
        self.queue = QueueStrip(theme, self)
        self.composer = Composer(theme, self)
        # two lists over one text box: a slash command at the beginning and a mention anywhere exclude each other
        self.completion = CompletionPopup(theme, self.composer.text_box, self.composer, self)
        self.mentions = CompletionPopup(theme, self.composer.text_box, self.composer, self, "mentions")
        self.inputs = InputCard(theme, self)
        self.token_bar = TokenBar(theme, self)
        self.footer = Footer(theme, self.card, self.inputs, self.queue, self.composer, self.token_bar, self)
        hint = EmptyConversation(theme, self.transcript.viewport())
        hint.yield_to(self.completion, self.mentions)
        self.conversation = ConversationBinder(context, self.transcript, hint, self)
        self.draft_controller = DraftController(context, self.composer, self)
        self.drafts = self.draft_controller.drafts
        self.card_binder = CardBinder(context, self.card, self.footer, self)
        self.token_binder = TokenBinder(context, self.token_bar, self)
        self._offer_binder = ModelOfferBinder(context, self.footer.offer, self)
        cards = (self.card_binder, self.token_binder, self._offer_binder)
        self._binders = (self.conversation, self.draft_controller, *cards)
        self._bind = context.frames.bind(self, self._workflows.changed, self._forget_deleted)
        self._header = QHBoxLayout()
        self._build()
        self.adapt_to(theme)

    def show_now(self) -> None:
        """Render the viewed workflow now instead of in the next frame: the next key press belongs to it."""
        for binder in self._binders:
            binder.show_now()

    def settle(self) -> None:
        """Drop the drafts of workflows that are gone. Everything is loaded."""
        # not with the next frame: a workflow deleted before that would never have been known
        self._forget_deleted()
        self.draft_controller.forget_orphans()

    def put_above(self, bar: QWidget) -> None:
        """Add a bar above the transcript, at the right."""
        self._header.addWidget(bar, 100)

    @property
    def is_completing(self) -> bool:
        """Whether a completion list is open."""
        return self.completion.isVisible() or self.mentions.isVisible()

    @command("focus.composer")
    def focus_composer(self) -> None:
        """Focus the composer (`Footer.focus_composer`)."""
        self.footer.focus_composer()

    @command("focus.attention")
    def focus_card(self) -> bool:
        """Focus the request card (`CardBinder.focus`)."""
        return self.card_binder.focus()

    @command("attention.whole")
    def show_whole_card(self) -> bool:
        """Show the request card in the whole pane, or no longer (`CardBinder.toggle_whole`)."""
        return self.card_binder.toggle_whole()

    def clear_selection(self) -> bool:
        """Clear the selection of the focused composer, else of the transcript. Return False if there is none."""
        box = self.composer.text_box
        return (box.hasFocus() and box.clear_selection()) or self.transcript.clear_selection()

    def disconnect_stores(self) -> None:
        self._bind.close()
        for binder in self._binders:
            binder.close()

    def retranslate(self) -> None:
        self.conversation.show_now()
        self.draft_controller.show_now()

    def apply_theme(self) -> None:
        self._header.setContentsMargins(0, 0, self._theme.sizes.space_m, 0)
        self.footer.apply_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.footer.fit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()) or event.mimeData().hasImage():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Attach files dropped anywhere on the pane."""
        if files := local_files(event.mimeData()):
            event.acceptProposedAction()
            self.files_dropped.emit(files)
        elif event.mimeData().hasImage():
            event.acceptProposedAction()
            self.picture_dropped.emit(event.mimeData().imageData())

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._header.addStretch(1)
        column.addLayout(self._header)
        column.addWidget(self.transcript, 1)
        self.transcript.setMinimumHeight(1)  # a card may take the whole pane
        column.addLayout(self.footer.layout)
        self.composer.edit_last_requested.connect(self._edit_last)
        self.setAcceptDrops(True)

    def _edit_last(self) -> None:
        """Edit the newest queued message, else the newest message of the user."""
        if self.queue.messages:
            self.queue.edit_requested.emit(self.queue.messages[-1].id)
        else:
            self.conversation.edit_last()

    def _forget_deleted(self) -> None:
        existing = self._workflows.all_ids
        deleted, self._known = self._known - existing, existing
        self.conversation.forget(deleted)
        self.draft_controller.forget(deleted)
