"""Copies of files as they were before and after a call changed them, so that the change can be shown and undone.

They lie in the data folder, a folder for each workflow, named by the hash of their content: what is there already is
not written again. Large files are not kept, and of a workflow that has changed a great deal the oldest copies go.
"""

import hashlib
import logging
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.domain.events import FileChanged
from core.domain.file_diff import FileDiff, compare
from core.domain.ids import WorkflowId
from core.domain.text.masking import masked_text
from core.ports import CallContext
from core.threads.files import make_private_folder, replace_private
from core.threads.pieces import Pieces, in_thread
from core.tools.file_access import Folder, PickedFiles, ResolvedPath, retry_with_picked
from core.tools.text_files import PIECE_BYTES, Stamp, require_stamp, stamp_of

FILE_BYTES = 5_000_000
WORKFLOW_BYTES = 200_000_000

_log = logging.getLogger(__name__)


class FileCopies:
    """The copies in this folder; None keeps nothing. Blocks on the disk."""

    def __init__(self, folder: Path | None = None, *, workflow_bytes: int = WORKFLOW_BYTES) -> None:
        self._folder = folder
        self._workflow_bytes = workflow_bytes

    def keep(self, workflow_id: WorkflowId, content: bytes) -> str:
        """Keep the content, and return its name. What cannot be kept is logged: the change itself goes on."""
        name = digest_of(content)
        if self._folder is not None:
            folder = self._folder_of(workflow_id)
            try:
                make_private_folder(folder)
                if (folder / name).exists():
                    os.utime(folder / name)
                else:
                    replace_private(folder / name, content)
                    self._make_room(folder)
            except OSError as error:
                _log.warning("a copy of a changed file could not be kept: %s", error)
        return name

    def content(self, workflow_id: WorkflowId, name: str) -> bytes | None:
        """Return the content of this name, or None if it is not kept or damaged."""
        if self._folder is None:
            return None
        try:
            content = (self._folder_of(workflow_id) / name).read_bytes()
        except OSError:
            return None
        return content if digest_of(content) == name else None

    def forget(self, workflow_id: WorkflowId) -> None:
        """Remove the copies of a workflow that is deleted."""
        if self._folder is not None:
            shutil.rmtree(self._folder_of(workflow_id), ignore_errors=True)

    def forget_others(self, existing: Iterable[WorkflowId]) -> None:
        """Remove the copies of workflows that are gone: a process may end between the two."""
        if self._folder is None or not self._folder.is_dir():
            return
        kept = {_folder_name(workflow_id) for workflow_id in existing}
        for folder in self._folder.iterdir():
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)

    def _folder_of(self, workflow_id: WorkflowId) -> Path:
        assert self._folder is not None
        return self._folder / _folder_name(workflow_id)

    def _make_room(self, folder: Path) -> None:
        """Remove the oldest copies above the limit of a workflow."""
        with os.scandir(folder) as entries:
            copies = [(state.st_mtime_ns, state.st_size, entry.path) for entry in entries if (state := entry.stat())]
        total = sum(size for _, size, _ in copies)
        for _, size, path in sorted(copies):
            if total <= self._workflow_bytes:
                return
            with suppress(FileNotFoundError):
                Path(path).unlink()
            total -= size


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it was; without `data` if that is too large to be kept."""

    stamp: Stamp
    mode: int
    data: bytes | None


def content_of(folder: Folder, name: str, most: int = FILE_BYTES) -> Pieces[Content | None]:
    """Read a file as it is; None if there is none. Raises ToolFailed `not_a_file`, and OSError."""
    try:
        file = folder.open_file(name, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except PermissionError:  # it may still be written
        state = folder.state(name)
        return Content(stamp_of(state), stat.S_IMODE(state.st_mode), None)
    with file:
        state = os.fstat(file.fileno())
        pieces, size = [], 0
        while size <= most and (piece := file.read(PIECE_BYTES)):
            pieces.append(piece)
            size += len(piece)
            yield
    data = b"".join(pieces) if size <= most else None
    return Content(stamp_of(state), stat.S_IMODE(state.st_mode), data)


class ChangeRecord:
    """What a call changes: keeps the copies, and collects the facts. A call that no run makes is not recorded."""

    def __init__(self, copies: FileCopies, context: CallContext) -> None:
        self._copies = copies
        self._context = context
        self.facts: list[FileChanged] = []

    def before(self, folder: Folder, name: str) -> Pieces[Content | None]:
        """Return the file as it is before the change."""
        return None if self._context.is_outside else (yield from content_of(folder, name))

    def add(
        self,
        change: Literal["written", "moved", "deleted"],
        target: ResolvedPath,
        before: Content | None,
        after: bytes | None = None,
        destination: ResolvedPath | None = None,
    ) -> Pieces[None]:
        """Record a change that was made. `after` is what was written."""
        if self._context.is_outside:
            return
        old = None if before is None or before.data is None else self._keep(before.data)
        new = None if after is None or len(after) > FILE_BYTES else self._keep(after)
        if change == "written" and before is not None and old is not None and old == new:
            return
        old_text = b"" if before is None else before.data
        new_text = b"" if change == "deleted" else after
        diff = None if change == "moved" else (yield from difference(old_text, new_text))
        fact = FileChanged(
            call_id=self._context.call_id,
            change="created" if change == "written" and before is None else change,
            path=masked_text(target.path),
            destination=None if destination is None else masked_text(destination.path),
            before=old,
            after=old if change == "moved" else new,
            added=None if diff is None else diff.added,
            removed=None if diff is None else diff.removed,
            mode=None if before is None else before.mode,
        )
        self.facts.append(fact)

    def _keep(self, data: bytes) -> str:
        return self._copies.keep(self._context.workflow_id, data)


async def record_changes(
    copies: FileCopies,
    picked: PickedFiles,
    context: CallContext,
    work: Callable[[Sequence[str], ChangeRecord], Pieces[dict[str, Any]]],
) -> dict[str, Any]:
    """Do the work in a thread, as `retry_with_picked`, and emit what it changed: also if it is cancelled meanwhile."""
    record = ChangeRecord(copies, context)
    try:
        return await retry_with_picked(picked, context, lambda files: in_thread(work(files, record)))
    finally:
        for fact in record.facts:
            context.emit(fact)


def keeping(pieces: Iterator[bytes], kept: list[bytes]) -> Iterator[bytes]:
    """Yield the pieces, and add them to `kept`."""
    for piece in pieces:
        kept.append(piece)
        yield piece


def require_same(before: Content | None, folder: Folder, name: str) -> None:
    """Raise ToolFailed `changed_since_read` if the file is no longer what was read of it."""
    if before is not None:
        require_stamp(before.stamp, folder, name)


def difference(before: bytes | None, after: bytes | None) -> Pieces[FileDiff | None]:
    """Compare two contents; None if one of them is unknown, too large or no text."""
    if before is None or after is None or max(len(before), len(after)) > FILE_BYTES or b"\0" in before + after:
        return None
    try:
        texts = before.decode(), after.decode()
    except UnicodeDecodeError:
        return None
    yield
    return (yield from compare(*texts))


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _folder_name(workflow_id: WorkflowId) -> str:
    # An imported workflow may have any id: no part of a path is made of it.
    return hashlib.sha256(workflow_id.encode()).hexdigest()[:32]
