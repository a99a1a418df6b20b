"""What an attached file is, by its content: a text, a picture, a PDF, or something that models get only the name of."""

import codecs

from core.domain.messages import (
    BINARY_BYTES,
    FILE_BYTES,
    PDF,
    PICTURE_BYTES,
    PICTURE_SIDE,
    AttachedFile,
    AttachmentKind,
    attached_data,
    attached_text,
    mime_of,
)
from core.domain.pictures import PictureHeader, picture_header
from core.errors import Refused
from core.ports.pictures import MAX_PIXELS, READ_BYTES, PicturePreparer

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY_BYTES = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")
_OCTETS = "application/octet-stream"


def attached_content(name: str, data: bytes, prepare: PicturePreparer) -> AttachedFile:
    """Make an attachment of the content of a file.

    Raises Refused `file_too_large`, `picture_broken` or `picture_too_large`, each with the `name` of the file.
    """
    # first: a text may begin like a picture, but no picture is a text
    if (text := _decode_text(data)) is not None:
        _require(len(data), FILE_BYTES, name)
        return attached_text(name, text, len(data))
    if (header := picture_header(data)) is not None:
        return _picture(name, data, header, prepare)
    _require(len(data), BINARY_BYTES, name)
    if data[:1024].find(b"%PDF-") >= 0:
        return attached_data(name, data, AttachmentKind.PDF, PDF)
    mime = mime_of(name)
    if mime.startswith("image/") and mime != "image/svg+xml":
        raise Refused("picture_broken", f"{name!r} is no picture that can be read", name=name)
    other_mime = _OCTETS if mime.startswith("text/") or mime == PDF else mime
    return attached_data(name, data, AttachmentKind.OTHER, other_mime)


def _picture(name: str, data: bytes, header: PictureHeader, prepare: PicturePreparer) -> AttachedFile:
    _require(len(data), READ_BYTES, name)
    if header.width * header.height > MAX_PIXELS:
        pixels = header.width * header.height
        raise Refused("picture_too_large", f"{name!r} has {pixels:,} pixels, over {MAX_PIXELS:,}", name=name)
    prepared = prepare(data, header)
    if prepared is None:
        raise Refused("picture_broken", f"{name!r} is no picture that can be read", name=name)
    if len(prepared.data) > PICTURE_BYTES or max(prepared.width, prepared.height) > 4 * PICTURE_SIDE:
        raise Refused("picture_too_large", f"{name!r} has over {PICTURE_BYTES:,} bytes", name=name)
    return attached_data(
        name,
        prepared.data,
        AttachmentKind.PICTURE,
        prepared.mime,
        width=prepared.width,
        height=prepared.height,
        note=prepared.note,
    )


def _require(size: int, limit: int, name: str) -> None:
    if size > limit:
        raise Refused("file_too_large", f"{name!r} has over {limit:,} bytes", name=name, size=size, limit=limit)


def _decode_text(data: bytes) -> str | None:
    """Return the text, decoded by its byte order mark, else as UTF-8, else as Windows-1252, without that mark. None if
    it is no text.
    """
    encoding = next((codec for mark, codec in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    # control characters mark binary data that happens to be valid UTF-8
    if encoding == "utf-8" and (_BINARY_BYTES & set(data[:4096]) or _BINARY_BYTES & set(data)):
        return None
    for codec in (encoding, "cp1252") if encoding == "utf-8" else (encoding,):
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            continue
    return None
