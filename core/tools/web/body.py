"""The response body as text: read up to a limit, decompressed up to a limit, decoded in its character set."""

import asyncio
import codecs
import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from core.tools.measure import RESULT_BYTES, text_bytes

BODY_BYTES = 10_000_000
TEXT_BYTES = RESULT_BYTES - 400_000  # leaves room for the headers beside it
PIECE_BYTES = 65_536
SNIFFED_BYTES = 1_024

_COMPRESSIONS = frozenset({"gzip", "x-gzip", "deflate"})
_GZIP = b"\x1f\x8b"
_GZIP_OR_ZLIB, _BARE = 47, -15  # what zlib calls window bits
_CHARSETS = re.compile(
    r"utf-?8|utf-?16(?:le|be)?|iso-?8859-?\d{1,2}|latin-?[1-9]|us-ascii|ascii|windows-125\d|cp125\d|koi8-[ru]|macintosh"
    r"|ibm866|gbk|gb2312|gb18030|big5|euc-jp|iso-2022-jp|shift[_-]jis|euc-kr|tis-620"
)
_LATIN = frozenset({"iso-8859-1", "iso8859-1", "latin-1", "latin1", "us-ascii", "ascii"})
_BINARY_TYPES = re.compile(
    r"(?:image/(?!svg)|audio/|video/|font/|application/(?:octet-stream|pdf|zip|gzip|x-tar|wasm|java-archive)\b)"
)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,5}=\s{0,5}[\"']?([\w-]{1,40})", re.IGNORECASE)
_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CONTROLS = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")


class CannotDecompress(Exception):
    """The body is compressed in a way that was not requested, or is damaged."""


@dataclass(frozen=True, slots=True)
class Body:
    """A body as far as it was read. `truncated`: there was more."""

    data: bytes
    truncated: bool


async def read_body(
    pieces: AsyncIterator[bytes], encoding: str, progressed: Callable[[], object] = lambda: None
) -> Body:
    """Read the body, decompressed, up to 10 MB; `progressed` is called with each piece. Raises CannotDecompress."""
    names = [name.strip().lower() for name in encoding.split(",") if name.strip()]
    names = [name for name in names if name != "identity"]
    if len(names) > 1 or any(name not in _COMPRESSIONS for name in names):
        raise CannotDecompress(f"it is packed as {encoding:.100}")
    unpacker = _Decompressor() if names else None
    data = bytearray()
    async for piece in pieces:
        progressed()
        for part in [piece] if unpacker is None else unpacker.parts(piece):
            data += part
            if len(data) > BODY_BYTES:
                return Body(bytes(data[:BODY_BYTES]), truncated=True)
            # A compressed piece may expand to many parts, none of which waits for the network.
            await asyncio.sleep(0)
    if unpacker is not None and not unpacker.is_whole and data:
        return Body(bytes(data), truncated=True)
    return Body(bytes(data), truncated=False)


class _Decompressor:
    """Decompresses in small pieces, so that a small body that expands to a huge size never stands in memory."""

    def __init__(self) -> None:
        self._work = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._has_begun = False
        self.is_whole = False

    def parts(self, piece: bytes) -> Iterator[bytes]:
        if piece and not self._has_begun:
            self._has_begun = True
            if not piece.startswith(_GZIP) and piece[0] & 0x0F != zlib.DEFLATED:
                self._work = zlib.decompressobj(_BARE)  # raw deflate without a zlib header, as some servers send it
        while piece and not self.is_whole:
            try:
                part = self._work.decompress(piece, PIECE_BYTES)
            except zlib.error as error:
                raise CannotDecompress(f"it is damaged: {error}") from error
            piece = self._work.unconsumed_tail  # the rest of the piece
            if self._work.eof:  # of a member: gzip may have several, one after the other
                piece = self._work.unused_data
                self.is_whole = not piece.startswith(_GZIP)
                if not self.is_whole:
                    self._work = zlib.decompressobj(_GZIP_OR_ZLIB)
            yield part


def body_text(body: Body, content_type: str) -> tuple[str, bool] | None:
    """Return the text and whether it was cut; None where the body is not text."""
    kind = content_type.partition(";")[0].strip().lower()
    data = body.data
    marked = next(((mark, name) for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), None)
    if marked is not None:
        text = data[len(marked[0]) :].decode(marked[1], "replace")
    elif _BINARY_TYPES.match(kind):
        return None
    else:
        charset = _charset(content_type) or _charset_within(data, kind)
        if charset is None and _CONTROLS.search(data[:SNIFFED_BYTES]):
            return None
        text = _decode(data, charset, is_cut=body.truncated)
    return _fit_to_result(text, is_cut=body.truncated)


def _decode(data: bytes, charset: str | None, *, is_cut: bool) -> str:
    """Decode in the character set; without a declared charset as UTF-8 if valid, else as old pages are encoded."""
    if charset is not None:
        return data.decode(charset, "replace")
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return decoder.decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _charset(content_type: str) -> str | None:
    declared = re.search(r"charset\s*=\s*[\"']?([^\s\"';]{1,40})", content_type, re.IGNORECASE)
    return _known_charset(declared[1]) if declared is not None else None


def _charset_within(data: bytes, kind: str) -> str | None:
    declared = _META_CHARSET.search(data[:SNIFFED_BYTES]) if "html" in kind else None
    return _known_charset(declared[1].decode("ascii", "replace")) if declared is not None else None


def _known_charset(name: str) -> str | None:
    """Return the codec of a web charset, else None: some of Python's codecs are not charsets, or take too long."""
    name = name.lower()
    if not _CHARSETS.fullmatch(name):
        return None
    if name in _LATIN:
        return "cp1252"  # as browsers do
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None


def _fit_to_result(text: str, *, is_cut: bool) -> tuple[str, bool]:
    """Return as much of the text as a result can hold."""
    room, size = TEXT_BYTES, 0
    while size < len(text):
        room -= text_bytes(text[size : size + PIECE_BYTES])
        if room < 0:
            return text[:size], True
        size += PIECE_BYTES
    return text, is_cut
