"""Putting a finished store in place of the current one: killed at any point, the next opening finds the old or the new.

Only the names of folders beside the store tell how far a replacement has come, so nothing has to be parsed:

    store.building    a new store that is not finished; it is deleted
    store.next        a finished store: from here on a replacement is completed, not undone
    store.old         the previous one, until the watch file describes the new one
    store.removed     the previous one, while it is deleted

With `-keep` behind `next` and `old` the previous store is not deleted, but becomes `store.aside-DATE`. No commit may
happen between the last look at the old store and the end of `replace`: its caller holds the store's lock.
"""

import logging
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from core.threads.files import sync_folder

log = logging.getLogger(__name__)

OnPlaced = Callable[[Path], None]
"""Called with the store's folder once the new store is there, again if the process was killed meanwhile."""

_KEEP = "-keep"


def building_folder(path: Path) -> Path:
    """Return the folder for building the next store of `path`. `recover` deletes it."""
    return _beside(path, "building")


def snapshot_folder(path: Path) -> Path:
    """Return the folder for the copy that the next store of `path` is built from. `recover` deletes it."""
    return _beside(path, "snapshot")


def replace(path: Path, on_placed: OnPlaced, *, keep_old: bool = False) -> Path | None:
    """Replace the closed store at `path`, which may be missing, by the closed store in its building folder.

    Returns where the old store is with `keep_old`. Blocks on the disk. Raises OSError: the old store is in its place,
    or the new one, which is completed by `recover`; nothing may be opened before that succeeds.
    """
    keep = _KEEP if keep_old else ""
    following, old = _beside(path, "next" + keep), _beside(path, "old" + keep)
    _finish_earlier(path, on_placed)
    _sync_tree(building_folder(path))
    _rename(building_folder(path), following)
    try:
        _place(path, following, old)
    except OSError:
        _undo(path, following, old)
        raise
    return _complete(path, old, on_placed)


def recover(path: Path, on_placed: OnPlaced) -> None:
    """Complete or undo a replacement that was cut off, and delete what it left.

    To be called with the store's lock, before its folder is looked at. Blocks on the disk. Raises OSError.
    """
    _finish_earlier(path, on_placed)
    discard_unfinished(path)


def discard_unfinished(path: Path) -> None:
    """Delete what a new store was built of. Blocks on the disk. Raises OSError."""
    for folder in (building_folder(path), snapshot_folder(path)):
        _delete(folder)
    building_folder(path).with_name(f"{building_folder(path).name}.lock").unlink(missing_ok=True)


def aside_folder(path: Path) -> Path:
    """Return a free name with today's date beside the store, for setting a store aside."""
    name = f"aside-{datetime.now(UTC):%Y-%m-%d}"
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(folder for folder in (_beside(path, name) for name in names) if not os.path.lexists(folder))


# The states are told apart by what exists: `next` says that the new store is finished, `old` without it that the new
# one is in place, or, where no store is, that it is to be put back.
def _finish_earlier(path: Path, on_placed: OnPlaced) -> None:
    _delete(_beside(path, "removed"))
    for keep in ("", _KEEP):
        following, old = _beside(path, "next" + keep), _beside(path, "old" + keep)
        if following.exists():
            _place(path, following, old)
        elif old.exists() and not path.exists():
            _rename(old, path)
        if old.exists():
            _complete(path, old, on_placed)


def _place(path: Path, following: Path, old: Path) -> None:
    if not old.exists():
        if path.exists():
            _rename(path, old)
        else:
            old.mkdir(mode=0o700)  # the mark that the new store is in place
            sync_folder(path.parent)
    _rename(following, path)


def _undo(path: Path, following: Path, old: Path) -> None:
    """Put back what `_place` has moved. What cannot be put back is completed by the next opening."""
    try:
        if old.exists() and not path.exists():
            _rename(old, path)
        _rename(following, building_folder(path))
    except OSError as error:
        log.warning("the replacement of the store is completed at the next opening: %s", error)


def _complete(path: Path, old: Path, on_placed: OnPlaced) -> Path | None:
    on_placed(path)
    if old.name.endswith(_KEEP) and any(old.iterdir()):
        kept = aside_folder(path)
        _rename(old, kept)
        return kept
    removed = _beside(path, "removed")
    _rename(old, removed)
    _delete(removed)
    return None


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")


def _rename(source: Path, target: Path) -> None:
    source.rename(target)
    sync_folder(source.parent)


def _delete(folder: Path) -> None:
    """Delete the folder, if it exists. What the system refuses to delete is left to the next time."""
    if folder.exists():
        shutil.rmtree(folder, onerror=_log_remains)


def _log_remains(function: object, name: str, reason: tuple[type[BaseException], BaseException, object]) -> None:
    log.warning("%s could not be deleted: %s", name, reason[1])


def _sync_tree(folder: Path) -> None:
    for inside, _, names in os.walk(folder):
        for name in names:
            with Path(inside, name).open("rb+") as file:
                os.fsync(file.fileno())
        sync_folder(Path(inside))
