"""The watch file: what the store was when it was last seen, in a file beside its folder.

The engine opens a store that has lost its manifest or the end of its log as if nothing were missing. So what is known
of the store is kept where the engine does not write: `<store>.watch`. It has two parts.

- The mark, in the first MARK_BYTES: the number of the last commit, and a row that has this number in its column
  `commit`. It is written in place after each commit and not flushed: it survives the process, and after a power cut it
  may be behind, never ahead.
- The picture, a JSON text with its hash: the files of the store, the versions, the counters. It is replaced
  atomically and flushed when the log has become empty: after opening, after a renewal of the log, at a clean close.
"""

import hashlib
import json
import os
import threading
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from core.threads.files import sync_folder

FORMAT = 1
MARK_BYTES = 512
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Mark:
    """The number of a commit, and the table and key of a row that carries it (None: no such row is known)."""

    number: int = 0
    row: tuple[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file of the store. `hashes` belong to its pieces; empty if its content may still change."""

    size: int
    hashes: tuple[str, ...] = ()
    stamp: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """What was known of the store at a moment.

    `is_clean`: the store was closed, and nothing may have changed since. `files` are the engine's, without its
    log, and `manifest` is the content of the manifest in hexadecimal digits. `checkpoint` is the number in the row
    `meta:checkpoint`, which is written last before the log is emptied. `counters` are shown to the user.
    """

    schema: int = 0
    engine: str = ""
    is_clean: bool = False
    checkpoint: int = 0
    manifest: str = ""
    files: Mapping[str, SeenFile] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)


class DamagedWatchFile(Exception):
    """The watch file is not as it was written."""


class WatchFile:
    """The watch file of the store in a folder. Not shared between processes: the owner of the store writes it."""

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + ".watch")
        self._descriptor: int | None = None
        self._swap = threading.Lock()  # the mark is written by the loop, the picture by a thread
        self.mark = Mark()

    @classmethod
    def exists(cls, store: Path) -> bool:
        """Return whether the store has a watch file."""
        return cls(store).path.exists()

    def read(self) -> tuple[Picture, Mark]:
        """Return picture and mark. Raises OSError (FileNotFoundError) and DamagedWatchFile."""
        with self.path.open("rb") as file:
            data = file.read(MAX_BYTES)
        try:
            return _decode_picture(data[MARK_BYTES:]), _decode_mark(data[:MARK_BYTES])
        except (ValueError, TypeError, LookupError) as error:
            raise DamagedWatchFile(str(error)) from error

    def write(self, picture: Picture) -> None:
        """Replace the file by this picture and the mark, atomically and flushed. Blocks on the disk. Raises OSError."""
        data = _encode_mark(self.mark) + _encode_picture(picture)
        fresh = self.path.with_name(self.path.name + ".new")
        descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with os.fdopen(os.dup(descriptor), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if os.name == "nt":  # an open file cannot be replaced there
                self.close()
            fresh.replace(self.path)
            sync_folder(self.path.parent)
        except BaseException:
            os.close(descriptor)
            fresh.unlink(missing_ok=True)
            raise
        with self._swap:
            old, self._descriptor = self._descriptor, descriptor
            self._write_mark()  # a commit may have ended meanwhile
        if old is not None:
            os.close(old)

    def note_commit(self, number: int, row: tuple[str, Any]) -> None:
        """Write the number of a finished commit in place. A disk that refuses leaves the mark behind, no more."""
        with self._swap:
            self.mark = Mark(number, row)
            self._write_mark()

    def close(self) -> None:
        """Close the file; the next `write` opens it again."""
        with self._swap:
            descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _write_mark(self) -> None:
        if self._descriptor is None:
            return
        with suppress(OSError):
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, _encode_mark(self.mark))


def _encode_mark(mark: Mark) -> bytes:
    text = json.dumps([mark.number, *(mark.row or ())], separators=(",", ":"))
    line = f"{zlib.crc32(text.encode()):08x} {text}"
    if len(line) >= MARK_BYTES:  # a key as long as this has no place
        return _encode_mark(Mark(mark.number))
    return line.ljust(MARK_BYTES - 1).encode() + b"\n"


def _decode_mark(data: bytes) -> Mark:
    checksum, _, text = data.decode().strip().partition(" ")
    if len(data) != MARK_BYTES or int(checksum, 16) != zlib.crc32(text.encode()):
        raise ValueError("the mark is damaged")
    number, *row = json.loads(text)
    return Mark(number, (row[0], row[1]) if row else None)


def _encode_picture(picture: Picture) -> bytes:
    body = json.dumps({"format": FORMAT, **asdict(picture)}, separators=(",", ":")).encode()
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body + b"\n"


def _decode_picture(data: bytes) -> Picture:
    checksum, _, body = data.rstrip(b"\n").partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        raise ValueError("the picture is damaged")
    fields: dict[str, Any] = json.loads(body)
    if fields.pop("format") != FORMAT:
        raise ValueError("the picture is of another release")
    files = {
        name: SeenFile(seen["size"], tuple(seen["hashes"]), tuple(seen["stamp"]))
        for name, seen in fields.pop("files").items()
    }
    return Picture(files=files, **fields)
