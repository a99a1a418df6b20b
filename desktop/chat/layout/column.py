"""All turns of a conversation, one below the other. Pure.

A conversation may have thousands of turns, of which a screen shows a few. Only turns that are asked for get blocks; the
heights of all others are estimates. When a block is measured, the difference moves what stands below it, which is why
scroll positions are kept as anchors (turn, block, offset) and not as pixels.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from core.domain.ids import MessageId
from desktop.chat.layout.block_builder import Folds
from desktop.chat.layout.blocks import Block
from desktop.chat.layout.metrics import Heights
from desktop.chat.layout.turn_layout import AvailableArea, TurnLayout
from desktop.chat.turn_parts import Turn
from desktop.chat.view_state import Fold, ScrollAnchor


class BlockIndex(NamedTuple):
    """A block by the numbers of its turn and of itself; compares in the order of the conversation."""

    turn: int
    block: int


_NO_FOLDS: Folds = {}


class Column:
    """The layouts of all turns, and the mapping between blocks and heights. Blocks are made on demand."""

    def __init__(self, area: AvailableArea) -> None:
        self.area = area
        self.layouts: list[TurnLayout] = []
        self.folds: dict[MessageId, dict[str, bool]] = {}
        self._heights = Heights()
        self._numbers: dict[MessageId, int] = {}

    # Content

    def show(self, turns: Sequence[Turn], folds: Iterable[Fold]) -> None:
        """Show another conversation, with the folds that were saved for it."""
        self.folds = {}
        for fold in folds:
            self.folds.setdefault(fold.turn, {})[fold.key] = fold.is_unfolded
        self.layouts = []
        self.set_turns(turns)

    def set_turns(self, turns: Sequence[Turn]) -> None:
        """Replace the turns; a turn that was shown before keeps its layout."""
        reusable = {layout.turn.id: layout for layout in self.layouts}
        self.layouts = [self._layout_of(turn, reusable) for turn in turns]
        self._numbers = {turn.id: number for number, turn in enumerate(turns)}
        self._measure_all()

    def set_turn(self, turn: Turn) -> int:
        """Update a turn, or append it if it is new. Return its number."""
        number = self._numbers.setdefault(turn.id, len(self.layouts))
        if number == len(self.layouts):
            self.layouts.append(TurnLayout(turn, self.area))
            self._heights.replace(number, [self.layouts[number].height])
        elif self.layouts[number].turn != turn:
            self.layouts[number].change(turn, self.folds_of(turn.id))
            self._heights.set(number, self.layouts[number].height)
        return number

    def set_area(self, area: AvailableArea) -> None:
        """Set another width or other sizes; every height becomes an estimate again."""
        self.area = area
        for layout in self.layouts:
            layout.set_area(area)
        self._measure_all()

    def folds_of(self, turn: MessageId) -> Folds:
        return self.folds.get(turn, _NO_FOLDS)

    def set_fold(self, turn: int, key: str, *, is_unfolded: bool) -> None:
        layout = self.layouts[turn]
        self.folds.setdefault(layout.turn.id, {})[key] = is_unfolded
        layout.lay_out(self.folds_of(layout.turn.id))
        self._heights.set(turn, layout.height)

    # Positions

    @property
    def height(self) -> int:
        return self.area.sizes.space_xl + round(self._heights.total) if self.layouts else 0

    def laid_out(self, turn: int) -> TurnLayout:
        """Return the layout of a turn, with blocks."""
        layout = self.layouts[turn]
        if not layout.is_laid_out:
            layout.lay_out(self.folds_of(layout.turn.id))
            self._heights.set(turn, layout.height)
        return layout

    def block(self, index: BlockIndex) -> Block:
        return self.laid_out(index.turn).blocks[index.block]

    def set_height(self, index: BlockIndex, height: int) -> None:
        layout = self.layouts[index.turn]
        layout.set_height(index.block, height)
        # the estimate gives way to the measured height: everything below moves by the difference
        self._heights.set(index.turn, layout.height)

    def turn_top(self, turn: int) -> int:
        return self.area.sizes.space_xl + round(self._heights.top(turn))

    def top(self, index: BlockIndex) -> int:
        """Return where the slot of a block begins, from the top of the conversation."""
        layout = self.laid_out(index.turn)
        return self.turn_top(index.turn) + layout.top(index.block)

    def index_at(self, y: float) -> BlockIndex:
        """Return the block at a height: the first block above all, the last below all. There must be a turn."""
        turn = self._heights.at(y - self.area.sizes.space_xl)
        layout = self.laid_out(turn)
        return BlockIndex(turn, layout.block_at(y - self.turn_top(turn)))

    def last_index(self) -> BlockIndex:
        turn = len(self.layouts) - 1
        return BlockIndex(turn, len(self.laid_out(turn).blocks) - 1)

    def previous(self, index: BlockIndex) -> BlockIndex | None:
        if index.block > 0:
            return BlockIndex(index.turn, index.block - 1)
        if index.turn == 0:
            return None
        return BlockIndex(index.turn - 1, len(self.laid_out(index.turn - 1).blocks) - 1)

    def following(self, index: BlockIndex) -> BlockIndex | None:
        if index.block + 1 < len(self.laid_out(index.turn).blocks):
            return BlockIndex(index.turn, index.block + 1)
        return BlockIndex(index.turn + 1, 0) if index.turn + 1 < len(self.layouts) else None

    def contains(self, turn: MessageId) -> bool:
        return turn in self._numbers

    def number_of(self, turn: MessageId) -> int:
        """Return the number of a turn. Raises KeyError for a turn that is not in the conversation."""
        return self._numbers[turn]

    def index_of(self, turn: MessageId, key: str) -> BlockIndex | None:
        """Return where a block is now: the beginning of its turn if the block is gone, None without the turn."""
        number = self._numbers.get(turn)
        if number is None:
            return None
        # a key outlives changes of the turn, a block's number does not: blocks come and go before it
        keys = (block.key for block in self.laid_out(number).blocks)
        return BlockIndex(number, next((index for index, reusable in enumerate(keys) if reusable == key), 0))

    def anchor_at(self, y: int) -> ScrollAnchor | None:
        """Return the anchor at a height, which finds the place again whatever the heights above become."""
        if not self.layouts:
            return None
        index = self.index_at(y)
        # the offset is relative to the block, so that it holds when heights above change
        return ScrollAnchor(self.layouts[index.turn].turn.id, self.block(index).key, y - self.top(index))

    def _layout_of(self, turn: Turn, reusable: Mapping[MessageId, TurnLayout]) -> TurnLayout:
        layout = reusable.get(turn.id)
        if layout is None:
            return TurnLayout(turn, self.area)
        if layout.turn is not turn and layout.turn != turn:
            layout.change(turn, self.folds_of(turn.id))
        return layout

    def _measure_all(self) -> None:
        self._heights = Heights(layout.height for layout in self.layouts)
