"""The single connection to the embedded database: opening, reading, one writer at a time, closing.

The engine reads a log whose end could not be written (full disk, killed process) only up to the damage. Everything
appended after the damage is lost at the next start, although it was acknowledged. Therefore nothing is ever appended to
a log after a failed write or an unclean exit: closing the store writes the intact part into the tables and removes the
log, and reopening starts a new log.

The engine also keeps the content of its log in memory, up to 1 GiB, and no setting limits that. A store with a long log
is therefore closed and reopened at the next idle moment, which blocks the loop for about 0.1 s.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from core.errors import StorageFailed
from core.persistence.driver import AsyncSurreal, SurrealError
from core.persistence.failures import Conflict, is_disk_failure, os_failure, statement_results, storage_failure
from core.persistence.folder import MIB, check_free_space, make_private, prepare_folder, private_files, wal_bytes
from core.persistence.keys import record_id
from core.persistence.statements import Query, Statement, build_query
from core.persistence.store_watch import StoreWatch

T = TypeVar("T")

DATABASE = "metier"  # of the namespace and of the database in it
CONFLICT_RETRIES = 5
UNLOCK_TRIES, UNLOCK_DELAY_S = 40, 0.05
CLOSE_DELAY_S = 0.05
LONG_WAL_BYTES = 32 * MIB
IDLE_S = 30.0

# The first carries the number of a commit that inserts no row with a number of its own, the second that of the last
# commit before the log was emptied.
COMMIT_ROW, CHECKPOINT_ROW = ("meta", "commit"), ("meta", "checkpoint")
_NUMBER_COMMIT = Statement("UPSERT meta:commit SET commit = $commit RETURN NONE", None)
_CHECKPOINT = Statement("UPSERT meta:checkpoint SET commit = $commit RETURN NONE", None, carrier=CHECKPOINT_ROW)

COUNTED = ("workflow", "run")

log = logging.getLogger(__name__)


class Connection:
    """The open database. Reads run concurrently, commits one after the other.

    Cancelling a caller does not stop its query, so a cancelled commit may have been written. After `idle_s` seconds
    without a commit the connection is idle.
    """

    def __init__(
        self,
        path: Path,
        idle_s: float = IDLE_S,
        long_wal_bytes: int = LONG_WAL_BYTES,
        watch: StoreWatch | None = None,
    ) -> None:
        self._path = path
        self._watch = watch
        self._idle_s = idle_s
        self._long_wal_bytes = long_wal_bytes
        self._last_commit_at = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._handle: Any = None
        self._writer = asyncio.Lock()
        self._reads: set[asyncio.Task[Any]] = set()
        self._writes: set[asyncio.Task[Any]] = set()
        self._needs_reopening = False
        self._is_damaged = False  # a write has failed: nothing may follow it in the log
        self._is_closed = False

    @classmethod
    async def open(
        cls,
        path: Path,
        idle_s: float = IDLE_S,
        long_wal_bytes: int = LONG_WAL_BYTES,
        watch: StoreWatch | None = None,
    ) -> Self:
        """Open the database in the folder; create both if they are missing.

        With `watch` commits are numbered, and the watch file is kept up to date. Blocks the loop (and the GIL) for 15
        to 450 ms. Raises StorageFailed: `in_use`, `storage_not_writable`, `storage_full`, `storage_failed`.
        """
        connection = cls(path, idle_s, long_wal_bytes, watch)
        try:
            prepare_folder(path)
        except OSError as error:
            raise os_failure(error) from error
        connection._handle = await _open_with_empty_wal(path)
        make_private(path)
        if watch is not None:
            watch.go_on_from(*[await connection._number_in(row) for row in (COMMIT_ROW, CHECKPOINT_ROW)])
        return connection

    @classmethod
    async def open_as_it_is(cls, path: Path) -> Self:
        """Open a copy for reading: its log stays, and nothing is committed. Raises StorageFailed as `open` does."""
        connection = cls(path)
        connection._handle = await _open(path, tries=1)
        return connection

    @classmethod
    async def open_copy(cls, path: Path) -> Self:
        """Open a copy of a store, to read it and throw it away; its log stays as it is. Raises StorageFailed."""
        connection = cls(path)
        connection._handle = await _open(path, tries=1)
        return connection

    async def read(self, text: str, variables: Mapping[str, Any] | None = None) -> Any:
        """Return the result of a single read-only statement. Raises StorageFailed."""
        while self._handle is None:
            await _run_to_end(self._reopen(), self._writes)
        query = Query(text, dict(variables or {}))
        return (await _run_to_end(_execute(self._handle, query), self._reads))[0]

    async def commit(self, statements: Sequence[Statement]) -> list[Any]:
        """Execute the statements in one transaction and return their results.

        Raises StorageFailed: nothing was written, or, if the disk failed, possibly everything.
        """
        if self._is_closed:
            raise _closed_error()
        return await _run_to_end(self._commit(statements), self._writes)

    async def counters(self) -> dict[str, int]:
        """Return the numbers of rows of the tables in COUNTED, as far as they can be read."""
        counters = {}
        for table in COUNTED:
            with suppress(StorageFailed):
                rows = (await _execute(self._handle, Query(f"SELECT count() FROM {table} GROUP ALL", {})))[0]
                counters[table] = rows[0]["count"] if rows else 0
        return counters

    async def record(self, *, is_clean: bool = False) -> None:
        """Take a picture of the store for the watch file; its log must be empty."""
        if self._watch is not None:
            await asyncio.to_thread(self._watch.record, await self.counters(), is_clean=is_clean)

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Path]:
        """Hold commits, and yield the folder: its files are those of the last commit.

        Raises StorageFailed: retry later.
        """
        async with self._writer:
            await self._ensure_usable()
            yield self._path

    async def close(self) -> None:
        """Wait for running queries, then release the folder. The connection cannot be used afterwards."""
        self._is_closed = True
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        await _wait_for_all(self._writes)
        async with self._writer:
            if self._handle is None:
                return
            counters = await self._write_checkpoint()
            handle, self._handle = self._handle, None
            await _wait_for_all(self._reads)
            await _close(handle)
            make_private(self._path)
            if self._watch is not None:
                await asyncio.to_thread(self._watch.record, counters, is_clean=True)
            # the engine's threads may still touch Python; if the interpreter ends now, the process aborts
            await asyncio.sleep(CLOSE_DELAY_S)

    # Writers take turns, because concurrent transactions fail with a conflict; the lock also keeps the store from being
    # reopened between the check and the write. A conflict that occurs nevertheless wrote nothing, and `_execute`
    # retries. All statements go as a single query, BEGIN … COMMIT, as the embedded engine has no transactions over
    # several calls. Each statement reports a status of its own, and the first failure is often only "not executed", so
    # all of them are checked (see failures). A RETURN in a statement would end and commit the transaction there:
    # results are missing then.
    async def _commit(self, statements: Sequence[Statement]) -> list[Any]:
        carrier = next((statement.carrier for statement in statements if statement.carrier), None)
        executed = [*statements, *([_NUMBER_COMMIT] if self._watch is not None and carrier is None else ())]
        query = build_query(executed)
        async with self._writer:
            await self._ensure_usable()
            query.variables["commit"] = number = self._watch.next_number() if self._watch is not None else 0
            try:
                results = await _execute(self._handle, query)
            except StorageFailed as error:
                self._needs_reopening = self._is_damaged = is_disk_failure(error)
                raise
            if self._watch is not None:
                self._watch.note_commit(number, carrier or COMMIT_ROW)
            self._watch_idle()
        if len(executed) == 1:
            return results
        if len(results) != len(executed) + 2:
            raise storage_failure(["a statement ended its transaction early"])
        return results[1 : len(statements) + 1]  # without those of BEGIN and COMMIT, and of the number

    def _watch_idle(self) -> None:
        loop = asyncio.get_running_loop()
        self._last_commit_at = loop.time()
        if self._idle_timer is None:
            self._idle_timer = loop.call_later(self._idle_s, self._on_idle_timer)

    def _on_idle_timer(self) -> None:
        loop, self._idle_timer = asyncio.get_running_loop(), None
        due = self._last_commit_at + self._idle_s
        if loop.time() < due:
            self._idle_timer = loop.call_at(due, self._on_idle_timer)
        elif wal_bytes(self._path) > self._long_wal_bytes:
            self._needs_reopening = True
            self._in_background(self._reopen_in_background())

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    async def _reopen_in_background(self) -> None:
        """Reopen in the background. The next caller gets the failure, if it persists."""
        try:
            await self._reopen()
        except StorageFailed as error:
            log.warning("the store could not be opened again in a pause: %s", error)

    async def _reopen(self) -> None:
        async with self._writer:
            await self._ensure_usable()

    # A manifest from before would hide whole tables, and nothing after them would be missed: so the last number before
    # the log is emptied stands in a row of its own, which belongs to the youngest table.
    async def _write_checkpoint(self) -> dict[str, int]:
        """Write the number of the last commit, before the log is emptied, and return the counters."""
        if self._watch is None or self._handle is None or self._is_damaged:
            return {}
        if self._watch.number != self._watch.checkpoint:
            query, number = build_query([_CHECKPOINT]), self._watch.next_number()
            query.variables["commit"] = number
            try:
                await _execute(self._handle, query)
            except StorageFailed as error:
                log.warning("the checkpoint could not be written: %s", error)
            else:
                self._watch.note_checkpoint(number, CHECKPOINT_ROW)
        return await self.counters()

    async def _number_in(self, row: tuple[str, Any]) -> int:
        """Return the number in that row, 0 if there is none."""
        with suppress(StorageFailed):
            found = await self.read("SELECT VALUE commit FROM ONLY $id", {"id": record_id(*row)})
            return found if isinstance(found, int) else 0
        return 0

    async def _ensure_usable(self) -> None:
        """Close and reopen the store if the disk has failed or the log is long.

        Raises StorageFailed: retry later.
        """
        if self._handle is not None and not self._needs_reopening:
            return
        if self._is_closed:
            raise _closed_error()
        try:
            await asyncio.to_thread(check_free_space, self._path)
        except OSError as error:
            raise os_failure(error) from error
        if self._handle is not None:
            await self._write_checkpoint()
            handle, self._handle = self._handle, None
            await _wait_for_all(self._reads)
            await _close(handle)
        self._handle = await _open_with_empty_wal(self._path, tries=UNLOCK_TRIES)
        self._needs_reopening = self._is_damaged = False
        self._in_background(self.record())


async def _open_with_empty_wal(path: Path, tries: int = 1) -> Any:
    """Open the store so that the next write starts a new log."""
    is_unclean = wal_bytes(path) > 0
    handle = await _open(path, tries)
    if not is_unclean:
        return handle
    await _close(handle)
    if wal_bytes(path) > 0:
        raise StorageFailed("storage_full", "the log of the previous process could not be written to the tables")
    return await _open(path, UNLOCK_TRIES)


async def _open(path: Path, tries: int) -> Any:
    """Return a connected handle. The engine releases its lock shortly after closing, hence `tries`."""
    while (handle := _lock_store(path, is_last=tries <= 1)) is None:
        tries -= 1
        await asyncio.sleep(UNLOCK_DELAY_S)
    try:
        await handle.connect()
        await handle.use(DATABASE, DATABASE)
    except BaseException as error:  # a handle that is dropped, not closed, keeps the store locked
        await _close(handle)
        if isinstance(error, SurrealError):
            raise storage_failure([str(error)]) from error
        raise
    return handle


def _lock_store(path: Path, *, is_last: bool) -> Any:
    """Lock the store, or return None if it is in use and another try follows."""
    try:
        with private_files():
            return AsyncSurreal(f"surrealkv://{path.as_posix()}")
    except SurrealError as error:
        failed = storage_failure([str(error)])
        if failed.code == "in_use" and not is_last:
            return None
        raise failed from error


async def _execute(handle: Any, query: Query, conflicts: int = CONFLICT_RETRIES) -> list[Any]:
    try:
        response = handle.query_raw(query.text, query.variables)
        # The driver encodes within the call, so a long text would block the loop: it gets a loop of its own in a
        # thread.
        return statement_results(await (asyncio.to_thread(asyncio.run, response) if query.is_long else response))
    except Conflict as conflict:
        if conflicts == 0:
            raise storage_failure(["too many conflicts"]) from conflict
        return await _execute(handle, query, conflicts - 1)
    except SurrealError as error:
        raise storage_failure([str(error)]) from error
    except (TypeError, ValueError, OverflowError) as error:  # how the driver refuses what it cannot encode
        raise storage_failure([f"a value cannot be stored: {error}"]) from error


async def _close(handle: Any) -> None:
    try:
        await handle.close()
    except SurrealError as error:
        raise storage_failure([str(error)]) from error


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
