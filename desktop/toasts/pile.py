"""Which shape each toast of the pile has in the room that there is. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Shape(StrEnum):
    """`compact` is a card with its title and its × alone."""

    FULL = "full"
    COMPACT = "compact"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Wish:
    """The heights that a card would have. One that `is_held` (focus, unfolded) stays as it is while others can give."""

    full: int
    compact: int
    is_persistent: bool = False
    is_held: bool = False


def shapes(wishes: Sequence[Wish], room: int, gap: int) -> list[Shape]:
    """A shape for each, the newest last. What is too much for the room gives way, the oldest first.

    It becomes compact; then passing ones hide; then persistent ones, which stand in every list besides; held ones
    come last of all. The newest is never hidden.
    """
    chosen = [Shape.FULL] * len(wishes)
    for shape, may in _concessions():
        for number, wish in enumerate(wishes):
            if _height(wishes, chosen, gap) <= room:
                return chosen
            is_newest = number == len(wishes) - 1
            if may(wish) and chosen[number] is not Shape.HIDDEN and not (shape is Shape.HIDDEN and is_newest):
                chosen[number] = shape
    return chosen


def _concessions() -> list[tuple[Shape, Callable[[Wish], bool]]]:
    return [
        (Shape.COMPACT, lambda wish: not wish.is_held),
        (Shape.HIDDEN, lambda wish: not wish.is_held and not wish.is_persistent),
        (Shape.HIDDEN, lambda wish: not wish.is_held),
        (Shape.COMPACT, lambda wish: True),
    ]


def _height(wishes: Sequence[Wish], chosen: Sequence[Shape], gap: int) -> int:
    heights = [
        wish.full if shape is Shape.FULL else wish.compact
        for wish, shape in zip(wishes, chosen, strict=True)
        if shape is not Shape.HIDDEN
    ]
    return sum(heights) + gap * max(0, len(heights) - 1)
