"""The footer of the chat: the composer with queue and token bar, or a card that asks the user (UI §3)."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from core.domain.ids import InterruptionId, WorkflowId
from core.domain.toast import ToastType
from desktop.attention.card import AttentionCard
from desktop.attention.request import Request
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.draft import DraftFile
from desktop.chat.composer.queue_strip import QueueStrip, WaitingMessage
from desktop.chat.composer.token_bar import TokenBar
from desktop.theme import Theme
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.workflow_strings import viewed_title
from desktop.window.conversation.input_card import InputCard
from desktop.window.conversation.limit_strip import LimitStrip, ReachedLimit
from desktop.window.conversation.model_offer import ModelOffer

_USUAL_PART = 0.6  # of the pane, for the card of a call


class Footer(QObject):
    """Shows either the composer or a card, and limits the heights to the space of `pane`.

    The text in the composer is preserved. `layout` belongs at the end of the pane.
    """

    changed = Signal()
    """A part moved, appeared or changed its size."""

    def __init__(
        self,
        theme: Theme,
        card: AttentionCard,
        inputs: InputCard,
        queue: QueueStrip,
        composer: Composer,
        token_bar: TokenBar,
        pane: QWidget,
    ) -> None:
        super().__init__(pane)
        self._theme = theme
        self._card = card
        self._token_bar = token_bar
        self._pane = pane
        self.limit = LimitStrip(theme, pane)
        self.offer = ModelOffer(theme, pane)
        self.inputs = inputs
        self.queue = queue
        self.composer = composer
        self.layout = QHBoxLayout()
        self._slot = QVBoxLayout()
        for widget in (self.offer, card, inputs, self.limit, queue, composer, token_bar):
            self._slot.addWidget(widget)
        self.layout.addStretch(1)
        self.layout.addLayout(self._slot, 100)
        self.layout.addStretch(1)
        for watched in (card, inputs, self.limit, queue, composer):
            watched.installEventFilter(self)
        queue.text_requested.connect(self.focus_composer)
        card.room_changed.connect(self.fit)
        self.limit.left.connect(self.focus_composer)

    def focus_composer(self) -> None:
        """Focus the composer, or the input form while it is open."""
        if self.inputs.is_open:
            self.inputs.take_focus()
            return
        self.show_composer()
        self.composer.focus_text()

    def show_composer(self) -> None:
        self.composer.show()
        self.queue.setVisible(bool(self.queue.messages))
        self._show_limit_if_any()

    def hide_composer(self) -> None:
        """Make room for a card."""
        self.composer.hide()
        self.queue.hide()
        self._show_limit_if_any()

    def ask_input(self, title: str, schema: Mapping[str, Any], *, runs: bool, takes_focus: bool = True) -> None:
        """Show the input form of a template or prompt instead of the composer (`InputCard.ask`)."""
        self.hide_composer()
        self.inputs.ask(title, schema, runs=runs, takes_focus=takes_focus)
        self._show_limit_if_any()
        self.fit()

    def end_input(self) -> None:
        """Close the input form and show the composer again."""
        self.inputs.close_form()
        self.show_composer()

    def prepend(self, text: str, files: Sequence[DraftFile]) -> None:
        """Insert text and files before the current draft."""
        self.show_composer()
        self.composer.prepend(text, files)

    def show_queue(self, waiting: Sequence[WaitingMessage], reason: str) -> None:
        """Show the queued messages, and the reason why they wait if no turn is active."""
        self.queue.show_queue(waiting, reason)
        self.queue.setVisible(bool(waiting) and not self.composer.isHidden())

    def show_limit(self, limit: ReachedLimit | None) -> None:
        """Show why a start has to wait; None if it need not."""
        self.limit.show_limit(limit)
        self._show_limit_if_any()

    def _show_limit_if_any(self) -> None:
        """Show the limit where the refused text or form is, not below a request."""
        has_place = not self.composer.isHidden() or self.inputs.is_open
        self.limit.setVisible(self.limit.limit is not None and has_place)

    def apply_theme(self) -> None:
        """Take the sizes of the theme."""
        self._space()
        self._slot.setSpacing(self._theme.sizes.space_xs)
        self.fit()

    def fit(self) -> None:
        """Limit the cards so that some lines of the transcript, and a visible composer, keep their space."""
        sizes = self._theme.sizes
        margins = self.layout.contentsMargins()
        # isHidden, not isVisible: the pane itself may be hidden while it is laid out
        composer = 0
        if not self.composer.isHidden():
            composer = self.composer.height() + self._token_bar.height() + 2 * sizes.space_s
            composer += 0 if self.queue.isHidden() else self.queue.height() + sizes.space_xs
        composer += 0 if self.limit.isHidden() else self.limit.height() + sizes.space_xs
        room = self._pane.height() - margins.top() - margins.bottom() - composer
        most = max(3 * sizes.row, room - 2 * sizes.row)
        self.inputs.set_max_height(most)
        if self._card.is_whole:
            self._card.set_max_height(max(3 * sizes.row, room))
        elif self._card.is_about_call:  # it may take more than its part to show some lines
            self._card.set_max_height(max(3 * sizes.row, room - sizes.row), round(_USUAL_PART * self._pane.height()))
        else:
            self._card.set_max_height(most)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit again when a part appears, disappears or changes its size."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            if watched is self.composer:  # the token bar belongs to it, and a card needs the margin below instead
                self._token_bar.setVisible(not self.composer.isHidden())
                self._space()
            if watched in (self.composer, self.limit, self.queue):
                self.fit()
            self.changed.emit()
        return False

    def _space(self) -> None:
        """Leave a margin below a card; below the composer there is the token bar."""
        sizes = self._theme.sizes
        below = sizes.space_l if self.composer.isHidden() else sizes.space_xs
        self.layout.setContentsMargins(sizes.space_l, sizes.space_xs, sizes.space_l, below)


class CardBinder(Controller):
    """Binds the request card of the viewed workflow: shows, postpones and resumes requests (UI §6).

    A postponed request stays pending, folded, until the user opens it. An open card takes the place of the composer.
    Rendered while `pane` is visible.
    """

    def __init__(self, context: WindowContext, card: AttentionCard, footer: Footer, pane: QWidget) -> None:
        super().__init__(context, pane)
        self._card = card
        self._footer = footer
        self._postponed: set[WorkflowId] = set()
        card.postponed.connect(self._on_put_off)
        card.emptied.connect(footer.focus_composer)
        card.unfold_requested.connect(self.focus)
        card.call_wanted.connect(self._describe_call)
        card.whole_wanted.connect(self.toggle_whole)
        stores = context.stores
        signals = (stores.view.changed, stores.workflows.changed, stores.questions.changed)
        self._bind = context.frames.bind(pane, signals, self.show_now)

    def close(self) -> None:
        self._bind.close()

    def focus(self) -> bool:
        """Open the card and focus it. Return False if no request is pending in the viewed workflow."""
        self.show_now()
        if not self._card.has_request:
            return False
        self._postponed.discard(self._shown)
        self._footer.hide_composer()
        self._card.take_focus()
        self._footer.fit()
        self._stores.toasts.dismiss_for_workflow(self._shown, ToastType.USER_QUESTION)
        return True

    def toggle_whole(self) -> bool:
        """Show the card in the whole pane, with the focus, or smaller again. Return False if no request is pending."""
        is_whole = self._card.is_whole and self._card.has_focus
        if not self._card.has_focus and not self.focus():
            return False
        self._card.show_whole(is_whole=not is_whole)
        return True

    def show_now(self) -> None:
        """Render the requests of the viewed workflow."""
        workflow_id, card, questions = self._stores.view.workflow_id, self._card, self._stores.questions
        asked = questions.get_questions_for_workflow(workflow_id) if workflow_id is not None else []
        is_other = workflow_id != card.workflow_id
        card.show_questions(workflow_id, viewed_title(self._stores), asked, self._how_closed)
        card.discard_closed({question.id for question in questions.all})
        self._postponed &= set(questions.workflows)
        card.fold(is_folded=workflow_id in self._postponed and bool(asked))
        # a switch shows the composer even if a request is pending: answering begins with `focus`
        if (is_other or not card.has_request) and not self._footer.inputs.is_open:
            self._footer.show_composer()

    def _describe_call(self, request: Request) -> None:
        question = request.question
        call = self._core.call_requests.describe_at_once(question.run_id, question.asked)
        if call is not None:
            request.show_call(call)
        else:
            self._context.tasks.spawn(self._describe(request), f"describe {question.id}")

    async def _describe(self, request: Request) -> None:
        call = await self._core.call_requests.describe(request.question.run_id, request.question.asked)
        if isValid(request):  # the request may have been closed meanwhile
            request.show_call(call)

    def _how_closed(self, question_id: InterruptionId) -> str | None:
        return self._stores.questions.how_closed(self._shown, question_id)

    def _on_put_off(self) -> None:
        """Fold the card and return to the composer."""
        self._postponed.add(self._shown)
        self._card.fold(is_folded=True)
        self._footer.focus_composer()

    @property
    def _shown(self) -> WorkflowId:
        return self._stores.view.workflow_id or WorkflowId("")


class TokenBinder(Controller):
    """Binds the token bar to the usage of the viewed workflow (UI §5). Rendered while `pane` is visible."""

    def __init__(self, context: WindowContext, bar: TokenBar, pane: QWidget) -> None:
        super().__init__(context, pane)
        self._bar = bar
        self._context_tokens: int | None = None
        self._is_assumed = False
        view, usage = context.stores.view, context.stores.usage
        self._bind = context.frames.bind(pane, (view.changed, usage.changed), self.show_now)

    def close(self) -> None:
        self._bind.close()

    def set_context_tokens(self, tokens: int | None, is_assumed: bool) -> None:
        """Set the context size of the next turn's model; None is unlimited. `is_assumed`: its window is not known."""
        self._context_tokens, self._is_assumed = tokens, is_assumed
        self.show_now()

    def show_now(self) -> None:
        usage = self._stores.usage.get(self._stores.view.workflow_id)
        self._bar.show_usage(usage, self._context_tokens, is_assumed=self._is_assumed)
