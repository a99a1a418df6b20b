"""Pictures on their way to models: what is stored, shown and sent of a file."""

from collections.abc import Callable
from dataclasses import dataclass

from core.domain.messages import AttachmentNote
from core.domain.pictures import SENT_MIMES, PictureHeader

READ_BYTES = 50_000_000
"""Of a picture, before it is scaled down."""
MAX_PIXELS = 100_000_000
"""More would take half a gigabyte to decode."""


@dataclass(frozen=True, slots=True)
class PreparedPicture:
    """A picture as it is stored, shown and sent, with its size as it is drawn."""

    data: bytes
    mime: str
    width: int
    height: int
    note: AttachmentNote | None = None


PicturePreparer = Callable[[bytes, PictureHeader], PreparedPicture | None]
"""Decodes a picture and makes one of it that providers take; None if it cannot be decoded. Called in a thread."""


def keep_as_it_is(data: bytes, header: PictureHeader) -> PreparedPicture | None:
    """Prepare a picture without decoding it: only one that is taken as it is."""
    if header.mime not in SENT_MIMES or not header.is_whole or not header.width or not header.height:
        return None
    return PreparedPicture(data, header.mime, *header.shown_size)
