"""Where the open store is: the lock beside it, and whether its files are still the same.

The engine goes on writing into files that have been moved, replaced or removed, and reports success. It has a lock of
its own inside the folder, which it releases whenever the store is closed to renew its log. So this process holds a lock
outside of the folder for as long as it uses the store.
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from core.errors import StorageFailed
from core.persistence.folder import LOG, TABLES
from core.persistence.manifest import load_manifest

_Identity = tuple[int, int]


class FolderLock:
    """The lock of a store's folder, held by a single process at a time."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._identity = _identity(os.fstat(descriptor))

    @classmethod
    def acquire(cls, store: Path) -> Self:
        """Take the lock; the folder above the store exists. Raises OSError, and StorageFailed `in_use`."""
        path = store.with_name(store.name + ".lock")
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            if not _try_lock(descriptor):
                os.close(descriptor)
                raise StorageFailed("in_use", f"another process uses the data folder: {store}")
            lock = cls(path, descriptor)
            if lock.is_in_place():
                return lock
            os.close(descriptor)  # its owner has just removed it

    def is_in_place(self) -> bool:
        """Return whether the file at the lock's path is still the locked file. Raises OSError."""
        status = _status(self._path)
        return status is not None and _identity(status) == self._identity

    def release(self) -> None:
        """Release the lock and remove its file."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor < 0:
            return
        if os.name == "posix":  # while it is locked: no other process takes it in between
            with suppress(OSError):
                if self.is_in_place():
                    self._path.unlink()
        os.close(descriptor)


class PlaceState(StrEnum):
    """How the files on disk relate to the open files."""

    SAME = "same"
    LOG_LOST = "log lost"  # the engine's log or lock was replaced or removed; the tables are there
    GONE = "gone"  # another store, or none, is in that place


@dataclass(frozen=True, slots=True)
class _Pin:
    """A file that is held open, so that no other file gets its number."""

    path: Path
    identity: _Identity
    descriptor: int | None


class StorePlace:
    """The files of an open store, as they were when it was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pins: list[_Pin] = []
        self.log_bytes = 0

    def pin(self) -> None:
        """Remember the files that are there now; to be called after each opening. Raises OSError."""
        self.close()
        log = max((self._path / LOG).iterdir(), default=None)
        self.log_bytes = 0 if log is None else log.stat().st_size
        self._pins = [_pin(path) for path in (self._path, self._path / "LOCK", *([log] if log else ()))]

    def state(self) -> PlaceState:
        """Compare the files with the opened files. Takes microseconds on a drive that answers. Raises OSError."""
        changed = []
        for pin in self._pins:
            status = _status(pin.path)
            if status is None or _identity(status) != pin.identity:
                changed.append(pin)
            elif pin.path.parent.name == LOG:
                self.log_bytes = status.st_size
        if not changed:
            return PlaceState.SAME
        if changed[0].path == self._path or not self._has_tables():
            return PlaceState.GONE
        return PlaceState.LOG_LOST

    def close(self) -> None:
        """Release the files."""
        for pin in self._pins:
            if pin.descriptor is not None:
                os.close(pin.descriptor)
        self._pins = []

    def _has_tables(self) -> bool:
        try:
            tables = load_manifest(self._path).tables
        except (OSError, ValueError):
            return False
        present = {path.stem for path in (self._path / TABLES).glob("*.sst")}
        return {f"{number:020}" for number in tables} <= present


def _pin(path: Path) -> _Pin:
    if os.name != "posix":  # there, files in use cannot be moved or replaced
        return _Pin(path, _identity(path.stat()), None)
    descriptor = os.open(path, os.O_RDONLY)
    return _Pin(path, _identity(os.fstat(descriptor)), descriptor)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _identity(status: os.stat_result) -> _Identity:
    return status.st_dev, status.st_ino


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: the engine's own lock remains
            return True
        return True
