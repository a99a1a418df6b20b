"""The files that a run has changed, folded from what each of its calls did. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from core.domain.events import FileChanged
from core.domain.file_diff import FileDiff


class FileState(StrEnum):
    """What became of a file in a run."""

    CREATED = "created"
    WRITTEN = "written"
    MOVED = "moved"
    DELETED = "deleted"


class Takeback(StrEnum):
    """What can be done about a change: `undo` it, do it again (`redo`) after that, or nothing: the file has `changed`
    since, or its copy is `gone`.
    """

    UNDO = "undo"
    REDO = "redo"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a run has changed: where it is, or was before it was deleted, and the copies of its content before
    and after the run; None where there was no file, or no copy of it. `was_at` is its place before, if it was moved.
    `added` and `removed` are the lines of all its changes together, as far as they are known.
    """

    path: str
    state: FileState
    before: str | None
    after: str | None
    mode: int | None = None
    was_at: str | None = None
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A changed file with the lines that the run as a whole added and removed, its differences, and what can be done
    about them as things are now. No `diff` where it is no text, too large, or not kept any more. `changed_by` is the
    title of the workflow that has changed the file since, if that is known.
    """

    file: ChangedFile
    takeback: Takeback
    diff: FileDiff | None = None
    changed_by: str | None = None


def changed_files(changes: Iterable[FileChanged]) -> list[ChangedFile]:
    """Return each changed file once, in the order of the first changes; not what the run has itself taken back."""
    files: dict[str, ChangedFile] = {}
    for change in changes:
        known = files.get(change.path)
        match change.change:
            case "moved":
                assert change.destination is not None
                files.pop(change.path, None)
                known = _moved(known, change, change.destination)
                files[known.path] = known
            case "deleted":
                files.pop(change.path, None)
                if known is None or known.state is not FileState.CREATED:
                    known = _counted(_deleted(known, change), change)
                    files[known.path] = known
            case "created" | "written":
                files[change.path] = _counted(_written(known, change), change)
    return [file for file in files.values() if not _is_as_before(file)]


def _moved(known: ChangedFile | None, change: FileChanged, destination: str) -> ChangedFile:
    if known is None:
        return ChangedFile(destination, FileState.MOVED, change.before, change.after, change.mode, was_at=change.path)
    if known.state is FileState.CREATED:
        return replace(known, path=destination)
    was_at = known.was_at or change.path
    if was_at == destination:
        return replace(known, path=destination, state=FileState.WRITTEN, was_at=None)
    return replace(known, path=destination, state=FileState.MOVED, was_at=was_at)


def _deleted(known: ChangedFile | None, change: FileChanged) -> ChangedFile:
    if known is None:
        return ChangedFile(change.path, FileState.DELETED, change.before, None, change.mode)
    return replace(known, path=known.was_at or known.path, state=FileState.DELETED, after=None, was_at=None)


def _written(known: ChangedFile | None, change: FileChanged) -> ChangedFile:
    if known is None:
        return ChangedFile(change.path, FileState(change.change), change.before, change.after, change.mode)
    if known.state is FileState.DELETED:
        return replace(known, state=FileState.WRITTEN, after=change.after)
    return replace(known, after=change.after)


def _counted(file: ChangedFile, change: FileChanged) -> ChangedFile:
    added, removed = file.added + (change.added or 0), file.removed + (change.removed or 0)
    return replace(file, added=added, removed=removed)


def _is_as_before(file: ChangedFile) -> bool:
    return file.state is FileState.WRITTEN and file.before is not None and file.before == file.after
