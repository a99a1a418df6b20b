"""`list_files`: the files of a folder (AGENTS_AND_TOOLS §5)."""

import heapq
import os
import stat
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import Any

from core.domain.access import Access
from core.domain.events import iso_time
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.threads.pieces import Pieces, in_thread
from core.tools import schema
from core.tools.file_access import (
    Folder,
    ResolvedPath,
    is_system_path,
    path_errors,
    resolve_path,
    shown_name,
)
from core.tools.lacking_places import lacking_folders
from core.tools.measure import format_count
from core.tools.own_places import NO_PLACES, Guard, OwnPlaces
from core.tools.registry import Arguments, Tool

MAX_FILES = 10_000
MAX_LEVELS = 64  # each level holds a folder open
BATCH = 1_000
Resolve = Callable[[str], ResolvedPath]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_INFO = ToolInfo(
    name="list_files",
    title="List files",
    description=(
        "Lists the files of a folder and returns {path, files: [{path, name, size, modified}], truncated}; path is the "
        "folder, files are sorted by path, size is in bytes, modified is UTC. Sub-folders are searched only with "
        "recursive; unreadable sub-folders are skipped and listed in unreadable. truncated is true above 10,000 files "
        "or 64 levels."
    ),
    input_schema=schema.of_object(
        {"path": schema.path("The folder to list.")},
        {
            "pattern": {
                **schema.text("Wildcards (* ? [a-z]) for the name of a file, without its folder: *.txt", 255),
                "default": "*",
            },
            "recursive": schema.flag("Search sub-folders too.", default=False),
        },
    ),
    category=Category.FILES,
)


def tool(own: OwnPlaces = NO_PLACES) -> Tool:
    """Return the tool. Errors: as `core.tools.file_access`; below the folder, the app's `own` folders and files are
    left out.

    A link is listed if it leads to a file inside an allowed folder; links to folders are never followed. Names that are
    not UTF-8 are shown with escapes, by which they can be opened. `modified` is null beyond year 9999.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        path = context.from_base(arguments["path"])
        pattern, recursive = arguments.get("pattern", "*"), arguments.get("recursive", False)
        if "/" in pattern:
            message = "the pattern is for the name alone; use path and recursive for folders"
            raise ToolFailed("invalid_arguments", message)
        return await in_thread(_list(lambda name: resolve_path(name, context.allow, own=own), path, pattern, recursive))

    lacking = lacking_folders(own, is_folder=True, path=Access.READ)
    return Tool(_INFO, server=call, read_only=True, summary=_summary, lacking=lacking)


def _list(resolve: Resolve, path: str, pattern: str, recursive: bool) -> Pieces[dict[str, Any]]:
    target = resolve(path)
    of_system = is_system_path(PurePath(target.root, *target.parts))
    listing = _Listing(resolve, target.guard, pattern, recursive, of_system=of_system)
    with path_errors(target.path), target.folder() as folder:
        yield from listing.add_folder(folder, target.path, MAX_LEVELS)
    result: dict[str, Any] = {"path": target.path, "files": listing.files, "truncated": listing.truncated}
    return {**result, "unreadable": listing.unreadable} if listing.unreadable else result


class _Listing:
    """The files so far, in the order of their paths, so that the first 10,000 are always the same."""

    def __init__(self, resolve: Resolve, guard: Guard, pattern: str, recursive: bool, *, of_system: bool) -> None:
        self.files: list[dict[str, Any]] = []
        self.truncated = False
        self.unreadable: list[str] = []
        self._is_full = False
        self._is_of_system = of_system
        self._resolve = resolve
        self._guard = guard
        self._pattern = pattern
        self._recursive = recursive

    def add_folder(self, folder: Folder, path: str, levels: int) -> Pieces[None]:
        for name in (yield from self._names(folder)):
            if self._is_full:
                return
            inside = str(Path(path, shown_name(name)))
            # `_names` marks a folder by the separator at its end.
            if name.endswith(os.sep):
                yield from self._add_sub_folder(folder, name[:-1], inside, levels)
            else:
                self._add_file(folder, name, inside)
            yield

    def _names(self, folder: Folder) -> Pieces[Iterable[str]]:
        """Return the names, sorted as paths are, a folder as `name/`. Sorts in batches, since sorting holds the
        interpreter.
        """
        batches: list[list[str]] = [[]]
        with folder.entries() as entries:
            for number, entry in enumerate(entries, 1):
                if entry.is_dir(follow_symlinks=False):
                    if self._recursive:
                        batches[-1].append(entry.name + os.sep)
                elif fnmatch(entry.name, self._pattern):
                    batches[-1].append(entry.name)
                if number % BATCH == 0:
                    batches[-1].sort()
                    batches.append([])
                    yield
        batches[-1].sort()
        return heapq.merge(*batches)

    def _add_sub_folder(self, parent: Folder, name: str, path: str, levels: int) -> Pieces[None]:
        if is_system_path(PurePath(path)) and not self._is_of_system:
            return
        if not levels:
            self.truncated = True
            return
        try:
            with parent.enter(name) as folder:
                yield from self.add_folder(folder, path, levels - 1)
        except ToolFailed:  # a folder of the app
            return
        except OSError:
            self.unreadable.append(path)

    def _add_file(self, folder: Folder, name: str, path: str) -> None:
        try:
            state = folder.state(name)
            if stat.S_ISLNK(state.st_mode):
                with self._resolve(path).parent() as (home, target):
                    state = home.state(target)
        except (OSError, ToolFailed):  # it vanished, or leads to nothing that may be seen
            return
        if not stat.S_ISREG(state.st_mode) or self._guard.holds(state):
            return
        if len(self.files) == MAX_FILES:
            self.truncated = self._is_full = True
            return
        listed = {"path": path, "name": shown_name(name), "size": state.st_size, "modified": _time(state)}
        self.files.append(listed)


def _time(state: os.stat_result) -> str | None:
    try:
        return iso_time(_EPOCH + timedelta(milliseconds=state.st_mtime_ns // 1_000_000))
    except OverflowError:
        return None


def _summary(arguments: Arguments, value: Any) -> str:
    more = " and more" if value["truncated"] else ""
    skipped = value.get("unreadable")
    return format_count(len(value["files"]), "file") + more + (f"; {len(skipped)} unreadable" if skipped else "")
