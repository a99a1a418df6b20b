"""From the composer to the core: who reads what is written, each for what it finds in it."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.wiring import Core
from desktop.aio import Tasks
from desktop.bind import Frames
from desktop.theme.theme import Theme
from desktop.window.actions import Actions
from desktop.window.answering import AnsweringChoice
from desktop.window.attaching import Attaching
from desktop.window.chat_pane import ChatPane
from desktop.window.mentions import Mentions
from desktop.window.opening import Opening
from desktop.window.presenter import Presenter
from desktop.window.sending import Sending
from desktop.window.slashing import Slashing


class Composing:
    """Makes them, and lets each know those that it hands on to; what became of it comes back to the composer."""

    def __init__(
        self,
        core: Core,
        tasks: Tasks,
        presenter: Presenter,
        theme: Theme,
        frames: Frames,
        deeds: Actions,
        chat: ChatPane,
        answering: AnsweringChoice,
        opening: Opening,
        window: QWidget,
        parent: QObject,
    ) -> None:
        self.slashing = slashing = Slashing(core, tasks, deeds, chat.foot, chat.completion, opening, parent)
        self.attaching = attaching = Attaching(core, tasks, theme, chat, opening, window, parent)
        self.sending = Sending(core, tasks, presenter, frames, deeds, chat, slashing, answering, attaching, parent)
        deeds.sent.connect(chat.writing.sending_worked)
        deeds.begun.connect(chat.writing.begun)
        deeds.sent.connect(answering.on_sent)
        deeds.refused.connect(chat.writing.sending_failed)
        self.mentions = Mentions(core, tasks, chat, answering, attaching, parent)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {**self.attaching.by_command(), **self.sending.by_command()}

    def viewed_another(self) -> None:
        """What is asked, and what waits, belong to the workflow that is viewed."""
        self.slashing.viewed_another()
        self.sending.show_queue()
