"""Which place each card has in the room of the pile."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize

from core.domain.toast import ToastId
from desktop.toasts.card import Heights, ToastCard
from desktop.toasts.pile import Shape, Wish, shapes

_TEXT_LINES = 12
_FEW_LINES = 3


@dataclass(frozen=True, slots=True)
class Place:
    """`box` in coordinates of the room; `text_height` is 0 where the whole text is not unfolded."""

    card: ToastCard
    box: QRect
    is_compact: bool
    is_hidden: bool
    text_height: int


def arrange(
    cards: Sequence[ToastCard], room: QSize, gap: int, held: Collection[ToastId], unfolded: ToastId | None
) -> list[Place]:
    """From the bottom up, the newest, which is the last, lowest. `held` ones keep their shape while others can give."""
    heights = [card.measure(room.width(), is_unfolded=card.id == unfolded) for card in cards]
    texts = [
        _text_height(cards, heights, number, room, gap) * (card.id == unfolded) for number, card in enumerate(cards)
    ]
    wishes = [
        Wish(height.full + text, height.compact, card.toast.persistent, card.id in held or text > 0)
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
        places.append(Place(card, box, not is_full, shape is Shape.HIDDEN, text if is_full else 0))
        if shape is not Shape.HIDDEN:
            bottom -= height + gap
    return places


def _text_height(cards: Sequence[ToastCard], heights: Sequence[Heights], number: int, room: QSize, gap: int) -> int:
    """Of the unfolded text of a card: what is left beside the others, made compact, and a few lines at least."""
    most, least = (cards[number].unfolded_height(lines) for lines in (_TEXT_LINES, _FEW_LINES))
    left = max(0, room.height() - heights[number].full)
    beside_others = left - sum(height.compact + gap for at, height in enumerate(heights) if at != number)
    return min(left, most, max(beside_others, least))
