"""Insets and estimated heights of blocks. Pure; lengths in device-independent pixels.

An estimate decides only the length of the scroll bar and where a jump lands: it must be cheap (no font is asked) and
roughly right, since every block is measured before it is painted.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from desktop.chat.layout.blocks import (
    Block,
    CaptionBlock,
    CaptionKind,
    Card,
    CardKind,
    CodeBlock,
    FileBlock,
    HeaderBlock,
    PicturesBlock,
    PlainBlock,
    ProseBlock,
    SubAgentBlock,
    ToolBlock,
)
from desktop.chat.layout.picture_layout import picture_boxes, pictures_height
from desktop.chat.turn_parts import Output, Pictures, Steps, SubAgents, Text, ToolCalls, Turn
from desktop.tokens import Sizes

_CHARACTER_WIDTH = 0.48  # of the text's size: what a letter of Inter takes on average
_NATURAL_LINE = 1.21
_NATURAL_CODE_LINE = 1.32


@dataclass(frozen=True, slots=True)
class Insets:
    """The space around a block: `gap` above its card, `top` and `bottom` within it, `below` under the inner of two
    cards.
    """

    left: int
    right: int
    gap: int
    top: int
    bottom: int
    below: int

    @property
    def height(self) -> int:
        return self.gap + self.top + self.bottom + self.below


def insets_of(before: Block | None, block: Block, after: Block | None, sizes: Sizes) -> Insets:
    """Return the insets of a block; `before` and `after` are its neighbours in the turn."""
    opened = [card for card in block.cards if before is None or card not in before.cards]
    closed = [card for card in block.cards if after is None or card not in after.cards]
    inner = block.cards[-1] if block.cards else None
    left, right = _sides(block, inner, sizes)
    return Insets(
        left,
        right,
        0 if before is None else _gap(before, block, sizes),
        _top_padding(inner, sizes) if inner in opened else 0,
        _bottom_padding(inner, sizes) if inner in closed else 0,
        sizes.space_m if block.nesting.depth > (after.nesting.depth if after is not None else 0) else 0,
    )


def card_sides(card: Card, block: Block, sizes: Sizes) -> tuple[int, int]:
    """Return the left and right distance of a card around `block` from the edges of its turn."""
    return _depth_sides(block, sizes) if card != block.cards[0] else (0, 0)


def estimated_height(block: Block, width: int, sizes: Sizes) -> int:
    """Return the height of a block's content before it is measured."""
    match block:
        case ProseBlock(text=text) | PlainBlock(text=text):
            room = min(width, sizes.user_bubble) if isinstance(block, PlainBlock) and block.cards else width
            return _text_height(text, room, sizes)
        case CodeBlock(text=text):
            line = sizes.text_m * _NATURAL_CODE_LINE * sizes.code_line
            return ceil((text.rstrip("\n").count("\n") + 1) * line)
        case HeaderBlock():
            return sizes.icon_m
        case PicturesBlock(pictures=pictures, is_right=is_right):
            return pictures_height(picture_boxes(pictures, width, sizes, is_right=is_right))
        case CaptionBlock():
            return sizes.control
        case _:
            return sizes.tool_line


def estimated_turn_height(turn: Turn, width: int, sizes: Sizes) -> int:
    """Return the height of a turn without blocks."""
    height = sizes.space_xl
    for part in turn.parts:
        match part:
            case Text(text=text) | Output(text=text):
                height += _text_height(text, width, sizes)
            case Pictures(items=items):
                height += pictures_height(picture_boxes(items, width, sizes, is_right=True)) + sizes.space_m
            case ToolCalls(lines=lines) | Steps(lines=lines) | SubAgents(lines=lines):
                height += len(lines) * sizes.tool_line
            case _:
                height += sizes.tool_line
    return height


def _text_height(text: str, width: int, sizes: Sizes) -> int:
    # average letter widths stand in for font metrics, which are too slow for thousands of turns
    columns = max(10.0, width / (sizes.text_l * _CHARACTER_WIDTH))
    # a line break adds about half a line, since the line that it ends is partly filled
    lines = text.count("\n") * 0.6 + len(text) / columns + 1
    return ceil(lines * sizes.text_l * _NATURAL_LINE * sizes.body_line)


def _depth_sides(block: Block, sizes: Sizes) -> tuple[int, int]:
    """Return the sides of a detail, aligned with the text of the line that unfolds it."""
    depth = block.nesting.depth
    return (sizes.space_m + depth * (sizes.icon_s + sizes.space_s + 2), sizes.space_m) if depth else (0, 0)


def _gap(before: Block, block: Block, sizes: Sizes) -> int:
    is_detail = block.nesting.depth > 0 and not isinstance(block, FileBlock | ToolBlock | SubAgentBlock)
    if block.cards and before.cards:
        if block.cards == before.cards:
            return sizes.space_s if is_card_header(before) else sizes.space_xs if is_detail else 0
        if block.cards[0] == before.cards[0]:
            return sizes.space_s if is_detail else 0
    if isinstance(before, HeaderBlock | ProseBlock):
        return sizes.space_s
    begins_section = isinstance(block, ProseBlock) and block.text.startswith("#")
    return sizes.space_l if begins_section else sizes.space_m


def _sides(block: Block, inner: Card | None, sizes: Sizes) -> tuple[int, int]:
    left, right = _depth_sides(block, sizes)
    if isinstance(block, FileBlock | ToolBlock | SubAgentBlock) and block.nesting.depth:
        left, right = left - sizes.space_m, 0  # its sign stands under the words above
    if inner is None:
        return left, right
    match inner.kind:
        case CardKind.BUBBLE | CardKind.FAILURE:
            return left + sizes.space_l, right + sizes.space_l
        case CardKind.CODE if not is_card_header(block):
            return left + sizes.space_m + 2, right + sizes.space_m + 2
        case _:
            return left, right


def _top_padding(card: Card | None, sizes: Sizes) -> int:
    return sizes.space_m if card is not None and card.kind in (CardKind.BUBBLE, CardKind.FAILURE) else 0


def _bottom_padding(card: Card | None, sizes: Sizes) -> int:
    match card.kind if card is not None else None:
        case CardKind.BUBBLE | CardKind.CODE:
            return sizes.space_xs  # a text's last line has room below it already
        case CardKind.FAILURE:
            return sizes.space_m
        case _:
            return 0


def is_card_header(block: Block) -> bool:
    """Return whether the block is the header of a frame."""
    return isinstance(block, CaptionBlock) and block.kind in (CaptionKind.CODE, CaptionKind.TABLE)


class Heights:
    """A column of heights with cached offsets.

    The offsets are valid up to the first changed height and extended on demand: reading is O(1), a search is a
    bisection, and a change near the end, where an answer streams, invalidates almost nothing.
    """

    def __init__(self, heights: Iterable[float] = ()) -> None:
        self._heights = list(heights)
        self._tops = [0.0]  # right as far as it goes

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> float:
        return self._heights[index]

    @property
    def total(self) -> float:
        return self.top(len(self._heights))

    def set(self, index: int, height: float) -> None:
        if height != self._heights[index]:
            self._heights[index] = height
            del self._tops[index + 1 :]

    def replace(self, start: int, heights: Iterable[float]) -> None:
        """Replace all heights from `start` on."""
        self._heights[start:] = heights
        del self._tops[start + 1 :]

    def top(self, index: int) -> float:
        """Return the offset of an item; for the number of items, the end of the last item."""
        for known in range(len(self._tops) - 1, index):
            self._tops.append(self._tops[known] + self._heights[known])
        return self._tops[index]

    def at(self, y: float) -> int:
        """Return the item at `y`: the first item above the column, the last below it. There must be an item."""
        self.top(len(self._heights))
        return min(max(bisect_right(self._tops, y) - 1, 0), len(self._heights) - 1)
