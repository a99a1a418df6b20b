"""Open folders. What is opened through one lies in it, even where somebody swaps a folder for a link meanwhile.

On POSIX a folder is a descriptor and no last component is ever followed. Windows has neither: there the path that
was checked is opened, and the guard against a swap is missing.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from io import FileIO
from pathlib import Path
from types import TracebackType

from core.errors import ToolFailed

HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd


def _flags(*names: str) -> int:
    return sum(getattr(os, name, 0) for name in names)


_FOLDER = _flags("O_RDONLY", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
_FILE = _flags("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY")  # a FIFO must not block


class Folder:
    """A folder, open until it is closed. Methods take the name of an entry and raise OSError as the system does."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: str) -> "Folder":
        """The folder at a path that is trusted. Raises OSError, also for a link."""
        return cls(path, os.open(path, _FOLDER) if HAS_DESCRIPTORS else None)

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def enter(self, name: str, *, create: bool = False) -> "Folder":
        """The folder of that name; with `create` it is made if it is missing."""
        if create:
            with suppress(FileExistsError):
                os.mkdir(self._at(name), dir_fd=self._descriptor)
        if self._descriptor is None:
            return Folder(self._at(name), None)
        return Folder(name, os.open(name, _FOLDER, dir_fd=self._descriptor))

    def entries(self) -> "AbstractContextManager[Iterator[os.DirEntry[str]]]":
        """What is in it, in no order."""
        return os.scandir(self._path if self._descriptor is None else self._descriptor)

    def state(self, name: str) -> os.stat_result:
        """Of the entry itself, were it a link."""
        return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)

    def open_file(self, name: str, flags: int, mode: int = 0o666) -> FileIO:
        """The regular file of that name, not buffered. Anything else, and a link, is `not_a_file`: it is not opened."""
        try:
            self._require_file(self.state(name))
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                raise
        descriptor = os.open(self._at(name), flags | _FILE, mode, dir_fd=self._descriptor)
        try:
            self._require_file(os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return FileIO(descriptor, "wb" if flags & (os.O_WRONLY | os.O_RDWR) else "rb")

    def replace(self, source: str, target: str) -> None:
        """Give `source` the name `target`, in place of what had it; on disk when this returns."""
        os.replace(self._at(source), self._at(target), src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self._descriptor)

    def _at(self, name: str) -> str:
        return str(Path(self._path, name)) if self._descriptor is None else name

    @staticmethod
    def _require_file(state: os.stat_result) -> None:
        if not stat.S_ISREG(state.st_mode):
            what = "a folder" if stat.S_ISDIR(state.st_mode) else "no regular file"
            raise ToolFailed("not_a_file", f"it is {what}")
