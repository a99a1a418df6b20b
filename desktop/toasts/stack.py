"""The layout of the stack: which toasts have room, where the stack may be, and where each card goes. Pure."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize

from core.domain.toast import ToastId
from desktop.toasts.card import ToastCard


@dataclass(frozen=True, slots=True)
class CardHeight:
    """The height that a card needs. A card that `is_held` (focused or unfolded) stays while others can give way."""

    height: int
    is_persistent: bool = False
    is_held: bool = False


def cards_with_room(cards: Sequence[CardHeight], room: int, gap: int) -> list[bool]:
    """Return for each card, the newest last, whether it is shown. No card is cut: if the height does not suffice, the
    oldest cards give way.

    First transient cards; then persistent cards, which are listed elsewhere too; held cards and the newest come last.
    """
    shown = [True] * len(cards)
    for may in _concessions():
        for number, card in enumerate(cards):
            if _height(cards, shown, gap) <= room:
                return shown
            is_newest = number == len(cards) - 1
            if may(card, is_newest):
                shown[number] = False
    return shown


def _concessions() -> list[Callable[[CardHeight, bool], bool]]:
    return [
        lambda card, is_newest: not (card.is_held or card.is_persistent or is_newest),
        lambda card, is_newest: not (card.is_held or is_newest),
        lambda card, is_newest: not card.is_held,
        lambda card, is_newest: True,
    ]


def _height(cards: Sequence[CardHeight], shown: Sequence[bool], gap: int) -> int:
    heights = [card.height for card, is_shown in zip(cards, shown, strict=True) if is_shown]
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
    """The position of a card, in coordinates of the column. `text_height` is 0 unless the whole text is unfolded."""

    card: ToastCard
    box: QRect
    text_height: int = 0


def arrange(
    cards: Sequence[ToastCard], room: QSize, gap: int, held: Collection[ToastId], unfolded: ToastId | None
) -> list[CardPlacement]:
    """Return the positions of the cards that have room, from the bottom up; the last card is the newest and lowest."""
    heights = [card.measure(room.width(), is_unfolded=card.id == unfolded) for card in cards]
    texts = [
        _text_height(cards, heights, number, room, gap) * (card.id == unfolded) for number, card in enumerate(cards)
    ]
    wishes = [
        CardHeight(height + text, card.toast.persistent, card.id in held or text > 0)
        for card, height, text in zip(cards, heights, texts, strict=True)
    ]
    places = []
    bottom = room.height()
    for card, wish, text, is_shown in reversed(
        [*zip(cards, wishes, texts, cards_with_room(wishes, room.height(), gap), strict=True)]
    ):
        if is_shown:
            places.append(CardPlacement(card, QRect(0, bottom - wish.height, room.width(), wish.height), text))
            bottom -= wish.height + gap
    return places


def arrange_above(cards: Iterable[ToastCard], room: QSize, gap: int, top: int) -> list[CardPlacement]:
    """Return the positions of cards above a stack that must not move and whose upper edge is `top`, as far as there is
    room.
    """
    places = []
    for card in cards:
        height = card.measure(room.width(), is_unfolded=False)
        if top - gap - height >= 0:
            top -= gap + height
            places.append(CardPlacement(card, QRect(0, top, room.width(), height)))
    return places


def _text_height(cards: Sequence[ToastCard], heights: Sequence[int], number: int, room: QSize, gap: int) -> int:
    """Return the height for the unfolded text of a card: what is left beside the other cards, and at least a few
    lines.
    """
    most, least = (cards[number].unfolded_height(lines) for lines in (_TEXT_LINES, _FEW_LINES))
    left = max(0, room.height() - heights[number])
    beside_others = left - sum(height + gap for at, height in enumerate(heights) if at != number)
    return min(left, most, max(beside_others, least))
