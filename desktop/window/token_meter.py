"""How many tokens the viewed workflow has used, and how many its model still has room for (UI §5)."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.stores.usage import Usage
from core.stores.view_cache import ViewCache
from desktop.bind import Frames
from desktop.chat.token_bar.token_bar import TokenBar


class TokenMeter(QObject):
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
