"""The pieces of a long code frame scroll sideways as one, those that come on stage later too."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.ids import MessageId
from desktop.chat.layout.blocks import CodeBlock
from desktop.chat.transcript.stage import Live, Stage
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.intents import Intents


class Sideways(QObject):
    """Remembers how far each frame is scrolled."""

    def __init__(self, stage: Stage, intents: Intents, parent: QObject) -> None:
        super().__init__(parent)
        self._stage = stage
        self._values: dict[tuple[MessageId, str], int] = {}
        self._is_moving = False
        intents.scroll_code.connect(self._on_scrolled)

    def apply(self) -> None:
        """After a pass: whatever came on stage stands where its frame does."""
        self._is_moving = True
        for live in self._stage.live():
            if isinstance(live.view, CodeView) and (key := self._key(live)) is not None:
                live.view.horizontalScrollBar().setValue(self._values.get(key, 0))
        self._is_moving = False

    def reset(self) -> None:
        """Another conversation is shown."""
        self._values.clear()

    def _on_scrolled(self, view: QWidget, value: int) -> None:
        if self._is_moving:
            return
        live = self._stage.live_of(view)
        if live is not None and (key := self._key(live)) is not None:
            self._values[key] = value
            self.apply()

    def _key(self, live: Live) -> tuple[MessageId, str] | None:
        """By its turn's id: the number of a turn is another once one comes before it."""
        return (self._stage.turn_of(live).id, live.block.group) if isinstance(live.block, CodeBlock) else None
