"""Layout of a single turn: its blocks and their heights, estimated until measured. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from desktop.chat.layout.block_builder import Folds, blocks_of
from desktop.chat.layout.blocks import Block, Card
from desktop.chat.layout.content_blocks import BlockCache
from desktop.chat.layout.metrics import (
    Heights,
    Insets,
    card_sides,
    estimated_height,
    estimated_turn_height,
    insets_of,
    is_card_header,
)
from desktop.chat.turn_parts import Turn
from desktop.tokens import Sizes


@dataclass(frozen=True, slots=True)
class AvailableArea:
    """The width and the sizes that all turns are laid out with."""

    width: int
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A card with its position in the turn. `header_height` is that of its caption; `last` is the last block in it."""

    card: Card
    left: int
    top: int
    right: int
    bottom: int
    header_height: int
    last: int


class TurnLayout:
    """A turn and its height. Most turns of a long conversation are never seen, so blocks are made on demand.

    Laying out again compares old and new blocks from the start: the common prefix keeps its measured heights, a block
    after it keeps its height by key, and only the remaining blocks are estimated. In a streaming turn of thousands of
    blocks the prefix is nearly everything.
    """

    def __init__(self, turn: Turn, area: AvailableArea) -> None:
        self.turn = turn
        self._memo: BlockCache | None = None
        self._room = area
        self._blocks: list[Block] | None = None
        self._insets: list[Insets] = []
        self._slots = _NO_SLOTS
        self._estimate = estimated_turn_height(turn, area.width, area.sizes)

    @property
    def height(self) -> int:
        """The height, including the space below the turn."""
        if self._blocks is None:
            return self._estimate
        return round(self._slots.total) + self._room.sizes.space_xl

    @property
    def cache(self) -> BlockCache:
        if self._memo is None:
            self._memo = BlockCache()
        return self._memo

    @property
    def blocks(self) -> Sequence[Block]:
        """The blocks in order; none before `lay_out`."""
        return self._blocks or ()

    @property
    def is_laid_out(self) -> bool:
        return self._blocks is not None

    def lay_out(self, folds: Folds) -> None:
        """Make the blocks, or update them after the turn or a fold has changed. Unchanged blocks keep their heights."""
        before = self._blocks or []
        if self._blocks is None:
            self._slots = Heights()
        self._blocks = blocks_of(self.turn, folds, self.cache)
        # a growing answer changes its last blocks only; comparing is far cheaper than measuring again
        same = _common_prefix(before, self._blocks)
        # blocks after the first change keep their heights by key: a fold above moves them, but does not resize them
        heights = {block.key: self.content_height(number) for number, block in enumerate(before[same:], same)}
        start = max(0, same - 1)  # what follows a block decides how it ends
        contents = [self.content_height(number) for number in range(start, same)]
        contents += [self._content_of(block, heights) for block in self._blocks[same:]]
        self._insets[start:] = self._insets_from(start)
        self._slots.replace(start, map(_slot_height, contents, self._insets[start:]))

    def change(self, turn: Turn, folds: Folds) -> None:
        """Set a new value of the same turn."""
        self.turn = turn
        if self._blocks is None:
            self._estimate = estimated_turn_height(turn, self._room.width, self._room.sizes)
        else:
            self.lay_out(folds)

    def set_area(self, area: AvailableArea) -> None:
        """Set another width or other sizes: the blocks stay, measured heights become estimates again."""
        self._room = area
        self._estimate = estimated_turn_height(self.turn, area.width, area.sizes)
        if self._blocks is not None:
            self._insets = self._insets_from(0)
            contents = [estimated_height(block, area.width, area.sizes) for block in self._blocks]
            self._slots.replace(0, map(_slot_height, contents, self._insets))

    def content_height(self, number: int) -> int:
        return round(self._slots[number]) - self._insets[number].height if self._slots[number] else 0

    def set_height(self, number: int, height: int) -> None:
        """Set the measured height of a block. A block without height takes no space at all."""
        self._slots.set(number, _slot_height(height, self._insets[number]))

    def insets(self, number: int) -> Insets:
        return self._insets[number]

    def top(self, number: int) -> int:
        """Return where the slot of a block begins, gap included; for the number of blocks, where the last slot ends."""
        return round(self._slots.top(number))

    def block_at(self, y: float) -> int:
        """Return the block whose slot contains `y`."""
        return self._slots.at(y)

    def cards(self, first: int, last: int) -> Iterable[PlacedCard]:
        """Yield the cards around the blocks from `first` to `last`, outermost first."""
        # at most two cards are nested: a frame of code within a card of lines
        for level in range(2):
            number = first
            while number <= last:
                cards = self.blocks[number].cards
                if level >= len(cards):
                    number += 1
                    continue
                placed = self._place_card(cards[level], number)
                yield placed
                number = placed.last + 1

    def _place_card(self, card: Card, number: int) -> PlacedCard:
        start = end = number
        # the card may begin and end outside of what is visible; its frame is painted as a whole
        while start > 0 and card in self.blocks[start - 1].cards:
            start -= 1
        while end + 1 < len(self.blocks) and card in self.blocks[end + 1].cards:
            end += 1
        block = self.blocks[start]
        left, right = card_sides(card, block, self._room.sizes)
        below = self._insets[end].below if card != self.blocks[end].cards[0] else 0
        return PlacedCard(
            card,
            left,
            self.top(start) + self._insets[start].gap,
            self._room.width - right,
            self.top(end + 1) - below,
            self.content_height(start) if is_card_header(block) else 0,
            end,
        )

    def _insets_from(self, start: int) -> list[Insets]:
        blocks = self._blocks or []
        own = blocks[start:]
        before = [blocks[start - 1] if start else None, *own]
        after = [*own[1:], None]
        return [insets_of(*three, self._room.sizes) for three in zip(before, own, after, strict=False)]

    def _content_of(self, block: Block, heights: dict[str, int]) -> int:
        return heights.get(block.key) or estimated_height(block, self._room.width, self._room.sizes)


_NO_SLOTS = Heights()
# Blocks compared by one slice comparison, which skips identical objects in C.
_COMPARED_AT_ONCE = 64


def _slot_height(content: int, insets: Insets) -> int:
    return content + insets.height if content else 0


def _common_prefix(before: Sequence[Block], after: Sequence[Block]) -> int:
    """Return the length of the common prefix. Nearly all of thousands of blocks are identical objects."""
    least = min(len(before), len(after))
    for start in range(0, least, _COMPARED_AT_ONCE):
        piece = slice(start, min(start + _COMPARED_AT_ONCE, least))
        if before[piece] != after[piece]:
            return next(number for number in range(start, least) if before[number] != after[number])
    return least
