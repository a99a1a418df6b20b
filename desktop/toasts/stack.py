"""The layout of the stack: which shape each toast has, where the stack may be, and where each card goes. Pure."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QRect, QSize

from core.domain.toast import ToastId
from desktop.toasts.card import Heights, ToastCard


class Shape(StrEnum):
    """`compact` is a card with its title and its × only."""

    FULL = "full"
    COMPACT = "compact"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class CardHeights:
    """The heights that a card would have. A card that `is_held` (focused or unfolded) keeps its shape while others can
    shrink.
    """

    full: int
    compact: int
    is_persistent: bool = False
    is_held: bool = False


def shapes(wishes: Sequence[CardHeights], room: int, gap: int) -> list[Shape]:
    """Return a shape for each card, the newest last. If the height does not suffice, the oldest cards give way first.

    They become compact; then transient toasts hide; then persistent toasts, which are listed elsewhere too; held cards
    come last. The newest card is never hidden.
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


def _concessions() -> list[tuple[Shape, Callable[[CardHeights], bool]]]:
    return [
        (Shape.COMPACT, lambda wish: not wish.is_held),
        (Shape.HIDDEN, lambda wish: not wish.is_held and not wish.is_persistent),
        (Shape.HIDDEN, lambda wish: not wish.is_held),
        (Shape.COMPACT, lambda wish: True),
    ]


def _height(wishes: Sequence[CardHeights], chosen: Sequence[Shape], gap: int) -> int:
    heights = [
        wish.full if shape is Shape.FULL else wish.compact
        for wish, shape in zip(wishes, chosen, strict=True)
        if shape is not Shape.HIDDEN
    ]
    return sum(heights) + gap * max(0, len(heights) - 1)


def available_area(window: QRect, width: int, margin: int, least: int, keep_clear: Iterable[QRect]) -> QRect:
    """Return the column for cards of `width` at the right of the window: the lowest free stretch between the rectangles
    to keep clear.

    It is at least `least` high if such a stretch exists, else the highest free stretch. `margin` is left on all sides.
    """
    column = QRect(window.right() + 1 - margin - width, window.top() + margin, width, window.height() - 2 * margin)
    column.setLeft(max(column.left(), window.left() + margin))
    stretches = [(column.top(), column.bottom())]
    for rect in keep_clear:
        taken = rect.adjusted(-margin, -margin, margin, margin)
        if not taken.isEmpty() and taken.left() <= column.right() and taken.right() >= column.left():
            stretches = [part for stretch in stretches for part in _without(stretch, taken.top(), taken.bottom())]
    if not stretches:
        return QRect(column.left(), column.top(), column.width(), 0)
    high_enough = [stretch for stretch in stretches if _length(stretch) >= least]
    top, bottom = max(high_enough) if high_enough else max(stretches, key=_length)
    return QRect(column.left(), top, column.width(), bottom - top + 1)


def _without(stretch: tuple[int, int], first: int, last: int) -> list[tuple[int, int]]:
    top, bottom = stretch
    parts = [(top, min(bottom, first - 1)), (max(top, last + 1), bottom)]
    return [part for part in parts if _length(part) > 0]


def _length(stretch: tuple[int, int]) -> int:
    return stretch[1] - stretch[0] + 1


_TEXT_LINES = 12
_FEW_LINES = 3


@dataclass(frozen=True, slots=True)
class CardPlacement:
    """The position of a card. `box` is in coordinates of the column; `text_height` is 0 unless the whole text is
    unfolded.
    """

    card: ToastCard
    box: QRect
    is_compact: bool
    is_hidden: bool
    text_height: int


def arrange(
    cards: Sequence[ToastCard], room: QSize, gap: int, held: Collection[ToastId], unfolded: ToastId | None
) -> list[CardPlacement]:
    """Return the positions from the bottom up; the last card is the newest and lowest. `held` cards keep their shape
    while others can shrink.
    """
    heights = [card.measure(room.width(), is_unfolded=card.id == unfolded) for card in cards]
    texts = [
        _text_height(cards, heights, number, room, gap) * (card.id == unfolded) for number, card in enumerate(cards)
    ]
    wishes = [
        CardHeights(height.full + text, height.compact, card.toast.persistent, card.id in held or text > 0)
        for card, height, text in zip(cards, heights, texts, strict=True)
    ]
    places = []
    bottom = room.height()
    for card, wish, text, shape in reversed(
        [*zip(cards, wishes, texts, shapes(wishes, room.height(), gap), strict=True)]
    ):
        height = wish.full if shape is Shape.FULL else wish.compact
        box = QRect(0, bottom - height, room.width(), height)
        is_full = shape is Shape.FULL
        places.append(CardPlacement(card, box, not is_full, shape is Shape.HIDDEN, text if is_full else 0))
        if shape is not Shape.HIDDEN:
            bottom -= height + gap
    return places


def _text_height(cards: Sequence[ToastCard], heights: Sequence[Heights], number: int, room: QSize, gap: int) -> int:
    """Return the height for the unfolded text of a card: what is left beside the other cards in compact shape, and at
    least a few lines.
    """
    most, least = (cards[number].unfolded_height(lines) for lines in (_TEXT_LINES, _FEW_LINES))
    left = max(0, room.height() - heights[number].full)
    beside_others = left - sum(height.compact + gap for at, height in enumerate(heights) if at != number)
    return min(left, most, max(beside_others, least))
