"""The foot of the chat: the composer with what waits to be said, or in its place a card that asks a person (UI §3)."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.ids import InterruptionId, WorkflowId
from core.stores.questions import Questions
from core.stores.usage import Usage
from core.stores.view_cache import ViewCache
from core.stores.workflows import Workflows
from desktop.attention.card import AttentionCard
from desktop.bind import Frames
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.draft import DraftFile
from desktop.chat.composer.queue_strip import QueueStrip, WaitingMessage
from desktop.chat.composer.token_bar import TokenBar
from desktop.theme.theme import Theme
from desktop.window.base.workflow_strings import viewed_title
from desktop.window.conversation.input_card import InputCard


class Foot(QObject):
    """Gives the place to one of them, and each the height that the `pane` has for it. The text in the composer stays.

    `layout` is to be put at the end of the pane.
    """

    changed = Signal()
    """A part of it stands otherwise."""

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
        self.inputs = inputs
        self.queue = queue
        self.composer = composer
        self.layout = QHBoxLayout()
        self._slot = QVBoxLayout()
        for widget in (card, inputs, queue, composer, token_bar):
            self._slot.addWidget(widget)
        self.layout.addStretch(1)
        self.layout.addLayout(self._slot, 100)
        self.layout.addStretch(1)
        for watched in (card, inputs, queue, composer):
            watched.installEventFilter(self)
        queue.left.connect(self.focus_composer)

    def focus_composer(self) -> None:
        """A person wants to write; where something is asked for what they wrote, that comes first."""
        if self.inputs.is_open:
            self.inputs.take_focus()
            return
        self.show_composer()
        self.composer.focus_text()

    def show_composer(self) -> None:
        self.composer.show()
        self.queue.setVisible(bool(self.queue.waiting))

    def hide_composer(self) -> None:
        """A card has its place."""
        self.composer.hide()
        self.queue.hide()

    def ask_input(self, title: str, schema: Mapping[str, Any], *, runs: bool) -> None:
        """Ask in the place of the composer for what a template or a prompt needs (`InputCard.ask`)."""
        self.hide_composer()
        self.inputs.ask(title, schema, runs=runs)
        self.fit()

    def end_input(self) -> None:
        """It is answered or not wanted: the composer is there again, as it was."""
        self.inputs.put_away()
        self.show_composer()

    def take_up(self, text: str, files: Sequence[DraftFile]) -> None:
        """Have this written anew, before what is begun."""
        self.show_composer()
        self.composer.take_up(text, files)

    def show_queue(self, waiting: Sequence[WaitingMessage], reason: str) -> None:
        """What waits here, and why it does so where nothing is at work."""
        self.queue.show_queue(waiting, reason)
        self.queue.setVisible(bool(waiting) and not self.composer.isHidden())

    def apply_theme(self) -> None:
        """Take the sizes of the theme."""
        self._space()
        self._slot.setSpacing(self._theme.sizes.space_xs)
        self.fit()

    def fit(self) -> None:
        """The transcript keeps a few lines, and the composer its place if it is there."""
        sizes = self._theme.sizes
        margins = self.layout.contentsMargins()
        composer = 0
        if not self.composer.isHidden():
            composer = self.composer.height() + self._token_bar.height() + 2 * sizes.space_s
            composer += 0 if self.queue.isHidden() else self.queue.height() + sizes.space_xs
        kept = 2 * sizes.row + margins.top() + margins.bottom() + composer
        for card in (self._card, self.inputs):
            card.set_most_height(max(3 * sizes.row, self._pane.height() - kept))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Its parts come, go and grow."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            if watched is self.composer:
                self._token_bar.setVisible(not self.composer.isHidden())
                self._space()
            if watched in (self.composer, self.queue):
                self.fit()
            self.changed.emit()
        return False

    def _space(self) -> None:
        """A card does not touch the window's edge; below the composer there is the token bar."""
        sizes = self._theme.sizes
        below = sizes.space_l if self.composer.isHidden() else sizes.space_xs
        self.layout.setContentsMargins(sizes.space_l, sizes.space_xs, sizes.space_l, below)


class CardBinder(QObject):
    """What a person puts off stays pending, folded, until they ask for it; while they answer, the card has the whole
    foot. It is rendered while `pane` is seen."""

    def __init__(
        self,
        card: AttentionCard,
        foot: Foot,
        view: ViewCache,
        workflows: Workflows,
        questions: Questions,
        frames: Frames,
        pane: QWidget,
    ) -> None:
        super().__init__(pane)
        self._card = card
        self._foot = foot
        self._view = view
        self._workflows = workflows
        self._questions = questions
        self._put_off: set[WorkflowId] = set()
        card.put_off.connect(self._on_put_off)
        card.left.connect(foot.focus_composer)
        card.unfold_requested.connect(self._on_unfold)
        self._bind = frames.bind(pane, (view.changed, workflows.changed, questions.changed), self.show_now)

    def focus(self) -> bool:
        """A person wants to answer: the card takes the place, and the focus. False: nothing waits here."""
        self.show_now()
        if not self._card.is_wanted:
            return False
        self._put_off.discard(self._shown)
        self._foot.hide_composer()
        self._card.take_focus()
        self._foot.fit()
        return True

    def show_now(self) -> None:
        """What waits in the viewed workflow."""
        workflow_id, card, questions = self._view.workflow_id, self._card, self._questions
        asked = questions.get_questions_for_workflow(workflow_id) if workflow_id is not None else []
        is_other = workflow_id != card.workflow_id
        card.show_questions(workflow_id, viewed_title(self._view, self._workflows), asked, self._how_closed)
        card.keep({one.id for one in questions.all})
        self._put_off &= set(questions.workflows)
        card.fold(is_folded=workflow_id in self._put_off and bool(asked))
        if (is_other or not card.is_wanted) and not self._foot.inputs.is_open:
            self._foot.show_composer()

    def leave(self) -> None:
        """Hear nothing more of the stores."""
        self._bind.close()

    def _how_closed(self, question_id: InterruptionId) -> str | None:
        return self._questions.how_closed(self._shown, question_id)

    def _on_put_off(self) -> None:
        """Later: it makes room."""
        self._put_off.add(self._shown)
        self._card.fold(is_folded=True)
        self._foot.focus_composer()

    def _on_unfold(self) -> None:
        self.focus()

    @property
    def _shown(self) -> WorkflowId:
        return self._view.workflow_id or WorkflowId("")


class TokenBinder(QObject):
    """Binds the bar to the stores. It is rendered while `pane` is seen."""

    def __init__(self, bar: TokenBar, view: ViewCache, usage: Usage, frames: Frames, pane: QWidget) -> None:
        super().__init__(pane)
        self._bar = bar
        self._view = view
        self._usage = usage
        self._room: int | None = None
        self._bind = frames.bind(pane, (view.changed, usage.changed), self.show_now)

    def set_room(self, tokens: int | None) -> None:
        """What the model that answers next has for a conversation; None: it has no bounds."""
        self._room = tokens
        self.show_now()

    def show_now(self) -> None:
        self._bar.show_usage(self._usage.of(self._view.workflow_id), self._room)

    def leave(self) -> None:
        """Hear nothing more of the stores."""
        self._bind.close()
