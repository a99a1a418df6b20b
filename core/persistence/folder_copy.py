"""Copies of a store's folder, as it was after one commit. Opening a copy does not touch the original.

Tables never change, and of the value files only the newest does, so these are linked, which takes neither time nor
space; the rest is copied. The engine writes log and value files at their ends only: they are copied ahead, while
commits go on, and then only what was added is copied, while they wait.
"""

import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from core.persistence.connection import Connection
from core.persistence.failures import os_failure
from core.persistence.folder import MANIFESTS, MIB, TABLES, VALUES
from core.persistence.store_files import kind_of, stamp_of
from core.threads.pieces import Pieces, in_thread

TRIES = 20
_NOT_COPIED = frozenset({"LOCK", "room"})  # the engine's lock, and the trial of `check_free_space`

_Seen = dict[str, tuple[int, int, int]]


class FolderCopy:
    """A copy of a store's folder, brought up to date by `update`."""

    def __init__(self, source: Path, target: Path) -> None:
        self._source = source
        self._target = target
        self._seen: _Seen = {}

    def update(self) -> Pieces[bool]:
        """Link and copy what is new or has grown. Returns whether nothing changed meanwhile. Raises OSError."""
        self._target.mkdir(mode=0o700, exist_ok=True)
        before = self._look()
        newest = max((name for name in before if kind_of(name) == VALUES), default="")
        for gone in self._seen.keys() - before.keys():
            (self._target / gone).unlink(missing_ok=True)
        for name, seen in before.items():
            # a file that was replaced, not continued, has another inode
            is_same = self._seen.get(name, (None,))[0] == seen[0] and kind_of(name) != MANIFESTS
            is_fixed = kind_of(name) in (TABLES, VALUES) and name != newest
            yield from self._copy(name, is_same=is_same, is_fixed=is_fixed)
        self._seen = before
        return self._look() == before

    def update_until_stable(self) -> Pieces[None]:
        """Update until nothing changed meanwhile, while no commit runs. Raises OSError."""
        for _ in range(TRIES):
            with suppress(FileNotFoundError):  # the engine removes files that it has merged
                if (yield from self.update()):
                    return
        raise OSError(None, "the files of the store do not stop changing")

    def _look(self) -> _Seen:
        """Return inode, size and time of every file, by its path in the folder."""
        seen = {}
        for folder, _, names in os.walk(self._source):
            for name in names:
                path = Path(folder, name)
                relative = path.relative_to(self._source).as_posix()
                if relative not in _NOT_COPIED:
                    seen[relative] = stamp_of(path.stat())
        return seen

    def _copy(self, name: str, *, is_same: bool, is_fixed: bool) -> Pieces[None]:
        source, target = self._source / name, self._target / name
        if is_same and is_fixed:
            return
        target.parent.mkdir(exist_ok=True)
        if not is_same:
            target.unlink(missing_ok=True)
        if is_fixed and _link(source, target):
            return
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        with source.open("rb") as original, os.fdopen(descriptor, "wb") as copy:
            original.seek(copy.seek(0, os.SEEK_END))
            while data := original.read(MIB):
                copy.write(data)
                yield


def _link(source: Path, target: Path) -> bool:
    """Return whether the file could be linked: not on every file system."""
    try:
        target.hardlink_to(source)
    except FileNotFoundError:
        raise
    except OSError:
        return False
    return True


@asynccontextmanager
async def copied_folder(
    connection: Connection, target: Path, at_cut: Callable[[], None] = lambda: None
) -> AsyncIterator[Path]:
    """Yield a copy of the open store as it is after its last commit; remove it at the end.

    `at_cut` is called between that commit and the next. Commits wait for a few milliseconds. `target` is a new folder,
    on the same file system if files are to be linked; a previous copy there is removed. Raises StorageFailed.
    """
    await in_thread(remove_folder(target))
    try:
        await _copy_folder(connection, target, at_cut)
        yield target
    finally:
        await in_thread(remove_folder(target))


async def _copy_folder(connection: Connection, target: Path, at_cut: Callable[[], None]) -> None:
    async with connection.held() as source:
        copy = FolderCopy(source, target)
    try:
        for _ in range(2):  # the second time copies what was added during the first, which may take long
            with suppress(FileNotFoundError):
                await in_thread(copy.update())
        async with connection.held():
            await in_thread(copy.update_until_stable())
            at_cut()
    except OSError as error:
        raise os_failure(error) from error


def remove_folder(path: Path) -> Pieces[None]:
    """Remove a folder with all its files, if it exists. Blocks."""
    shutil.rmtree(path, ignore_errors=True)
    yield
