"""Formats of pictures, by their first bytes: what a file is, how large it is drawn, and whether it moves. Pure.

The name of a file says nothing about it: a WebP called `.png` is refused by providers that are told it is a PNG.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SENT_MIMES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What every provider with pictures takes."""

_TURNED = (5, 6, 7, 8)
"""Values of the Exif orientation at which width and height change places."""
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class PictureHeader:
    """`width` and `height` are those of the file, before `is_turned`; 0 if they are not in the header. `is_whole`: the
    mark of its end is there. `orientation`: that of Exif, 1 if upright.
    """

    mime: str
    width: int = 0
    height: int = 0
    is_animated: bool = False
    is_whole: bool = True
    orientation: int = 1

    @property
    def shown_size(self) -> tuple[int, int]:
        """The width and the height as it is drawn."""
        return (self.height, self.width) if self.orientation in _TURNED else (self.width, self.height)


def picture_header(data: bytes) -> PictureHeader | None:
    """Return the header of a picture; None for anything else, and for a picture whose header is broken off."""
    for begins, read in _READERS:
        if data.startswith(begins):
            try:
                return read(data)
            except (struct.error, IndexError):
                return None
    return PictureHeader("image/webp", *_webp(data)) if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def begins_like_picture(beginning: bytes) -> bool:
    """Return whether these first 16 bytes are those of a picture that providers take."""
    sent = beginning.startswith((b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff"))
    return sent or (beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP")


def _png(data: bytes) -> PictureHeader:
    width, height = struct.unpack_from(">II", data, 16)
    is_animated = b"acTL" in data[:1000]
    return PictureHeader("image/png", width, height, is_animated, b"IEND" in data[-64:])


def _gif(data: bytes) -> PictureHeader:
    width, height = struct.unpack_from("<HH", data, 6)
    # each frame has a graphic control block; a still picture has one or none
    is_animated = data.count(b"\x21\xf9\x04") > 1
    return PictureHeader("image/gif", width, height, is_animated, data.rstrip(b"\0").endswith(b";"))


def _jpeg(data: bytes) -> PictureHeader:
    orientation = 1
    for marker, start, length in _segments(data):
        if marker == 0xE1 and data[start : start + 6] == b"Exif\0\0":
            orientation = _exif_orientation(data[start + 6 : start + length])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, start + 1)
            is_whole = b"\xff\xd9" in data[-4096:]
            return PictureHeader("image/jpeg", width, height, is_whole=is_whole, orientation=orientation)
    return PictureHeader("image/jpeg", is_whole=False)


def _segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the marker, the start and the length of each segment of a JPEG before its scans."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # padding
            at += 1
            continue
        if marker in (0xD9, 0xDA):
            return
        (length,) = struct.unpack_from(">H", data, at + 2)
        yield marker, at + 4, length - 2
        at += 2 + length


def _exif_orientation(tiff: bytes) -> int:
    order = "<" if tiff[:2] == b"II" else ">"
    try:
        (start,) = struct.unpack_from(order + "I", tiff, 4)
        (count,) = struct.unpack_from(order + "H", tiff, start)
        for number in range(count):
            tag, _, _, value = struct.unpack_from(order + "HHIH", tiff, start + 2 + 12 * number)
            if tag == _ORIENTATION:
                return int(value) if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1


def _webp(data: bytes) -> tuple[int, int, bool, bool]:
    is_whole = len(data) >= int.from_bytes(data[4:8], "little") + 8
    kind, flags = data[12:16], data[20:21]
    if kind == b"VP8X" and len(data) >= 30:
        size = [int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27)]
        return size[0], size[1], bool(flags[0] & 2), is_whole
    if kind == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, False, is_whole
    if kind == b"VP8 " and len(data) >= 30:
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF, False, is_whole
    return 0, 0, False, False


def _named(mime: str) -> Callable[[bytes], PictureHeader]:
    return lambda _: PictureHeader(mime)


_READERS: tuple[tuple[bytes, Callable[[bytes], PictureHeader]], ...] = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"GIF87a", _gif),
    (b"GIF89a", _gif),
    (b"\xff\xd8\xff", _jpeg),
    (b"BM", _named("image/bmp")),
    (b"II*\0", _named("image/tiff")),
    (b"MM\0*", _named("image/tiff")),
    (b"\0\0\1\0", _named("image/x-icon")),
)
