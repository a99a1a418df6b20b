"""The open store: its handle, its place, its lock; opening, closing within a time limit, and merging its tables.

The engine goes on writing into files that were moved, replaced or removed, and reports success. So the place is looked
at after each commit, and a store that is gone is never closed, which would write into what is there instead.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from core.errors import MetierError, StorageFailed
from core.persistence import manifest, replacement
from core.persistence.engine_handle import UNLOCK_TRIES, close_handle, execute, open_with_empty_log
from core.persistence.failures import os_failure
from core.persistence.folder import MIB, check_free_space, make_private, prepare_folder, refuse_misread_path
from core.persistence.statements import Query, Statement, build_query
from core.persistence.store_place import FolderLock, PlaceState, StorePlace
from core.persistence.store_watch import StoreWatch, adopt
from core.persistence.worker_process import run_job
from core.threads.daemons import in_daemon_thread
from core.threads.files import make_private_folder

T = TypeVar("T")

MERGE_JOB = "core.persistence.manifest:merge"

# Carries the number of the last commit before the log was emptied.
CHECKPOINT_ROW = ("meta", "checkpoint")
_CHECKPOINT = Statement("UPSERT meta:checkpoint SET commit = $commit RETURN NONE", None, carrier=CHECKPOINT_ROW)

COUNTED = ("workflow", "run")

log = logging.getLogger(__name__)

# Handles that can neither be used nor closed. Dropped, they would write into what is at their path now.
_abandoned: list[Any] = []


@dataclass(frozen=True, slots=True)
class Limits:
    """When the log is renewed, and how long the engine may take.

    The log is renewed at `log_bytes`, or after `idle_s` without a commit at `idle_log_bytes`. Where the disk has no
    room for that it grows on, up to `max_log_bytes`.
    """

    log_bytes: int = 64 * MIB
    idle_log_bytes: int = 8 * MIB
    max_log_bytes: int = 512 * MIB
    idle_s: float = 30.0
    commit_s: float = 30.0
    read_s: float = 60.0
    close_s: float = 20.0


LIMITS = Limits()


async def lock_folder(path: Path, on_placed: replacement.OnPlaced = lambda path: None) -> FolderLock:
    """Take the lock of a store's folder, and complete or undo a replacement that was cut off.

    Creates the folders above. Raises StorageFailed: `in_use`, `storage_not_writable`, `storage_full`.
    """
    return await asyncio.to_thread(_lock_folder, path, on_placed)


def _lock_folder(path: Path, on_placed: replacement.OnPlaced) -> FolderLock:
    try:
        refuse_misread_path(path)
        make_private_folder(path.parent)
        lock = FolderLock.acquire(path)
        try:
            replacement.recover(path, on_placed)
        except BaseException:
            lock.release()
            raise
    except OSError as error:
        raise os_failure(error) from error
    return lock


@asynccontextmanager
async def locked(path: Path) -> AsyncIterator[None]:
    """Hold the lock of a closed store, whose folder may change. Raises StorageFailed as `lock_folder` does."""
    lock = await lock_folder(path, adopt)
    try:
        yield
    finally:
        lock.release()


class OpenStore:
    """An open store. `handle` is None while it is being reopened.

    `is_gone`: its place was found to be another's. `is_damaged`: a write has failed, so nothing may follow it in the
    log. With `watch` the watch file is kept up to date. Without `lock` it is a copy that is read and thrown away.

    What takes longer than `close_s` fails with `storage_stalled`, as does all that follows until it has ended. The
    caller sees to it that nothing else happens during `open` and `close`.
    """

    def __init__(self, path: Path, lock: FolderLock | None, close_s: float, watch: StoreWatch | None = None) -> None:
        self.path = path
        self.handle: Any = None
        self.is_gone = False
        self.is_damaged = False
        self.watch = watch
        self._lock = lock
        self._close_s = close_s
        self._place = StorePlace(path)
        self._is_exchanging = False
        self._pending: asyncio.Future[Any] | None = None

    @property
    def log_bytes(self) -> int:
        """The size of the log when the place was looked at last."""
        return self._place.log_bytes

    async def open(self, tries: int) -> None:
        """Open the folder, created if it is missing, with an empty log. Raises StorageFailed."""
        try:
            if await self._within_limit(in_daemon_thread(self._prepare)):
                async with merging(self.path) as merge:
                    await merge()
            self.handle = await open_with_empty_log(self.path, tries)
            await self._within_limit(in_daemon_thread(self._settle))
        except OSError as error:
            raise os_failure(error) from error
        self.is_damaged = False

    def _prepare(self) -> bool:
        """Create the folder if it is missing; return whether tables are to be merged first."""
        if self._is_exchanging:
            replacement.recover(self.path, adopt)
            if self.watch is not None:
                self.watch.resume()
            self._is_exchanging = False
        prepare_folder(self.path)
        return manifest.is_merge_due(self.path)

    def _settle(self) -> None:
        make_private(self.path)
        self._place.pin()

    async def close(self, *, for_good: bool = False) -> None:
        """Write the log into the tables. Raises StorageFailed: `storage_moved`, `storage_stalled` or the disk's."""
        if self.handle is None:
            return
        await self.look()
        counters = await self._within_limit(self._write_checkpoint())
        handle, self.handle = self.handle, None
        await self._within_limit(self._close(handle))
        if for_good and self.watch is not None:
            await in_daemon_thread(self.watch.record, counters, is_clean=True)

    # A manifest from before would hide whole tables, and nothing after them would be missed: so the last number before
    # the log is emptied stands in a row of its own, which belongs to the youngest table.
    async def _write_checkpoint(self) -> dict[str, int]:
        """Write the number of the last commit, before the log is emptied, and return the counters."""
        if self.watch is None or self.is_damaged:
            return {}
        if self.watch.number != self.watch.checkpoint:
            query, number = build_query([_CHECKPOINT]), self.watch.next_number()
            query.variables["commit"] = number
            try:
                await execute(self.handle, query)
            except StorageFailed as error:
                log.warning("the checkpoint could not be written: %s", error)
            else:
                self.watch.note_checkpoint(number, CHECKPOINT_ROW)
        return await self.counters()

    async def counters(self) -> dict[str, int]:
        """Return the numbers of rows of the tables in COUNTED, as far as they can be read."""
        counters = {}
        for table in COUNTED:
            with suppress(StorageFailed):
                rows = (await execute(self.handle, Query(f"SELECT count() FROM {table} GROUP ALL", {})))[0]
                counters[table] = rows[0]["count"] if rows else 0
        return counters

    async def _close(self, handle: Any) -> None:
        await close_handle(handle)
        await in_daemon_thread(make_private, self.path)

    async def exchange(self) -> None:
        """Put the store in the building folder in the place of the open store, and open it. Raises StorageFailed.

        After a failure the old store is open, or none: then the next opening completes or undoes the exchange.
        """
        await self.look()
        handle, self.handle = self.handle, None
        self._is_exchanging = True
        await self._within_limit(self._close(handle))
        try:
            await self._within_limit(in_daemon_thread(replacement.replace, self.path, adopt))
        except OSError as error:
            await self.open(UNLOCK_TRIES)
            raise os_failure(error) from error
        await self.open(UNLOCK_TRIES)

    async def restart(self, tries: int) -> None:
        """Close the store after a failure and open it again. Raises StorageFailed: retry later."""
        try:
            await self._within_limit(in_daemon_thread(check_free_space, self.path))
        except OSError as error:
            raise os_failure(error) from error
        await self.close()
        await self.open(tries)

    async def look(self, *, is_slow: bool = True) -> bool:
        """Check that the files are still the same; return whether the log is lost, but not the tables.

        `is_slow`: the drive may not answer at once. Raises StorageFailed, such as `storage_moved`.
        """
        try:
            state = await self._within_limit(in_daemon_thread(self._look)) if is_slow else self._look()
        except OSError as error:
            raise os_failure(error) from error
        self.is_gone = state is PlaceState.GONE
        if self.is_gone:
            raise StorageFailed(
                "storage_moved", f"the data folder is no longer where it was opened: {self.path}", path=str(self.path)
            )
        return state is PlaceState.LOG_LOST

    def _look(self) -> PlaceState:
        state = self._place.state()
        if state is PlaceState.GONE or self._lock is None or self._lock.is_in_place():
            return state
        if state is PlaceState.LOG_LOST:  # without either lock another process may have used the store
            return PlaceState.GONE
        taken = FolderLock.acquire(self.path)
        self._lock.release()
        self._lock = taken
        return state

    async def _within_limit(self, work: Awaitable[T]) -> T:
        pending = self._pending
        if pending is not None and not pending.done():
            raise stalled()
        self._pending = future = asyncio.ensure_future(work)
        future.add_done_callback(lambda done: done.cancelled() or done.exception())  # it may fail when nobody waits
        await asyncio.wait({future}, timeout=self._close_s)
        if not future.done():
            raise stalled()
        return future.result()

    def abandon(self) -> None:
        """Leave the handle to the end of the process."""
        _abandoned.append(self.handle)
        self.handle = None

    def release(self) -> None:
        """Release the folder."""
        if self._pending is not None:
            self._pending.cancel()
        self._place.close()
        if self._lock is not None:
            self._lock.release()


@asynccontextmanager
async def merging(path: Path) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Start a process that merges the tables of the store as soon as it is closed; yields a function that waits for it.

    Returns when the process is ready. Without it the engine merges them when it is opened here.
    """
    is_ready = asyncio.Event()
    # what is due is decided once, here: the process merges until nothing is by that measure
    work = run_job(MERGE_JOB, lambda progress: is_ready.set(), store=str(path), least_bytes=manifest.MERGE_BYTES)
    job = asyncio.create_task(work, name="merge")
    ready = asyncio.create_task(is_ready.wait())

    async def wait() -> None:
        try:
            await job
        except MetierError as error:
            log.warning("the tables of the store are merged when it is opened: %s", error.message)

    try:
        await asyncio.wait({job, ready}, return_when=asyncio.FIRST_COMPLETED)
        yield wait
    finally:
        ready.cancel()
        job.cancel()
        await asyncio.wait({job, ready})


def stalled() -> StorageFailed:
    """Return the failure of a query that took too long."""
    return StorageFailed("storage_stalled", "the database does not respond; what was saved before is safe")
