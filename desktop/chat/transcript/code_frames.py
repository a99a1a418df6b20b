"""Code frames on stage: syntax colours, and pieces that scroll sideways together."""

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from core.domain.ids import MessageId
from desktop.chat.layout.blocks import CodeBlock
from desktop.chat.transcript.clipboard import source_of_group
from desktop.chat.transcript.stage import LiveBlock, Stage
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.view_context import Intents
from desktop.widgets.syntax import MAX_CODE_CHARACTERS, Spans, SyntaxScanner


class CodeHighlighter:
    """Requests the spans of a whole frame, since the meaning of a line may depend on any line above it."""

    def __init__(self, stage: Stage, syntax: SyntaxScanner) -> None:
        self._stage = stage
        self._syntax = syntax

    def color(self, live: LiveBlock) -> None:
        """Color a view that shows a new block, if its frame is complete."""
        block, view = live.block, live.view
        if not isinstance(block, CodeBlock) or not isinstance(view, CodeView) or not block.language:
            return
        layout = self._stage.layout_of(live)
        group = layout.cache.groups[block.group]
        # an unfinished string or comment would colour everything after it, and again with each token
        if group.is_complete and group.characters <= MAX_CODE_CHARACTERS:
            code = source_of_group(layout, block.group)
            self._syntax.ask(block.language, code, partial(_color_view, view, block))


def _color_view(view: CodeView, block: CodeBlock, spans: Spans) -> None:
    if isValid(view):  # it may be gone by the time the answer comes
        view.color(block, spans)


class CodeScrollSync(QObject):
    """Keeps the horizontal scroll position of each frame, also for pieces that come on stage later."""

    def __init__(self, stage: Stage, intents: Intents, parent: QObject) -> None:
        super().__init__(parent)
        self._stage = stage
        self._values: dict[tuple[MessageId, str], int] = {}
        self._is_moving = False
        intents.scroll_code.connect(self._on_scrolled)

    def apply(self) -> None:
        """Scroll the pieces on stage after a pass."""
        self._is_moving = True
        for live in self._stage.live_blocks():
            if isinstance(live.view, CodeView) and (key := self._key(live)) is not None:
                live.view.horizontalScrollBar().setValue(self._values.get(key, 0))
        self._is_moving = False

    def reset(self) -> None:
        """Forget all positions when another conversation is shown."""
        self._values.clear()

    def _on_scrolled(self, view: QWidget, value: int) -> None:
        if self._is_moving:
            return
        live = self._stage.live_of(view)
        if live is not None and (key := self._key(live)) is not None:
            self._values[key] = value
            self.apply()

    def _key(self, live: LiveBlock) -> tuple[MessageId, str] | None:
        """Return the key by the turn's id: its number changes when a turn is inserted before it."""
        return (self._stage.turn_of(live).id, live.block.group) if isinstance(live.block, CodeBlock) else None
