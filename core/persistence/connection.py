"""The single connection to the embedded database: reading, one writer at a time, renewing the log, closing.

The engine reads a log whose end could not be written (full disk, killed process) only up to the damage. Everything
appended after the damage is lost at the next start, although it was acknowledged. Therefore nothing is ever appended to
a log after a failed write or an unclean exit: closing the store writes the intact part into the tables and removes the
log, and reopening starts a new log.

The engine also keeps the content of its log in memory, and at 2 GiB no commit returns any more; no setting limits that.
So a long log is renewed in the same way. Closing takes 0.1 to 1 s in the engine's threads, during which commits and
reads wait and the loop does not. Opening a store that has no log holds the GIL for 5 to 50 ms; where tables are to be
merged, which takes seconds, another process opens and closes the store before.

A commit that does not return in time may have been written, like a commit whose disk failed. Closing the store ends it.
"""

import asyncio
import logging
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from core.errors import StorageFailed
from core.persistence.engine_handle import UNLOCK_TRIES, execute, open_handle
from core.persistence.failures import is_disk_failure, storage_failure
from core.persistence.folder import MIB
from core.persistence.keys import record_id
from core.persistence.manifest import is_merge_due
from core.persistence.open_store import CHECKPOINT_ROW, LIMITS, Limits, OpenStore, lock_folder, merging, stalled
from core.persistence.statements import CommitRecord, Query, Statement, build_query, deletes_texts
from core.persistence.store_place import FolderLock
from core.persistence.store_watch import StoreWatch
from core.threads.daemons import in_daemon_thread

T = TypeVar("T")

CLOSE_DELAY_S = 0.05
SLOW_COMMIT_S = 0.05
ROOM_BYTES = 16 * MIB

# Carries the number of a commit that inserts no row with a number of its own.
COMMIT_ROW = ("meta", "commit")
UPKEEP_ROW = ("meta", "upkeep")
_NOTE_DELETION = Statement("UPSERT meta:upkeep SET has_deleted = true RETURN NONE", None)
_NUMBER_COMMIT = Statement("UPSERT meta:commit SET commit = $commit RETURN NONE", None)

log = logging.getLogger(__name__)


class Connection:
    """The open database. Reads run concurrently, commits one after the other.

    Cancelling a caller does not stop its query, so a cancelled commit may have been written.
    """

    def __init__(self, store: OpenStore, limits: Limits = LIMITS) -> None:
        self._store = store
        self._limits = limits
        self._last_commit_at = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._renew_at = limits.log_bytes
        self._renewal: asyncio.Task[None] | None = None
        self._writer = asyncio.Lock()
        self._reads: set[asyncio.Task[Any]] = set()
        self._writes: set[asyncio.Task[Any]] = set()
        self._record: CommitRecord | None = None
        self._has_noted = False
        self._needs_restart = False
        self._is_reopening = False
        self._is_closed = False

    @classmethod
    async def open(
        cls, path: Path, limits: Limits = LIMITS, watch: StoreWatch | None = None, lock: FolderLock | None = None
    ) -> Self:
        """Open the database in the folder; create both if they are missing.

        With `watch` commits are numbered, and the watch file is kept up to date. `lock` is that of `lock_folder`, if
        the caller has taken it; it is released in any case.

        Raises StorageFailed: `in_use`, `storage_not_writable`, `storage_full`, `storage_failed`.
        """
        store = OpenStore(path, lock or await lock_folder(path), limits.close_s, watch)
        connection = cls(store, limits)
        try:
            await store.open(tries=1)
            if watch is not None:
                watch.go_on_from(*[await connection._number_in(row) for row in (COMMIT_ROW, CHECKPOINT_ROW)])
        except BaseException:
            store.release()
            raise
        return connection

    @classmethod
    async def open_copy(cls, path: Path) -> Self:
        """Open a copy of a store, to read it and throw it away; its log stays as it is. Raises StorageFailed."""
        store = OpenStore(path, None, LIMITS.close_s)
        store.handle = await open_handle(path, tries=1)
        return cls(store)

    async def _number_in(self, row: tuple[str, Any]) -> int:
        """Return the number in that row, 0 if there is none."""
        with suppress(StorageFailed):
            found = await self.read("SELECT VALUE commit FROM ONLY $id", {"id": record_id(*row)})
            return found if isinstance(found, int) else 0
        return 0

    async def read(self, text: str, variables: Mapping[str, Any] | None = None) -> Any:
        """Return the result of a single read-only statement. Raises StorageFailed."""
        while self._is_reopening or self._store.handle is None:
            if self._is_closed:
                raise _closed_error()
            await _run_to_end(self._wait_until_open(), self._writes)
        query = Query(text, dict(variables or {}))
        return (await _run_to_end(self._execute(query, self._limits.read_s), self._reads))[0]

    async def commit(self, statements: Sequence[Statement]) -> list[Any]:
        """Execute the statements in one transaction and return their results.

        Raises StorageFailed: nothing was written, or, if the disk failed, possibly everything.
        """
        if self._is_closed:
            raise _closed_error()
        return await _run_to_end(self._commit(statements), self._writes)

    async def counters(self) -> dict[str, int]:
        """Return the numbers of rows of the counted tables, as far as they can be read."""
        return await self._store.counters()

    async def record(self) -> None:
        """Take a picture of the store for the watch file; its log must be empty."""
        if (watch := self._store.watch) is not None:
            await asyncio.to_thread(watch.record, await self.counters(), is_clean=False)

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Path]:
        """Hold commits, and yield the folder: its files are those of the last commit.

        Raises StorageFailed: retry later.
        """
        async with self._writer:
            await self._ensure_usable()
            yield self._store.path

    @property
    def path(self) -> Path:
        """The folder of the store."""
        return self._store.path

    def record_commits(self, record: CommitRecord | None) -> None:
        """Add each commit from now on to the record; None ends that."""
        self._record = record

    def forget_deletions(self) -> None:
        """Note the next deletion again."""
        self._has_noted = False

    async def exchange(self, finish: Callable[[], Awaitable[None]]) -> None:
        """Put the store in the building folder in its place; `finish` completes it while commits wait.

        Raises what `finish` raises, and StorageFailed.
        """
        async with self._writer:
            await self._ensure_usable()
            await finish()
            async with self._without_reads():
                await self._store.exchange()
        self._note_renewal()

    async def close(self) -> None:
        """Wait for running queries, then release the folder. The connection cannot be used afterwards.

        What the engine does not end in time, and a store that is gone, are left to the end of the process: what was
        acknowledged is in the log.
        """
        was_closed, self._is_closed = self._is_closed, True
        if was_closed:
            return
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        try:
            async with asyncio.timeout(self._limits.close_s):
                await _wait_for_all(self._writes)
                await self._writer.acquire()  # for good
                await _wait_for_all(self._reads)
            await self._store.close(for_good=True)
        except (TimeoutError, StorageFailed) as error:
            self._store.abandon()
            log.warning("the store is left open: %s", error)
        for task in (*self._writes, *self._reads):
            task.cancel()
        self._store.release()
        # the engine's threads may still touch Python; if the interpreter ends now, the process aborts
        await asyncio.sleep(CLOSE_DELAY_S)

    # Writers take turns, because concurrent transactions fail with a conflict; the lock also keeps the store from being
    # reopened between the check and the write. A conflict that occurs nevertheless wrote nothing, and `execute`
    # retries. All statements go as a single query, BEGIN … COMMIT, as the embedded engine has no transactions over
    # several calls. Each statement reports a status of its own, and the first failure is often only "not executed", so
    # all of them are checked (see failures). A RETURN in a statement would end and commit the transaction there:
    # results are missing then.
    async def _commit(self, statements: Sequence[Statement]) -> list[Any]:
        carrier = next((statement.carrier for statement in statements if statement.carrier), None)
        watch = self._store.watch
        executed = [*statements, *([_NUMBER_COMMIT] if watch is not None and carrier is None else ())]
        notes_deletion = watch is not None and not self._has_noted and any(map(deletes_texts, statements))
        if notes_deletion:
            executed.append(_NOTE_DELETION)
        query = build_query(executed)
        async with self._writer:
            await self._ensure_usable()
            query.variables["commit"] = number = watch.next_number() if watch is not None else 0
            results = await self._write(query)
            if watch is not None:
                watch.note_commit(number, carrier or COMMIT_ROW)
            if self._record is not None:
                self._record.add(query)
            self._has_noted |= notes_deletion
            self._plan_renewal()
        if len(executed) == 1:
            return results
        if len(results) != len(executed) + 2:
            raise storage_failure(["a statement ended its transaction early"])
        return results[1 : len(statements) + 1]  # without those of BEGIN and COMMIT, and of the number

    async def _write(self, query: Query) -> list[Any]:
        """Execute the query, and make sure that the result is in the files at the store's path."""
        began = time.perf_counter()
        try:
            results = await self._execute(query, self._limits.commit_s)
        except StorageFailed as error:
            self._needs_restart = self._store.is_damaged = is_disk_failure(error) or error.code == "storage_stalled"
            if self._needs_restart and self._record is not None:  # it may have been written
                self._record.break_off()
            raise
        # a drive that answered slowly may not answer now
        is_log_lost = await self._store.look(is_slow=time.perf_counter() - began > SLOW_COMMIT_S)
        if is_log_lost:  # the engine has its content, and writes it into the tables
            self._needs_restart = True
            await self._ensure_usable()
        return results

    async def _execute(self, query: Query, limit_s: float) -> list[Any]:
        try:
            async with asyncio.timeout(limit_s):
                return await execute(self._store.handle, query)
        except TimeoutError as error:
            raise stalled() from error

    async def _wait_until_open(self) -> None:
        async with self._writer:
            if self._store.handle is None:
                await self._ensure_usable()

    async def _ensure_usable(self) -> None:
        """Restart the store if the disk has failed. Raises StorageFailed: retry later."""
        if self._store.is_gone:
            self._needs_restart |= await self._store.look()
        self._needs_restart |= self._store.log_bytes > self._limits.max_log_bytes
        if self._store.handle is not None and not self._needs_restart:
            return
        if self._is_closed:
            raise _closed_error()
        async with self._without_reads():
            await self._store.restart(UNLOCK_TRIES)
        self._needs_restart = False
        self._note_renewal()

    def _plan_renewal(self) -> None:
        """Renew the log if it is long, or if nothing is written for a while."""
        loop = asyncio.get_running_loop()
        self._last_commit_at = loop.time()
        if self._store.log_bytes >= self._renew_at:
            self._start_renewal()
        elif self._idle_timer is None:
            self._idle_timer = loop.call_later(self._limits.idle_s, self._on_idle_timer)

    def _on_idle_timer(self) -> None:
        loop, self._idle_timer = asyncio.get_running_loop(), None
        due = self._last_commit_at + self._limits.idle_s
        if loop.time() < due:
            self._idle_timer = loop.call_at(due, self._on_idle_timer)
        elif self._store.log_bytes > self._limits.idle_log_bytes:
            self._start_renewal()

    def _start_renewal(self) -> None:
        if self._renewal is None or self._renewal.done():
            self._renewal = self._in_background(self._renew_if_possible())

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return task

    async def _renew_if_possible(self) -> None:
        """Renew the log. The next caller gets the failure, if it persists."""
        try:
            room = (await in_daemon_thread(shutil.disk_usage, self._store.path)).free
            if room > self._store.log_bytes + ROOM_BYTES:
                await self._renew()
                return
            log.warning("the log of the store is renewed as soon as the disk has room")
        except (OSError, StorageFailed) as error:
            log.warning("the log of the store could not be renewed: %s", error)
        self._renew_at = self._store.log_bytes + self._limits.log_bytes // 4

    async def _renew(self) -> None:
        is_due = await in_daemon_thread(is_merge_due, self._store.path, is_open=True)
        # the process is ready before commits have to wait
        waiting = merging(self._store.path) if is_due else nullcontext()
        async with waiting as merge, self._writer, self._without_reads():
            await self._store.close()
            if merge is not None:
                await merge()
            await self._store.open(UNLOCK_TRIES)
            self._note_renewal()

    @asynccontextmanager
    async def _without_reads(self) -> AsyncIterator[None]:
        """Wait for running reads; reads that come later wait until the store is open again."""
        self._is_reopening = True
        try:
            await _wait_for_all(self._reads)
            yield
        finally:
            self._is_reopening = False

    def _note_renewal(self) -> None:
        self._renew_at = self._limits.log_bytes
        self._in_background(self.record())


# The driver cannot cancel a query: abandoned, it would go on while its connection is closed, or while the next writer
# already has the lock. So every query is a task that the connection owns and waits for.
async def _run_to_end(work: Coroutine[Any, Any, T], owned: set[asyncio.Task[Any]]) -> T:
    """Return the result of work that runs to its end even if the caller is cancelled."""
    task = asyncio.create_task(work)
    owned.add(task)
    task.add_done_callback(owned.discard)
    return await asyncio.shield(task)


async def _wait_for_all(tasks: set[asyncio.Task[Any]]) -> None:
    while tasks:
        await asyncio.wait(tasks)


def _closed_error() -> StorageFailed:
    return StorageFailed("storage_failed", "the store is closed")
