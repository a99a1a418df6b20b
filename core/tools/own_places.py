"""The app's own folders and files, which no tool reaches in any mode (AGENTS_AND_TOOLS §5).

They are recognized by device and inode on what was opened, so that no other way to them helps: a link, a bind mount, a
file system that ignores case, a hard link to one of their files.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.errors import ToolFailed

OWN_MESSAGE = "it belongs to Metier itself: its data, settings, logs and program are out of reach"

Identity = tuple[int, int]
"""The device and the inode of a file or folder."""


def identity(state: os.stat_result) -> Identity:
    return state.st_dev, state.st_ino


@dataclass(frozen=True, slots=True)
class OwnPlaces:
    """The app's own folders, which no tool reaches: its data, and its `program`. Not all need to exist.

    `shared` is a folder inside of them that tools may reach all the same: that of the demo.
    """

    data: Sequence[Path] = ()
    program: Sequence[Path] = ()
    shared: Path | None = None

    def guard(self) -> "Guard":
        """Return the check of a call. Blocks on the disk, as do all its methods."""
        return Guard(self)


class Guard:
    """Recognizes the app's own folders and files during a call."""

    def __init__(self, places: OwnPlaces) -> None:
        self._places = places
        self._folders = frozenset(_identities([*places.data, *places.program]))
        self._shared = frozenset(_own_identity(places.shared))
        self._outermost = self._folders | self._shared
        self._files: frozenset[Identity] | None = None

    def holds_path(self, real: PurePath) -> bool:
        """Return whether the path, free of links, is or lies in a folder of the app."""
        if not self._folders:
            return False
        found = next((known for known in _identities([real, *real.parents]) if known in self._outermost), None)
        return found is not None and found not in self._shared

    def holds(self, state: os.stat_result) -> bool:
        """Return whether this is a folder of the app, or a file of its data under another name."""
        if not self._folders:
            return False
        if stat.S_ISDIR(state.st_mode):
            return identity(state) in self._folders
        if state.st_nlink < 2:
            return False
        if self._files is None:
            # Only where a file has several names: the folders hold thousands of files.
            self._files = frozenset(identity(file) for file in _linked_files(self._places.data))
        return identity(state) in self._files

    def require_foreign(self, state: os.stat_result) -> None:
        """Raise ToolFailed `not_allowed` for what `holds`."""
        if self.holds(state):
            raise ToolFailed("not_allowed", OWN_MESSAGE)


def require_foreign(real: str, state: os.stat_result, own: OwnPlaces) -> None:
    """Raise ToolFailed `not_allowed` if the path, free of links, or the file there is the app's own."""
    guard = own.guard()
    if guard.holds_path(PurePath(real)) or guard.holds(state):
        raise ToolFailed("not_allowed", OWN_MESSAGE)


def _identities(paths: Iterable[PurePath]) -> Iterator[Identity]:
    for path in paths:
        with suppress(OSError, ValueError):
            yield identity(os.stat(path))  # noqa: PTH116  # of many paths, without making each a Path


def _own_identity(folder: Path | None) -> Iterator[Identity]:
    """Yield the identity of a folder that is no link: one could lead to what is out of reach."""
    with suppress(OSError):
        if folder is not None and stat.S_ISDIR((state := os.lstat(folder)).st_mode):
            yield identity(state)


def _linked_files(folders: Iterable[Path]) -> Iterator[os.stat_result]:
    """Yield the state of each file in the folders that has another name."""
    for top in folders:
        for folder, _, names in os.walk(top):
            for name in names:
                with suppress(OSError):
                    state = os.lstat(os.path.join(folder, name))  # noqa: PTH118  # thousands of files
                    if state.st_nlink > 1:
                        yield state


NO_PLACES = OwnPlaces()
UNGUARDED = NO_PLACES.guard()
