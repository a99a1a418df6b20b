"""The check of a store before the engine opens it, and what is in doubt about it.

The engine opens damaged stores as if nothing were missing, and changes them. So the files are compared with the watch
file first, and after an unclean end, or for a store that is not known, the engine opens a copy in another process. A
store in doubt is not touched: the user chooses what happens (see `doubt`).
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.errors import StorageFailed
from core.persistence.driver import ENGINE
from core.persistence.failures import os_failure
from core.persistence.probe import Findings, probe
from core.persistence.schema import VERSION
from core.persistence.store_files import Difference, differences, engine_files, has_other_manifest
from core.persistence.store_watch import StoreWatch
from core.persistence.watch_file import DamagedWatchFile, Mark, Picture, WatchFile

MAX_NAMED_FILES = 5


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a store before it is opened. `picture` is None without a readable watch file."""

    file: WatchFile
    picture: Picture | None
    is_damaged: bool = False


async def checked(store: Path) -> StoreWatch:
    """Return the watch of a store that may be opened.

    Raises StorageFailed: `store_doubtful` (see `_doubt`), `storage_not_readable`, and `storage_full` or
    `storage_not_writable` if a copy is needed and cannot be made.
    """
    try:
        await asyncio.to_thread(refuse_if_open, store)
        seen = await asyncio.to_thread(_read_watch_file, store)
        files = await asyncio.to_thread(engine_files, store)
        if seen.picture is None:
            return await _check_unknown(store, seen, is_new=not files)
        found = await asyncio.to_thread(differences, store, seen.picture)
    except OSError as error:
        raise os_failure(error, is_reading=True) from error
    if not files and (seen.picture.files or seen.file.mark.number):
        raise _doubt("gone", store, seen, Findings())
    if seen.picture.schema > VERSION:
        raise _doubt("later_release", store, seen, Findings(schema=seen.picture.schema))
    if found:
        raise _doubt(*await _explained(store, seen), files=found)
    if files and (not seen.picture.is_clean or seen.picture.engine != ENGINE):
        await _check_copy(store, seen, seen.picture)
    return StoreWatch(store, seen.file, seen.picture, schema=seen.picture.schema)


async def doubt_of(store: Path) -> StorageFailed | None:
    """Return why the closed store is in doubt, or None. Raises StorageFailed for all else that keeps it closed."""
    try:
        await checked(store)
    except StorageFailed as error:
        if error.code != "store_doubtful":
            raise
        return error
    return None


def refuse_if_open(store: Path) -> None:
    """Raise StorageFailed `in_use` if a process has the store open: its files are about to change."""
    try:
        import fcntl
    except ImportError:  # Windows: files in use cannot be copied there
        return
    try:
        with (store / "LOCK").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StorageFailed("in_use", f"another process uses the data folder: {store}") from None
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return


def _read_watch_file(store: Path) -> Seen:
    file = WatchFile(store)
    try:
        picture, file.mark = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return Seen(file, None)
    except DamagedWatchFile:
        return Seen(file, None, is_damaged=True)
    return Seen(file, picture)


async def _check_unknown(store: Path, seen: Seen, *, is_new: bool) -> StoreWatch:
    """Check a store without a watch file: new, of an earlier release, or else in doubt."""
    if is_new and not seen.is_damaged:
        return StoreWatch(store, seen.file, Picture())
    findings = await probe(store, Mark(), reads_all=True)
    if seen.is_damaged:
        raise _doubt("watch_damaged", store, seen, findings)
    if findings.failure or findings.unreadable:
        raise _doubt("damaged", store, seen, findings)
    if not findings.schema:
        raise _doubt("damaged", store, seen, findings)
    if findings.number:  # an earlier release does not number its commits
        raise _doubt("unknown", store, seen, findings)
    return StoreWatch(store, seen.file, Picture())


async def _check_copy(store: Path, seen: Seen, picture: Picture) -> None:
    """Open a copy of a store after an unclean end, and compare numbers. Raises StorageFailed `store_doubtful`."""
    mark = seen.file.mark
    # tables that are not in the picture have no hashes: the engine checks them as it reads
    reads_all = await asyncio.to_thread(has_other_manifest, store, picture) or picture.engine != ENGINE
    findings = await probe(store, mark, reads_all=reads_all)
    reason = None
    if findings.failure:
        reason = "unopenable"
    elif findings.unreadable or findings.schema is None:
        reason = "damaged"
    elif findings.schema > VERSION:
        reason = "later_release"
    elif not findings.schema and not (picture.files or mark.number):
        return  # killed while the first tables were made
    elif findings.schema < picture.schema or findings.checkpoint < picture.checkpoint:
        reason = "older"
    elif mark.row is not None and (findings.mark_number or 0) < mark.number:
        reason = "incomplete"
    if reason is not None:
        raise _doubt(reason, store, seen, findings)


async def _explained(store: Path, seen: Seen) -> tuple[str, Path, Seen, Findings]:
    """Return why files differ from the picture: damage, or an older or later copy of the store."""
    assert seen.picture is not None
    findings = await probe(store, seen.file.mark, reads_all=True)
    reason = "damaged"
    if findings.is_whole:
        number = seen.file.mark.number
        reason = "older" if findings.number < number else "later" if findings.number > number else "changed"
    return reason, store, seen, findings


_REASONS = {
    "gone": "the store is missing or empty, but it was not when it was last seen",
    "damaged": "files of the store are missing or damaged",
    "changed": "files of the store are not as they were left",
    "unopenable": "the store cannot be opened",
    "incomplete": "the end of the store's log is missing",
    "older": "the store is older than when it was last seen",
    "later": "the store is later than when it was last seen",
    "later_release": "the store was written by a later release",
    "unknown": "the store was not seen here before",
    "watch_damaged": "the file that watches over the store is damaged",
}


def _doubt(reason: str, store: Path, seen: Seen, findings: Findings, files: Iterable[Difference] = ()) -> StorageFailed:
    """Return the failure for a store in doubt, of which nothing was changed.

    Parameters: `folder`, `reason`, `choices` (see `doubt`), `files` (the first that differ), and the numbers of rows
    that were `seen` and are `found`, by table.
    """
    known = dict(seen.picture.counters) if seen.picture is not None else {}
    choices = ["salvage", "empty"]
    if findings.is_whole and reason != "later_release":
        choices = ["keep", *choices]
    if reason in ("gone", "later_release"):
        choices = ["empty"]
    text = _REASONS[reason]
    if known.get("run") and "run" in findings.counters:
        text += f" ({findings.counters['run']} of {known['run']} runs)"
    differing = [str(difference) for difference in files]
    if differing:
        named = ", ".join(differing[:MAX_NAMED_FILES])
        text += f" ({named}{', …' if len(differing) > MAX_NAMED_FILES else ''})"
    elif findings.failure:
        text += f" ({findings.failure})"
    return StorageFailed(
        "store_doubtful",
        f"{text}: {store}. Nothing was changed.",
        folder=str(store),
        reason=reason,
        choices=choices,
        files=differing[:MAX_NAMED_FILES],
        seen=known,
        found=findings.counters,
    )
