"""The files that a run has changed, folded from what each of its calls did. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from core.domain.events import FileChanged


class FileState(StrEnum):
    """What became of a file in a run."""

    CREATED = "created"
    WRITTEN = "written"
    MOVED = "moved"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a run has changed: where it is, or was before it was deleted, and the copies of its content before
    and after the run; None where there was no file, or no copy of it. `was_at` is its place before, if it was moved.
    """

    path: str
    state: FileState
    before: str | None
    after: str | None
    mode: int | None = None
    was_at: str | None = None


def changed_files(changes: Iterable[FileChanged]) -> list[ChangedFile]:
    """Return each changed file once, in the order of the first changes; not what the run has itself taken back."""
    files: dict[str, ChangedFile] = {}
    for change in changes:
        known = files.get(change.path)
        match change.change:
            case "moved":
                assert change.destination is not None
                files.pop(change.path, None)
                files[change.destination] = _moved(known, change, change.destination)
            case "deleted":
                files.pop(change.path, None)
                if known is None or known.state is not FileState.CREATED:
                    files[change.path] = _deleted(known, change)
            case "created" | "written":
                files[change.path] = _written(known, change)
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


def _is_as_before(file: ChangedFile) -> bool:
    return file.state is FileState.WRITTEN and file.before is not None and file.before == file.after
