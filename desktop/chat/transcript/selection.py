"""The selection in the conversation: it spans blocks, and survives their recycling."""

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QWidget

from core.domain.text.hidden import reveal
from desktop.chat.layout.block_builder import blocks_of
from desktop.chat.layout.blocks import Block, CodeBlock, PlainBlock, ProseBlock
from desktop.chat.layout.column import BlockIndex
from desktop.chat.layout.content_blocks import BlockCache
from desktop.chat.layout.display_text import display_code, to_characters
from desktop.chat.transcript.clipboard import PARAGRAPH_BREAK
from desktop.chat.transcript.stage import LiveBlock, Stage
from desktop.chat.view_state import TextPosition
from desktop.chat.views.prose_style import MARKDOWN
from desktop.chat.views.text_view import TextView
from desktop.chat.views.view_context import Intents

_END = 1 << 30


class Selection:
    """From an anchor to a head; both None while nothing is selected.

    Qt selects within one view, this class across views: all between the two is selected entirely.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._anchor: TextPosition | None = None
        self._head: TextPosition | None = None

    @property
    def ends(self) -> tuple[TextPosition, TextPosition] | None:
        """Both ends, to be saved; None while nothing is selected."""
        return (self._anchor, self._head) if self._anchor and self._head and self._anchor != self._head else None

    def set_ends(self, marks: tuple[TextPosition, TextPosition] | None) -> None:
        """Restore saved ends. Views show them from the next `apply` on."""
        self._anchor, self._head = marks or (None, None)

    def begin(self, view: QWidget, *, extends: bool) -> None:
        """Begin or extend the selection where the mouse was pressed."""
        live = self._stage.live_of(view)
        if live is None or not isinstance(view, TextView):
            return
        cursor = view.textCursor()
        if extends and self._anchor is not None:
            self._head = self._mark(live, cursor.position())
        else:
            self._anchor, self._head = self._mark(live, cursor.anchor()), self._mark(live, cursor.position())
        self.apply(but=None if extends else view)

    def adopt_selection(self, view: QWidget) -> None:
        """Take over what the keyboard selected in one text."""
        live = self._stage.live_of(view)
        if live is not None and isinstance(view, TextView):
            cursor = view.textCursor()
            self._anchor, self._head = self._mark(live, cursor.anchor()), self._mark(live, cursor.position())
            self.apply(but=view)

    def extend_to(self, point: QPoint) -> None:
        """Extend the selection to the mouse, in global coordinates."""
        nearest = self._text_near(point)
        if nearest is not None and self._anchor is not None:
            live, view = nearest
            self._head = self._mark(live, view.position_at(point))
            self.apply()

    def select_all(self) -> None:
        column = self._stage.column
        if column.layouts:
            last = column.last_index()
            self._anchor = TextPosition(column.layouts[0].turn.id, column.block(BlockIndex(0, 0)).key, 0)
            self._head = TextPosition(column.layouts[last.turn].turn.id, column.block(last).key, _END)
            self.apply()

    def apply(self, but: TextView | None = None) -> None:
        """Show the selection in the views on stage, except in `but`, which Qt has updated itself."""
        span = self._span()
        for live in self._stage.live_blocks():
            if isinstance(live.view, TextView) and live.view is not but:
                part = span.part_of(live.block_index) if span is not None else None
                if part is None:
                    live.view.deselect()
                else:
                    live.view.select(*part)

    def short_text(self, max_characters: int) -> str:
        """Return the selected text if it is at most `max_characters` of one block, else an empty string."""
        marks = self.ends
        if marks is None:
            return ""
        first, last = marks
        is_short = (first.turn, first.key) == (last.turn, last.key) and abs(first.at - last.at) <= max_characters
        return self.text() if is_short else ""

    def text(self) -> str:
        """Return the selected text."""
        return "".join(self.pieces())

    def pieces(self) -> Iterator[str]:
        """Yield the selected text in pieces, since a long conversation takes time. Text that arrives meanwhile is not
        included.
        """
        span, column = self._span(), self._stage.column
        if span is None:
            return
        # live views know what they display exactly; other blocks are converted from their source
        on_stage = {
            live.block_index: live.view.selected_text()
            for live in self._stage.live_blocks()
            if isinstance(live.view, TextView)
        }
        layouts = column.layouts[span.first.turn : span.last.turn + 1]
        folds = [column.folds_of(layout.turn.id) for layout in layouts]
        before: Block | None = None
        is_first, begins_paragraph = True, False
        for turn, (layout, unfolded) in enumerate(zip(layouts, folds, strict=True), span.first.turn):
            # a throwaway cache: a selection of everything must not lay out and keep every turn
            blocks = layout.blocks if layout.is_laid_out else blocks_of(layout.turn, unfolded, BlockCache())
            for number, block in enumerate(blocks):
                index = BlockIndex(turn, number)
                part = span.part_of(index)
                if part is None:
                    continue
                text = on_stage[index] if index in on_stage else _text_of(block, *part)
                separator = _joint(before, block)
                if separator is None:
                    begins_paragraph = not is_first
                else:
                    text = separator + text
                if text:
                    yield PARAGRAPH_BREAK + text if begins_paragraph else text
                    is_first, begins_paragraph = False, False
                before = block

    def _span(self) -> "_Span | None":
        if self.ends is None:
            return None
        ends = []
        for mark in self.ends:
            index = self._stage.column.index_of(mark.turn, mark.key)
            if index is None:
                return None
            ends.append((index, mark.at))
        (first, start), (last, end) = sorted(ends)
        return _Span(first, start, last, end)

    def _text_near(self, point: QPoint) -> tuple[LiveBlock, TextView] | None:
        """Return the text view at a point, else the nearest above or below."""
        texts = [(live, live.view) for live in self._stage.live_blocks() if isinstance(live.view, TextView)]
        return min(texts, key=lambda text: _distance(text[1], point), default=None)

    def _mark(self, live: LiveBlock, at: int) -> TextPosition:
        return TextPosition(self._stage.turn_of(live).id, live.block.key, at)


class _Span(NamedTuple):
    """The ends in the order of the conversation."""

    first: BlockIndex
    start: int
    last: BlockIndex
    end: int

    def part_of(self, index: BlockIndex) -> tuple[int, int] | None:
        """Return the range that is selected in a block."""
        if not self.first <= index <= self.last:
            return None
        return self.start if index == self.first else 0, self.end if index == self.last else _END


def _joint(before: Block | None, block: Block) -> str | None:
    """Return what separates two pieces of one code frame and is shown by neither; None for other blocks."""
    if not isinstance(before, CodeBlock) or not isinstance(block, CodeBlock) or before.group != block.group:
        return None
    return "\n" if before.text.endswith("\n") else ""


def _text_of(block: Block, start: int, end: int) -> str:
    """Return a part of a block that has no view."""
    if isinstance(block, CodeBlock):
        code = display_code(block.text.removesuffix("\n"))
        return code.original(to_characters(code.text, start), to_characters(code.text, end))
    text = plain_text(block)
    return text[to_characters(text, start) : to_characters(text, end)]


def plain_text(block: Block) -> str:
    """Return the text of a prose block without its view; empty for other blocks."""
    match block:
        case PlainBlock(text=text):
            return text
        case ProseBlock(text=text, is_plain=is_plain):
            document = QTextDocument()
            if is_plain:
                document.setPlainText(reveal(text))
            else:
                document.setMarkdown(reveal(text), MARKDOWN)
            return document.toPlainText()
        case _:
            return ""


def _distance(view: QWidget, point: QPoint) -> int:
    inside = view.mapFromGlobal(point)
    return max(0, -inside.y(), inside.y() - view.height())


# Each step scrolls by the distance from the edge, divided by this.
_SCROLL_DIVISOR = 4


class SelectionGestures(QObject):
    """Turns input events of the views into one selection, and scrolls while it is dragged beyond an edge."""

    scrolled = Signal(int)
    """Scroll by this many pixels; down is positive."""
    pressed = Signal(QWidget)
    """The mouse is down in a view, which must stay live until the release."""
    released = Signal()

    def __init__(self, selection: Selection, intents: Intents, viewport: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._selection = selection
        self._viewport = viewport
        self._is_click = False
        intents.press.connect(self._on_press)
        intents.drag.connect(self._on_drag)
        intents.release.connect(self._on_release)
        intents.select.connect(self._on_select)

    def _on_press(self, view: QWidget, extends: bool) -> None:
        if isinstance(view, TextView):
            self._selection.begin(view, extends=extends)
            self._is_click = not extends
            self.pressed.emit(view)

    def _on_drag(self, _view: QWidget, mouse: QPoint) -> None:
        """Extend the selection. Emitted repeatedly while the mouse is beyond the edge of the text that it was pressed
        in.
        """
        self._is_click = False
        if distance := self._distance(mouse):
            self.scrolled.emit(distance // _SCROLL_DIVISOR or 1)
        self._selection.extend_to(mouse)

    def _on_release(self, view: QWidget) -> None:
        self.released.emit()
        if self._is_click:
            self._on_select(view)  # Qt gives up a selection that was clicked on only now

    def _on_select(self, view: QWidget) -> None:
        if isinstance(view, TextView):
            self._selection.adopt_selection(view)

    def _distance(self, mouse: QPoint) -> int:
        """Return how far the mouse is above (negative) or below the viewport."""
        y = self._viewport.mapFromGlobal(mouse).y()
        return min(y, 0) or max(0, y - self._viewport.height())
