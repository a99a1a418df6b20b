"""The foot of the chat: the composer with what waits to be said, or in its place a card that asks a person (UI §3)."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.attention.card import AttentionCard
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.draft import DraftFile
from desktop.chat.composer.queue_strip import QueueStrip, Waiting
from desktop.chat.token_bar.token_bar import TokenBar
from desktop.theme.theme import Theme
from desktop.window.input_card import InputCard


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

    def show_queue(self, waiting: Sequence[Waiting], reason: str) -> None:
        """What waits here, and why it does so where nothing is at work."""
        self.queue.show_queue(waiting, reason)
        self.queue.setVisible(bool(waiting) and not self.composer.isHidden())

    def dress(self) -> None:
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
