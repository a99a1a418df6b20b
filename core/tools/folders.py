"""Where the file tools may go: inside folders that a person allowed (AGENTS_AND_TOOLS §5).

A relative path starts at the first allowed folder; the tools have put the base of their run before it, if it has
one. `~` and variables are not expanded. A link is followed if it stays inside; what leads out, by `..`, by a link or
by an absolute path, is `not_allowed`, whether it exists or not. So is what the system shows as files and is none of
anybody's (`/proc`, `/sys`, `/dev`), unless it was allowed by that name: the variables of this process are among it. A
second name of a file (a hard link) is a file of its folder, like the first; but no tool changes what may have a name
elsewhere: `write_file` puts a new file in its place, and does not append to it.

A file that a person picked can be reached too, and nothing beside it.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.errors import ToolFailed
from core.tools.handles import Folder

_OF_SYSTEM = ("/proc", "/sys", "/dev") if os.name == "posix" else ()
PATH_BYTES = 4095  # what Linux takes: a longer one could be made piece by piece, and nobody could open it


@dataclass(frozen=True, slots=True)
class Place:
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


def resolve(path: str, allow: Sequence[str], files: Sequence[str] = ()) -> Place:
    """Where `path` leads: into an allowed folder, or to one of the `files`, which are absolute and free of links.

    Raises ToolFailed `not_allowed`, naming the allowed folders, or `invalid_arguments`.
    """
    if not allow and not (files and PurePath(path).is_absolute()):
        raise ToolFailed("not_allowed", f"{path!r} cannot be reached: no folder is allowed", path=path, allowed=[])
    _require_usable(path)
    real = PurePath(os.path.realpath(Path(*allow[:1], path)))
    if len(os.fsencode(real)) > PATH_BYTES:
        raise ToolFailed("invalid_arguments", "the path is too long")
    for folder in allow:
        root = os.path.realpath(folder)
        if real.is_relative_to(root) and (is_of_system(PurePath(root)) or not is_of_system(real)):
            parts = real.relative_to(root).parts
            return Place(str(Path(folder, *parts)), root, parts)
    if str(real) in files:
        return Place(str(real), str(real.parent), (real.name,))
    raise ToolFailed(
        "not_allowed",
        f"{path!r} is outside the folders that are allowed: {', '.join(allow)}",
        path=path,
        allowed=list(allow),
    )


def is_of_system(path: PurePath) -> bool:
    """Whether the system shows itself there, as files."""
    return any(path.is_relative_to(place) for place in _OF_SYSTEM)


def _require_usable(path: str) -> None:
    if not path or "\0" in path:
        raise ToolFailed("invalid_arguments", "the path is empty or holds a NUL character")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ToolFailed("invalid_arguments", "the path holds half a character (a lone surrogate)") from None


_WORDS = {
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
def explained(path: str) -> Iterator[None]:
    """Turn what the system, or a folder, says into a ToolFailed that names the path."""
    try:
        yield
    except OSError as error:
        code, words = _WORDS.get(error.errno or 0, ("failed", error.strerror or type(error).__name__))
        raise ToolFailed(code, f"{path}: {words}", path=path) from error
    except ToolFailed as error:
        raise ToolFailed(error.code, f"{path}: {error.message}", path=path) from None
