"""The widgets of the blocks on screen: created, measured, placed and recycled."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from core.domain.ids import MessageId
from desktop.chat.layout.blocks import Block, CardKind, CodeBlock, CutOffBlock, FailureBlock, PlainBlock
from desktop.chat.layout.column import BlockIndex, Column
from desktop.chat.layout.turn_layout import PlacedCard, TurnLayout
from desktop.chat.transcript.turn_view import TurnView, hide_without_focus
from desktop.chat.turn_parts import Turn
from desktop.chat.views.prose_view import ProseView
from desktop.chat.views.view_context import BlockContext, ViewContext
from desktop.chat.views.view_factory import BlockView, ViewSlot

# Turn views kept for reuse: about as many as a screen holds, since a jump needs as many as it frees.
_MAX_SPARE_TURNS = 24
_NO_CONTEXT = BlockContext()


class LiveBlock(NamedTuple):
    """A block on screen or near it, with its view."""

    block_index: BlockIndex
    block: Block
    view: BlockView


class Stage:
    """Views for the blocks of `column` that a pass measures: a pass begins, measures, and ends.

    Widgets are expensive to create and cheap to reuse: turn views and slots of blocks that left the screen are kept, up
    to a limit, for the blocks that come in. `shown` is called when a view shows another block; `bindings` counts that.
    """

    def __init__(
        self, column: Column, context: ViewContext, viewport: QWidget, shown: Callable[[LiveBlock], object]
    ) -> None:
        self.column = column
        self.bindings = 0
        self._context = context
        self._viewport = viewport
        self._shown = shown
        self._turns: dict[MessageId, TurnView] = {}
        self._spare: list[TurnView] = []
        self._slots: dict[BlockIndex, ViewSlot] = {}
        self._live: dict[BlockIndex, LiveBlock] = {}
        self._begun: set[MessageId] = set()
        self._pinned: tuple[MessageId, str] | None = None

    # A pass over the visible blocks

    def begin(self) -> None:
        """Begin a pass: nothing is live, and turns of another conversation are recycled."""
        self._slots, self._live = {}, {}
        self._begun = set()
        # recycled first, so that the views of the previous conversation serve the next
        for turn in [turn for turn in self._turns if not self.column.contains(turn)]:
            self._recycle(self._turns.pop(turn))

    def measure(self, index: BlockIndex) -> int:
        """Put a block on stage. Return its height with the space around it."""
        layout = self.column.laid_out(index.turn)
        block, insets = layout.blocks[index.block], layout.insets(index.block)
        slot = self._turn_view(layout.turn.id).slot_of(block)
        live = self._live[index] = LiveBlock(index, block, slot.view)
        if slot.show(block, self._block_context(index, block)):
            self.bindings += 1
            self._shown(live)
        slot.fit(self._width(block) - insets.left - insets.right)
        self._slots[index] = slot
        self.column.set_height(index, slot.height)
        return layout.top(index.block + 1) - layout.top(index.block)

    def end(self, scrolled: int, left: int) -> None:
        """Place what was measured; `scrolled` is the height at the upper edge."""
        # a view that holds the mouse must survive, or Qt would send the release elsewhere
        if self._pinned is not None and (pinned := self.column.index_of(*self._pinned)) is not None:
            self.measure(pinned)
        for turn in [turn for turn in self._turns if turn not in self._begun]:
            self._recycle(self._turns.pop(turn))
        by_turn: dict[int, list[BlockIndex]] = {}
        for index in sorted(self._slots):
            by_turn.setdefault(index.turn, []).append(index)
        for number, indices in by_turn.items():
            self._place_turn(number, indices, scrolled, left)

    def pin(self, view: QWidget | None = None) -> None:
        """Keep this view live wherever it stands, until another view or None is pinned."""
        live = self.live_of(view) if view is not None else None
        self._pinned = (self.turn_of(live).id, live.block.key) if live is not None else None

    # Queries

    def live_blocks(self) -> Iterator[LiveBlock]:
        """Yield the live blocks from the top down, as of the last pass."""
        for index in sorted(self._live):
            yield self._live[index]

    def live_at(self, index: BlockIndex) -> LiveBlock | None:
        return self._live.get(index)

    def live_of(self, view: QWidget) -> LiveBlock | None:
        """Return the block that a view shows, if it is live."""
        return next((live for live in self._live.values() if live.view is view), None)

    def layout_of(self, live: LiveBlock) -> TurnLayout:
        """Return the layout of the turn of a live block."""
        return self.column.layouts[live.block_index.turn]

    def turn_of(self, live: LiveBlock) -> Turn:
        """Return the turn of a live block."""
        return self.layout_of(live).turn

    def turn_views(self) -> Iterator[TurnView]:
        """Yield the turn views from the top down."""
        for number in sorted({index.turn for index in self._slots}):
            yield self._turns[self.column.layouts[number].turn.id]

    def turn_view(self, turn: MessageId) -> TurnView | None:
        return self._turns.get(turn)

    def invalidate(self) -> None:
        """Show everything anew in the next pass, after a change of theme or language."""
        for view in (*self._turns.values(), *self._spare):
            view.invalidate()

    def _turn_view(self, turn: MessageId) -> TurnView:
        view = self._turns.get(turn)
        if view is None:
            view = self._turns[turn] = self._spare.pop() if self._spare else TurnView(self._context, self._viewport)
        if turn not in self._begun:
            self._begun.add(turn)
            view.begin(turn)
        return view

    def _block_context(self, index: BlockIndex, block: Block) -> BlockContext:
        if isinstance(block, CodeBlock):
            group = self.column.layouts[index.turn].cache.groups[block.group]
            return BlockContext(columns=group.columns, is_complete=group.is_complete)
        is_last = index.turn == len(self.column.layouts) - 1
        if isinstance(block, FailureBlock):
            return BlockContext(
                can_retry=block.failure.can_retry and is_last, can_edit=block.failure.can_edit and is_last
            )
        if isinstance(block, CutOffBlock):
            return BlockContext(can_retry=block.can_retry and is_last)
        return _NO_CONTEXT

    def _width(self, block: Block) -> int:
        area = self.column.area
        return min(area.width, area.sizes.user_bubble) if _is_bubble(block) else area.width

    def _place_turn(self, number: int, indices: list[BlockIndex], scrolled: int, left: int) -> None:
        layout, width = self.column.layouts[number], self.column.area.width
        bubble = self._bubble_width(number)
        for index in indices:
            slot, insets = self._slots[index], layout.insets(index.block)
            x, inner = insets.left, slot.width
            if _is_bubble(layout.blocks[index.block]):
                x, inner = width - bubble + insets.left, bubble - insets.left - insets.right
            slot.view.setGeometry(x, layout.top(index.block) + insets.gap + insets.top, inner, slot.height)
            slot.view.setVisible(slot.height > 0)
        turn_view = self._turns[layout.turn.id]
        cards = layout.cards(indices[0].block, indices[-1].block)
        turn_view.end(_narrow_bubble(card, bubble) for card in cards)
        turn_view.setGeometry(left, self.column.turn_top(number) - scrolled, width, layout.height)
        turn_view.show()

    def _bubble_width(self, number: int) -> int:
        """Return the width of a user's message: that of its text, or all of the column for a long text."""
        layout = self.column.layouts[number]
        first = layout.blocks[0]
        full = self._width(first)
        slot = self._slots.get(BlockIndex(number, 0))
        # the width of a text in several blocks is known only when all are measured
        is_long = len(layout.blocks) > 1 and _is_bubble(layout.blocks[1])
        if slot is None or is_long or not isinstance(slot.view, ProseView):
            return full
        insets = layout.insets(0)
        return min(full, slot.view.content_width() + insets.left + insets.right)

    def _recycle(self, view: TurnView) -> None:
        hide_without_focus(view, self._viewport)
        if len(self._spare) < _MAX_SPARE_TURNS:
            self._spare.append(view)
        else:
            view.deleteLater()


def _is_bubble(block: Block) -> bool:
    return isinstance(block, PlainBlock) and bool(block.cards)


def _narrow_bubble(card: PlacedCard, bubble: int) -> PlacedCard:
    return replace(card, left=card.right - bubble) if card.card.kind is CardKind.BUBBLE else card
