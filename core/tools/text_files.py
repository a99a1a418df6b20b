"""What the tools for text files share: reading, replacing in a single step, and what each run has seen.

A file is replaced in a single step: readers see the old content or the new, whatever happens. After a successful call
the content is on disk.
"""

import codecs
import os
import re
import secrets
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from core.domain.ids import RunId
from core.domain.pictures import begins_like_picture
from core.errors import ToolFailed
from core.ports.pictures import READ_BYTES as PICTURE_FILE_BYTES
from core.threads.pieces import Pieces
from core.tools.file_access import Folder, ResolvedPath
from core.tools.measure import RESULT_BYTES, text_bytes

K = TypeVar("K")
V = TypeVar("V")

PIECE_BYTES = 65_536
TEXT_BYTES = RESULT_BYTES - 100_000  # leaves room for the path beside it
MAX_RUNS, MAX_FILES = 500, 5_000

PIECE_CHARACTERS = 65_536
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Stamp(NamedTuple):
    """Tells one state of a file from another. Without the change time, which a backup or a rename sets too."""

    device: int
    inode: int
    size: int
    modified_ns: int


def stamp_of(state: os.stat_result) -> Stamp:
    return Stamp(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class TextFile:
    """The text of a file, exactly, and the state that was read."""

    text: str
    size: int
    lines: int
    stamp: Stamp


def read_text(folder: Folder, name: str) -> Pieces[TextFile]:
    """Read a file of UTF-8 text. Raises ToolFailed `not_a_file`, `not_text` or `output_too_large`, and OSError."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    texts, total, lines, room = [], 0, 0, TEXT_BYTES
    with folder.open_file(name, os.O_RDONLY) as file:
        # Taken before the text, so that a change while reading is one since reading.
        stamp = stamp_of(os.fstat(file.fileno()))
        while True:
            piece = file.read(PIECE_BYTES)
            if piece is None:  # a pseudo file whose read would block
                raise ToolFailed("not_a_file", "it cannot be read to its end")
            # The decoder keeps the bytes of an incomplete character, which the position of an error has to include.
            held_back = len(decoder.getstate()[0])
            try:
                text = decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                at = total - held_back + error.start
                raise ToolFailed("not_text", f"it is not UTF-8 text: byte {at:,} is not part of a character") from None
            texts.append(text)
            total, lines, room = total + len(piece), lines + piece.count(b"\n"), room - text_bytes(text)
            if room < 0:
                raise ToolFailed("output_too_large", "it holds more text than the 10 MB of JSON that can be kept")
            if not piece:
                return TextFile("".join(texts), total, lines, stamp)
            yield


def read_picture(folder: Folder, name: str) -> Pieces[bytes | None]:
    """Read a picture; None for any other file, of which only the beginning is read. Raises as `read_text`."""
    with folder.open_file(name, os.O_RDONLY) as file:
        data = bytearray(file.read(PIECE_BYTES) or b"")
        # a text may begin like a picture, but has no NUL
        if b"\0" not in data or not begins_like_picture(bytes(data[:16])):
            return None
        while piece := file.read(PIECE_BYTES):
            data += piece
            if len(data) > PICTURE_FILE_BYTES:
                raise ToolFailed("output_too_large", "the picture has over 50 MB")
            yield
    return bytes(data)


def storable(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot hold, as U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def encoded(text: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield a part of the text as UTF-8, in short pieces."""
    end = len(text) if end is None else end
    for place in range(start, end, PIECE_CHARACTERS):
        yield storable(text[place : min(place + PIECE_CHARACTERS, end)]).encode()


def replace_file(folder: Folder, name: str, pieces: Iterator[bytes], check: Callable[[], None]) -> Pieces[Stamp]:
    """Replace the file, or create it, and return its new state. `check` is called before anything is written and again
    before the file is replaced; what it raises changes nothing.
    """
    check()
    mode = _mode(folder, name)
    # In the same folder, since a rename is atomic only within a file system.
    temporary = f".{secrets.token_hex(8)}.tmp"
    try:
        with folder.open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode) as file:
            for piece in pieces:
                while piece:  # a write may be partial
                    piece = piece[file.write(piece) :]  # noqa: PLW2901  # the remaining part
                yield
            if mode is not None and hasattr(os, "fchmod"):
                # The mode at creation is reduced by the umask; a replaced file keeps its own.
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
            stamp = stamp_of(os.fstat(file.fileno()))
        check()
        folder.replace(temporary, name)
    except BaseException:
        with suppress(FileNotFoundError):
            folder.remove(temporary)
        raise
    return stamp


def _mode(folder: Folder, name: str) -> int | None:
    """Return the mode of the file to be replaced. A read-only file must not be replaced either."""
    try:
        # Opening for writing is the check of the permission: a rename would need only that of the folder.
        with folder.open_file(name, os.O_WRONLY) as file:
            return stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    except FileNotFoundError:
        return None


class SeenFiles:
    """The state in which each run last read or wrote its files, so that no run overwrites what others did since.

    Kept in memory alone until the run ends: after a restart nothing is known, and a file of which nothing is known may
    be written.
    """

    def __init__(self) -> None:
        self._runs: OrderedDict[RunId, OrderedDict[str, Stamp]] = OrderedDict()

    def note(self, run_id: RunId, target: ResolvedPath, stamp: Stamp) -> None:
        """Note what the run has read or written."""
        if not run_id:  # a call from outside: each may be of another program
            return
        files = self._runs.setdefault(run_id, OrderedDict())
        files[target.real] = stamp
        _bound(self._runs, run_id, MAX_RUNS)
        _bound(files, target.real, MAX_FILES)

    def forget(self, run_id: RunId) -> None:
        """Drop what a run has seen that has ended."""
        self._runs.pop(run_id, None)

    def knows(self, run_id: RunId, target: ResolvedPath, folder: Folder, name: str) -> bool:
        """Return whether the run has seen the file as it is now."""
        seen = self._seen(run_id, target)
        return seen is not None and seen == stamp_of(folder.state(name))

    def require_unchanged(self, run_id: RunId, target: ResolvedPath, folder: Folder, name: str) -> None:
        """Raise ToolFailed `changed_since_read` if the file is not as the run last saw it. One that is gone, or that
        the run has not seen, may be written.
        """
        seen = self._seen(run_id, target)
        if seen is not None:
            require_stamp(seen, folder, name)

    def _seen(self, run_id: RunId, target: ResolvedPath) -> Stamp | None:
        files = self._runs.get(run_id)
        return None if files is None else files.get(target.real)


def _bound(kept: OrderedDict[K, V], latest: K, most: int) -> None:
    """Forget the oldest entries above `most`."""
    kept.move_to_end(latest)
    while len(kept) > most:
        kept.popitem(last=False)


def require_stamp(seen: Stamp, folder: Folder, name: str) -> None:
    """Raise ToolFailed `changed_since_read` if the file is no longer in this state; not if it is gone."""
    with suppress(FileNotFoundError):
        if stamp_of(folder.state(name)) != seen:
            message = "it has changed since this run last read or wrote it, and was left as it is: read it again"
            raise ToolFailed("changed_since_read", message)
