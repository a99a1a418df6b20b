"""Where the pile may stand: at the right, as far down as what has to stay clear lets it. Pure."""

from collections.abc import Iterable

from PySide6.QtCore import QRect


def room_in(window: QRect, width: int, margin: int, least: int, keep_clear: Iterable[QRect]) -> QRect:
    """The column for cards of `width` at the right of the window: the lowest stretch that nothing to keep clear is in.

    It is at least `least` high if there is such a stretch, else the highest one that there is. `margin` is left
    all around it, towards the window as towards what stays clear.
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
