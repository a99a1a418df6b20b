"""Where the pictures of a message stand, from the sizes in their headers: nothing moves when they are decoded. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from desktop.chat.turn_parts import Picture
from desktop.tokens import Sizes


class Box(NamedTuple):
    """The place of a picture in its block."""

    x: int
    y: int
    width: int
    height: int


def picture_boxes(pictures: Sequence[Picture], width: int, sizes: Sizes, *, is_right: bool) -> list[Box]:
    """Return the places of the pictures: a single one large, several side by side, in as many rows as they need."""
    is_single = len(pictures) == 1
    most_width = min(width, sizes.user_bubble)
    most_height = sizes.user_bubble * 3 // 4 if is_single else sizes.user_bubble // 3
    rows: list[list[Box]] = [[]]
    y = right = 0
    for picture in pictures:
        box_width, box_height = _fitted(picture, most_width, most_height, sizes.row)
        height = box_height if is_single else most_height
        if rows[-1] and right + sizes.space_s + box_width > width:
            rows.append([])
            y += most_height + sizes.space_s
        left = rows[-1][-1].x + rows[-1][-1].width + sizes.space_s if rows[-1] else 0
        right = left + box_width
        rows[-1].append(Box(left, y, box_width, height))
    shifts = [width - row[-1].x - row[-1].width if is_right and row else 0 for row in rows]
    return [box._replace(x=box.x + shift) for row, shift in zip(rows, shifts, strict=True) for box in row]


def pictures_height(boxes: Sequence[Box]) -> int:
    return max((box.y + box.height for box in boxes), default=0)


def _fitted(picture: Picture, most_width: int, most_height: int, least: int) -> tuple[int, int]:
    """Return the size of a picture, never enlarged; of one whose size is unknown, that of a photograph. Its box is
    never so narrow or low that it cannot be seen or pressed.
    """
    width, height = (picture.width, picture.height) if picture.width and picture.height else (4 * least, 3 * least)
    scale = min(1.0, most_width / width, most_height / height)
    return max(least, round(width * scale)), max(least, round(height * scale))
