"""Colours the code that comes on stage, once all of its frame is there."""

from functools import partial

from shiboken6 import isValid

from desktop.chat.layout.blocks import CodeBlock
from desktop.chat.transcript.copying import source_of_group
from desktop.chat.transcript.stage import Live, Stage
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.syntax import MOST_CHARACTERS, Spans, Syntax


class Coloring:
    """Asks `syntax` for the whole of a frame, since what a line means may depend on any line above it."""

    def __init__(self, stage: Stage, syntax: Syntax) -> None:
        self._stage = stage
        self._syntax = syntax

    def color(self, live: Live) -> None:
        """A view shows something new."""
        block, view = live.block, live.view
        if not isinstance(block, CodeBlock) or not isinstance(view, CodeView) or not block.language:
            return
        layout = self._stage.column.layouts[live.place.turn]
        group = layout.memo.groups[block.group]
        if group.is_complete and group.characters <= MOST_CHARACTERS:
            code = source_of_group(layout, block.group)
            self._syntax.ask(block.language, code, partial(_paint, view, block))


def _paint(view: CodeView, block: CodeBlock, spans: Spans) -> None:
    if isValid(view):  # it may be gone by the time the answer comes
        view.color(block, spans)
