"""Which part of a conversation is on stage: from a place that stays where it is, downwards and upwards."""

from desktop.chat.layout.column import Place
from desktop.chat.position import Point
from desktop.chat.transcript.stage import Stage

_MARGIN = 0.5
"""What is live above and below the room, as a share of its height."""


def arrange(stage: Stage, top: Point | None, height: int, left: int) -> int:
    """Put on stage what a room of this height shows, and say which height stands at its upper edge.

    `top` is what stands there, and stays there whatever the heights above it turn out to be; None is the end of the
    conversation at the lower edge. It gives way only where there is nothing to show below or above.
    """
    column, margin = stage.column, round(height * _MARGIN)
    stage.begin()
    if not column.layouts:
        stage.end(0, left)
        return 0
    place = column.place_of(top.turn, top.key) if top is not None else None
    if top is not None and place is not None:
        _measure_down(stage, place, -top.offset, height + margin)
        _measure_up(stage, column.before(place), -top.offset, -margin)
        scrolled = column.top(place) + top.offset
    else:
        _measure_up(stage, column.last(), height, -margin)
        scrolled = column.height - height
    most = max(0, column.height - height)
    if scrolled > most:
        _measure_up(stage, column.last(), height, -margin)
        scrolled = most = max(0, column.height - height)
    elif scrolled < 0:
        _measure_down(stage, Place(0, 0), 0, height + margin)
    scrolled = min(max(scrolled, 0), most)
    stage.end(scrolled, left)
    return scrolled


def _measure_down(stage: Stage, place: Place | None, y: int, limit: int) -> None:
    while place is not None and y < limit:
        y += stage.measure(place)
        place = stage.column.after(place)


def _measure_up(stage: Stage, place: Place | None, y: int, limit: int) -> None:
    while place is not None and y > limit:
        y -= stage.measure(place)
        if place.block == 0:
            y -= stage.column.room.sizes.space_xl
        place = stage.column.before(place)
