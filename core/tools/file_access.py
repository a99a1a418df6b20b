"""Which files the file tools reach: inside folders that the user allowed, and picked files (AGENTS_AND_TOOLS §5).

A relative path starts at the first allowed folder, or beside the first file if only files are allowed; the tools
prepend the base of their run, if it has one. `~` and
variables are not expanded. A link is followed if it stays inside; a path that leads out, by `..`, by a link or
absolutely, is `not_allowed`, whether it exists or not. So are the pseudo file systems `/proc`, `/sys` and `/dev`,
unless they were allowed by that name: they include this process's own environment. A hard link is a file of its folder
like any other; but no tool changes a file in place that may have another name elsewhere: `write_file` replaces it, and
does not append to it. A picked file is reached by its own path, and nothing beside it. In a folder that may only be
read nothing is changed; of folders inside each other, the innermost decides.

The app's own folders are `not_allowed` wherever they lie, also inside an allowed folder, under another name of theirs
(a bind mount, a file system that ignores case), and through a hard link to one of their files: they are recognized by
device and inode, on what was opened.

An open folder guards against a swap: what is opened through it lies in it, even if the folder is replaced by a link
meanwhile. On POSIX a folder is a descriptor and no last component is ever followed. Windows has neither: there the
checked path is opened, without that guard.
"""

import errno
import os
import re
import stat
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any

from core.domain.access import RealPath
from core.domain.ids import RunId
from core.errors import ToolFailed
from core.ports import CallContext
from core.threads.files import rename_exclusively
from core.tools.own_places import NO_PLACES, OWN_MESSAGE, UNGUARDED, Guard, OwnPlaces

HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd


def _flags(*names: str) -> int:
    return sum(getattr(os, name, 0) for name in names)


_FOLDER = _flags("O_RDONLY", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
_FILE = _flags("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY")  # a FIFO must not block


class Folder:
    """An open folder. Methods take the name of an entry and raise OSError as the system does."""

    def __init__(self, path: str, descriptor: int | None, guard: Guard = UNGUARDED) -> None:
        """Own the descriptor. Raises ToolFailed `not_allowed` for a folder of the app."""
        self._path = path
        self._descriptor = descriptor
        self._guard = guard
        try:
            guard.require_foreign(os.stat(path) if descriptor is None else os.fstat(descriptor))  # noqa: PTH116
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, path: str, guard: Guard = UNGUARDED) -> "Folder":
        """Open the folder at a trusted path. Raises OSError, also for a link, and ToolFailed as the constructor."""
        return cls(path, os.open(path, _FOLDER) if HAS_DESCRIPTORS else None, guard)

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def enter(self, name: str, *, create: bool = False) -> "Folder":
        """Open the sub-folder; `create` makes it if it is missing."""
        if create:
            with suppress(FileExistsError):
                os.mkdir(self._at(name), dir_fd=self._descriptor)
        if self._descriptor is None:
            return Folder(self._at(name), None, self._guard)
        return Folder(name, os.open(name, _FOLDER, dir_fd=self._descriptor), self._guard)

    def entries(self) -> "AbstractContextManager[Iterator[os.DirEntry[str]]]":
        """Return the entries, unsorted."""
        return os.scandir(self._path if self._descriptor is None else self._descriptor)

    def state(self, name: str) -> os.stat_result:
        """Return the state of the entry itself, even of a link."""
        return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)

    def open_file(self, name: str, flags: int, mode: int = 0o666) -> FileIO:
        """Open the regular file, unbuffered. Raises ToolFailed `not_a_file` for anything else, links included, without
        opening it.
        """
        try:
            # Checked before opening, since opening a FIFO or a device may block or have an effect; and again on the
            # descriptor, since the entry may be swapped in between.
            self._require_file(self.state(name))
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                raise
        descriptor = os.open(self._at(name), flags | _FILE, mode, dir_fd=self._descriptor)
        try:
            state = os.fstat(descriptor)
            self._require_file(state)
            self._guard.require_foreign(state)
        except BaseException:
            os.close(descriptor)
            raise
        return FileIO(descriptor, "wb" if flags & (os.O_WRONLY | os.O_RDWR) else "rb")

    def replace(self, source: str, target: str) -> None:
        """Rename `source` to `target`, replacing it; synced to disk on return."""
        os.replace(self._at(source), self._at(target), src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        if self._descriptor is not None:
            # The rename is durable only once the folder is synced too.
            os.fsync(self._descriptor)

    def move(self, name: str, goal: "Folder", new_name: str) -> None:
        """Move the file to another folder; synced to disk on return. Raises FileExistsError rather than overwrite."""
        here, there = self._descriptor, goal._descriptor  # noqa: SLF001  # another of this class
        if here is None or there is None:
            Path(self._at(name)).rename(goal._at(new_name))  # noqa: SLF001  # overwrites nothing on Windows
            return
        if not rename_exclusively(name, here, new_name, there):
            self._link_and_remove(name, here, new_name, there)
        os.fsync(there)
        os.fsync(here)

    @staticmethod
    def _link_and_remove(name: str, here: int, new_name: str, there: int) -> None:
        # After a crash in between, the file has both names, and is lost under none.
        os.link(name, new_name, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
        try:
            os.fsync(there)
            os.unlink(name, dir_fd=here)
        except BaseException:
            os.unlink(new_name, dir_fd=there)
            raise

    def set_mode(self, name: str, mode: int) -> None:
        """Set the permissions of a file."""
        with self.open_file(name, os.O_RDONLY) as file:
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), mode)

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self._descriptor)

    def _at(self, name: str) -> str:
        return str(Path(self._path, name)) if self._descriptor is None else name

    @staticmethod
    def _require_file(state: os.stat_result) -> None:
        if not stat.S_ISREG(state.st_mode):
            kind = "a folder" if stat.S_ISDIR(state.st_mode) else "not a regular file"
            raise ToolFailed("not_a_file", f"it is {kind}")


SYSTEM_FOLDERS = ("/proc", "/sys", "/dev") if os.name == "posix" else ()
HOW_TO_ALLOW = "the user can allow one, in the window or with --allow DIR"
PATH_BYTES = 4095  # the limit of Linux: a longer path could be made piece by piece, but not opened


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """The target of a path. `path`, as `shown_name` writes it, is absolute and free of links below the allowed folder,
    which is written as the user named it. `root` is the real path of the allowed folder; `parts` lead from there,
    through no link.
    """

    path: str
    root: str
    parts: tuple[str, ...]
    guard: Guard = UNGUARDED

    @property
    def real(self) -> str:
        """The path, free of any link."""
        return str(Path(self.root, *self.parts))

    def folder(self) -> Folder:
        """Open the target as a folder."""
        return self._enter(self.parts, create=False)

    @contextmanager
    def parent(self, *, create: bool = False) -> Iterator[tuple[Folder, str]]:
        """Open the folder that contains the target, and yield it with the target's name; `create` makes missing
        folders.
        """
        if not self.parts:
            raise ToolFailed("not_a_file", "it is a folder")
        with self._enter(self.parts[:-1], create=create) as folder:
            yield folder, self.parts[-1]

    def _enter(self, parts: Sequence[str], *, create: bool) -> Folder:
        root = self.root
        if isinstance(root, RealPath) and create:  # the user may have allowed it before it is there
            while not os.path.lexists(root):
                root, name = os.path.split(root)
                parts = (name, *parts)
        folder = Folder.open(root, self.guard)
        for part in parts:
            # Each folder is closed once the next is open, so that a deep path holds two descriptors.
            with folder:
                folder = folder.enter(part, create=create)
        return folder


def resolve_path(
    path: str,
    allow: Sequence[str],
    files: Sequence[str] = (),
    own: OwnPlaces = NO_PLACES,
    read_only: Sequence[str] = (),
) -> ResolvedPath:
    """Resolve `path` to a target in an allowed folder, or to one of the `files`, which are absolute and free of links.
    Whatever is reached through the target is checked against the app's `own` places. A tool that changes files gives
    the folders of `allow` that are `read_only`.

    Raises ToolFailed `not_allowed`, naming the allowed folders, or `invalid_arguments`.
    """
    if not allow and not (files and PurePath(path).is_absolute()):
        message = f"{path!r} cannot be reached: no folder is allowed; {HOW_TO_ALLOW}"
        raise ToolFailed("not_allowed", message, path=path, allowed=[])
    _check_path(path)
    # Real paths on both sides of the comparison: neither `..` nor a link can lead out.
    real = real_path(path, allow)
    if len(os.fsencode(real)) > PATH_BYTES:
        raise ToolFailed("invalid_arguments", "the path is too long")
    guard = own.guard()
    if guard.holds_path(real):
        raise ToolFailed("not_allowed", f"{path!r}: {OWN_MESSAGE}", path=path)
    roots = [(folder, root) for folder in allow if (root := root_of(folder)) is not None]
    if read_only:
        _require_writable(path, real, roots, read_only)
    for folder, root in roots:
        if real.is_relative_to(root) and (is_system_path(PurePath(root)) or not is_system_path(real)):
            parts = real.relative_to(root).parts
            if not parts and not os.path.isdir(real):  # noqa: PTH112 - a file is allowed alone; never raises
                return ResolvedPath(shown_name(folder), str(real.parent), (real.name,), guard)
            return ResolvedPath(shown_name(str(Path(folder, *parts))), root, parts, guard)
    if str(real) in files:
        return ResolvedPath(shown_name(str(real)), str(real.parent), (real.name,), guard)
    raise ToolFailed(
        "not_allowed",
        f"{path!r} is outside the folders that are allowed: {', '.join(allow)}; {HOW_TO_ALLOW}",
        path=path,
        allowed=list(allow),
    )


def real_path(path: str, allow: Sequence[str]) -> PurePath:
    """Return where the path leads, free of links. Blocks on the disk."""
    return PurePath(os.path.realpath(Path(_start(allow), _of_shown(path))))


def root_of(folder: str) -> str | None:
    """Return the real path of an allowed folder; None if a link has taken its place since the user was shown it."""
    root = os.path.realpath(folder)
    if not isinstance(folder, RealPath):
        return root
    return folder if root == folder else None


def _start(allow: Sequence[str]) -> str:
    """Return where relative paths start."""
    folder = next((folder for folder in allow if not os.path.isfile(folder)), None)  # noqa: PTH113 - never raises
    return folder if folder is not None else os.path.dirname(next(iter(allow), ""))  # noqa: PTH120


def _require_writable(path: str, real: PurePath, roots: Sequence[tuple[str, str]], read_only: Sequence[str]) -> None:
    """Raise ToolFailed `not_allowed` if the innermost folder with the path may only be read."""
    holding = [(folder, root) for folder, root in roots if real.is_relative_to(root)]
    innermost = max((root for _, root in holding), key=len, default=None)
    names = [folder for folder, root in holding if root == innermost]
    if names and all(folder in read_only for folder in names):
        raise ToolFailed(
            "not_allowed",
            f"{path!r} may only be read: {names[0]} is open for reading; {HOW_TO_ALLOW}",
            path=path,
            read_only=names,
        )


_ODD_BYTE = re.compile("[\udc80-\udcff]")  # as Python holds a byte of a name that is not UTF-8
_ESCAPE = re.compile(r"\\x(5C|[89A-F][0-9A-F])")
_ESCAPE_BYTES = re.compile(_ESCAPE.pattern.encode())


def shown_name(name: str) -> str:
    """Return the name or path as text: a byte that is not UTF-8 as an escape such as `\\xE9`, which `resolve_path`
    takes back, and a backslash that could be taken for the beginning of an escape as `\\x5C`.
    """
    if os.name != "posix":  # names are UTF-16 there, and a backslash separates folders
        return os.fsencode(name).decode("utf-8", "replace")
    return _ODD_BYTE.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02X}", _ESCAPE.sub(r"\\x5Cx\1", name))


def _of_shown(path: str) -> str:
    """Return the path that `shown_name` shows like this; any other is returned as it is."""
    if os.name != "posix" or not _ESCAPE.search(path):
        return path
    named = os.fsdecode(_ESCAPE_BYTES.sub(lambda escape: bytes([int(escape[1], 16)]), path.encode()))
    return named if shown_name(named) == path else path


def is_system_path(path: PurePath) -> bool:
    """Return whether the path lies in a pseudo file system."""
    return any(path.is_relative_to(folder) for folder in SYSTEM_FOLDERS)


def _check_path(path: str) -> None:
    if not path or "\0" in path:
        raise ToolFailed("invalid_arguments", "the path is empty or holds a NUL character")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ToolFailed("invalid_arguments", "the path holds half a character (a lone surrogate)") from None


_ERRNO_MESSAGES = {
    errno.ENOENT: ("not_found", "it does not exist"),
    errno.EEXIST: ("exists", "there is something already, which is not overwritten"),
    errno.EXDEV: ("failed", "it lies on another disk"),
    errno.ENOTDIR: ("not_a_folder", "it is not a folder, or leads through something that is not a folder"),
    errno.ELOOP: ("not_allowed", "it leads through links that cannot be followed"),
    errno.ENXIO: ("not_a_file", "it is not a regular file"),
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
    """Convert OSError and ToolFailed to a ToolFailed that names the path."""
    try:
        yield
    except OSError as error:
        code, message = _ERRNO_MESSAGES.get(error.errno or 0, ("failed", error.strerror or type(error).__name__))
        raise ToolFailed(code, f"{path}: {message}", path=path) from error
    except ToolFailed as error:
        raise ToolFailed(error.code, f"{path}: {error.message}", path=path) from None


PickedFiles = Callable[[RunId], Awaitable[Sequence[str]]]
"""The files that were picked for a run: absolute, free of links."""


async def no_picked_files(run_id: RunId) -> Sequence[str]:
    """Return no files."""
    return ()


async def retry_with_picked(
    picked: PickedFiles, context: CallContext, work: Callable[[Sequence[str]], Awaitable[dict[str, Any]]]
) -> dict[str, Any]:
    """Run the work without picked files, and again with them if it is `not_allowed`. Most calls need no lookup."""
    try:
        return await work(())
    except ToolFailed as error:
        files = await picked(context.run_id) if error.code == "not_allowed" else ()
        if not files:
            raise
    return await work(files)
