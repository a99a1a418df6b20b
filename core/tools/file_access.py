"""Open folders. What is opened through one lies in it, even where somebody swaps a folder for a link meanwhile.

On POSIX a folder is a descriptor and no last component is ever followed. Windows has neither: there the path that
was checked is opened, and the guard against a swap is missing.
"""

import errno
import os
import stat
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any

from core.domain.ids import RunId
from core.errors import ToolFailed
from core.ports.tools import CallContext

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


_SYSTEM_FOLDERS = ("/proc", "/sys", "/dev") if os.name == "posix" else ()
PATH_BYTES = 4095  # what Linux takes: a longer one could be made piece by piece, and nobody could open it


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """Where a path leads. `path` is absolute and free of links below the allowed folder, as the person named that.

    `root` is the real path of the allowed folder; `parts` lead from there, through no link.
    """

    path: str
    root: str
    parts: tuple[str, ...]

    def folder(self) -> Folder:
        """The place itself, opened as a folder."""
        return self._enter(self.parts, create=False)

    @contextmanager
    def parent(self, *, create: bool = False) -> Iterator[tuple[Folder, str]]:
        """The open folder that holds it, and its name there; with `create` missing folders are made."""
        if not self.parts:
            raise ToolFailed("not_a_file", "it is a folder")
        with self._enter(self.parts[:-1], create=create) as folder:
            yield folder, self.parts[-1]

    def _enter(self, parts: Sequence[str], *, create: bool) -> Folder:
        folder = Folder.open(self.root)
        for part in parts:
            with folder:
                folder = folder.enter(part, create=create)
        return folder


def resolve_path(path: str, allow: Sequence[str], files: Sequence[str] = ()) -> ResolvedPath:
    """Where `path` leads: into an allowed folder, or to one of the `files`, which are absolute and free of links.

    Raises ToolFailed `not_allowed`, naming the allowed folders, or `invalid_arguments`.
    """
    if not allow and not (files and PurePath(path).is_absolute()):
        raise ToolFailed("not_allowed", f"{path!r} cannot be reached: no folder is allowed", path=path, allowed=[])
    _check_path(path)
    real = PurePath(os.path.realpath(Path(*allow[:1], path)))
    if len(os.fsencode(real)) > PATH_BYTES:
        raise ToolFailed("invalid_arguments", "the path is too long")
    for folder in allow:
        root = os.path.realpath(folder)
        if real.is_relative_to(root) and (is_system_path(PurePath(root)) or not is_system_path(real)):
            parts = real.relative_to(root).parts
            return ResolvedPath(str(Path(folder, *parts)), root, parts)
    if str(real) in files:
        return ResolvedPath(str(real), str(real.parent), (real.name,))
    raise ToolFailed(
        "not_allowed",
        f"{path!r} is outside the folders that are allowed: {', '.join(allow)}",
        path=path,
        allowed=list(allow),
    )


def is_system_path(path: PurePath) -> bool:
    """Whether the system shows itself there, as files."""
    return any(path.is_relative_to(place) for place in _SYSTEM_FOLDERS)


def _check_path(path: str) -> None:
    if not path or "\0" in path:
        raise ToolFailed("invalid_arguments", "the path is empty or holds a NUL character")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ToolFailed("invalid_arguments", "the path holds half a character (a lone surrogate)") from None


_ERRNO_MESSAGES = {
    errno.ENOENT: ("not_found", "it does not exist"),
    errno.ENOTDIR: ("not_a_folder", "it is no folder, or leads through something that is none"),
    errno.ELOOP: ("not_allowed", "it leads through links that cannot be followed"),
    errno.ENXIO: ("not_a_file", "it is no regular file"),
    errno.EISDIR: ("not_a_file", "it is a folder"),
    errno.ENAMETOOLONG: ("invalid_arguments", "the name is too long"),
    errno.EACCES: ("not_allowed", "the system does not permit it"),
    errno.EPERM: ("not_allowed", "the system does not permit it"),
    errno.EROFS: ("not_allowed", "it can only be read"),
    errno.ENOSPC: ("disk_full", "the disk is full"),
    errno.EDQUOT: ("disk_full", "the quota of the disk is used up"),
    errno.EFBIG: ("disk_full", "the file would be larger than the system permits"),
}


@contextmanager
def path_errors(path: str) -> Iterator[None]:
    """Turn what the system, or a folder, says into a ToolFailed that names the path."""
    try:
        yield
    except OSError as error:
        code, words = _ERRNO_MESSAGES.get(error.errno or 0, ("failed", error.strerror or type(error).__name__))
        raise ToolFailed(code, f"{path}: {words}", path=path) from error
    except ToolFailed as error:
        raise ToolFailed(error.code, f"{path}: {error.message}", path=path) from None


PickedFiles = Callable[[RunId], Awaitable[Sequence[str]]]
"""The files that were picked for a run: absolute, free of links."""


async def no_picked_files(run_id: RunId) -> Sequence[str]:
    return ()


async def retry_with_picked(
    picked: PickedFiles, context: CallContext, work: Callable[[Sequence[str]], Awaitable[dict[str, Any]]]
) -> dict[str, Any]:
    """What the work gives. Only where it leads out of the folders is it asked what was picked: most calls do not."""
    try:
        return await work(())
    except ToolFailed as error:
        files = await picked(context.run_id) if error.code == "not_allowed" else ()
        if not files:
            raise
    return await work(files)
