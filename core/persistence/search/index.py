"""`core.ports.search.SearchIndex` in a file. One thread writes, another reads, and neither blocks the loop."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.text.search import Term, text_digest
from core.errors import SearchFailed
from core.persistence.search.index_file import (
    CLEAN,
    CLEANING,
    DIRTY,
    FIRST_TITLE,
    INTERRUPTED_CODE,
    open_index,
    remove_index,
    search_errors,
)
from core.persistence.search.memories import (
    IndexedMemory,
    MemoryFilter,
    find_memories,
    memory_versions,
    put_memories,
    remove_memories,
)
from core.persistence.search.queries import find_groups, find_in_workflow
from core.persistence.search.texts import compress, decompress, index_words, redacted
from core.ports import Hit, HitKind, HitPage, IndexedState, RunDocuments
from core.threads.pieces import Pieces, in_thread

T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MERGE_PAGES = 64


class _Connections(NamedTuple):
    writer: sqlite3.Connection
    reader: sqlite3.Connection


class FileSearchIndex:
    """The index in the file `path`, created with its folder; None: a temporary file, deleted by `close`.

    Like the store, it is used by a single process. `generation` grows whenever a file is opened, which may be another
    file, or empty.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._temporary: TemporaryDirectory[str] | None = None
        self._open: _Connections | None = None
        self.generation = 0
        self._writing = ThreadPoolExecutor(1, "search-writer")
        self._reading = ThreadPoolExecutor(1, "search-reader")
        self._write_lock = asyncio.Lock()

    async def open(self) -> None:
        if self._open is not None:  # a search must not wait for the write lock
            return
        async with self._write_lock:
            if self._open is None:
                if self._path is None:
                    self._temporary = TemporaryDirectory(prefix="metier-", ignore_cleanup_errors=True)
                    self._path = Path(self._temporary.name) / "search.db"
                loop = asyncio.get_running_loop()
                self._open = _Connections(*await loop.run_in_executor(self._writing, open_index, self._path))
                self.generation += 1

    async def reset(self) -> None:
        """Replace an unreadable index by an empty index. Raises SearchFailed."""
        await self._close_connections()
        if self._path is not None:
            with search_errors():
                await asyncio.get_running_loop().run_in_executor(self._writing, remove_index, self._path)
        await self.open()

    async def close(self) -> None:
        await self._close_connections()
        self._writing.shutdown(wait=False)
        self._reading.shutdown(wait=False)
        if self._temporary is not None:
            self._temporary.cleanup()

    async def exists(self) -> bool:
        """Return whether there is an index, open or not."""
        if self._open is not None:
            return True
        return self._path is not None and await asyncio.to_thread(self._path.exists)

    # Writing

    async def put_title(self, workflow_id: WorkflowId, title: str) -> None:
        await self._write(lambda writer: _put_title(writer, workflow_id, title))

    async def put_runs(self, workflow_id: WorkflowId, runs: Sequence[RunDocuments]) -> None:
        await self._write(lambda writer: _put_runs(writer, workflow_id, runs))

    async def remove_runs(self, run_ids: Sequence[RunId]) -> None:
        await self._write(lambda writer: _remove_runs(writer, run_ids))

    async def remove_workflow(self, workflow_id: WorkflowId) -> None:
        await self._write(lambda writer: _remove_workflow(writer, workflow_id))

    async def purge_deleted(self) -> bool:
        if await self._write(_purge_some):
            return True
        async with self._write_lock:
            await in_thread(_truncate_wal(self._opened().writer), self._writing)
        return False

    async def indexed(self) -> IndexedState:
        return await self._write(_read_indexed)

    async def put_memories(self, memories: Sequence[IndexedMemory]) -> None:
        await self._write(lambda writer: put_memories(writer, memories))

    async def remove_memories(self, ids: Sequence[str]) -> None:
        await self._write(lambda writer: remove_memories(writer, ids))

    async def memory_versions(self) -> dict[str, int]:
        return await self._write(memory_versions)

    # Reading

    async def find(self, terms: Sequence[Term], skip: int = 0) -> HitPage:
        return await self._read(lambda reader: find_groups(reader, terms, skip))

    async def find_in(self, workflow_id: WorkflowId, terms: Sequence[Term], skip: int = 0) -> tuple[Hit, ...]:
        return await self._read(lambda reader: find_in_workflow(reader, workflow_id, terms, skip))

    async def find_memories(self, wanted: MemoryFilter, words: Sequence[str]) -> list[str]:
        return await self._read(lambda reader: find_memories(reader, wanted, words))

    async def _write(self, work: Callable[[sqlite3.Connection], Pieces[T]]) -> T:
        """Run the work in one transaction, in pieces; cancelling rolls it back."""
        async with self._write_lock:
            return await in_thread(_in_transaction(self._opened().writer, work), self._writing)

    async def _read(self, work: Callable[[sqlite3.Connection], Pieces[T]]) -> T:
        """Run the query. Cancelling interrupts it at once, so that a newer search does not wait."""
        reader = self._opened().reader
        while True:
            reading = asyncio.ensure_future(in_thread(_reading(reader, work), self._reading))
            try:
                return await asyncio.shield(reading)
            except asyncio.CancelledError:
                reading.cancel()
                reader.interrupt()
                raise
            except SearchFailed as error:
                # An interrupt hits whatever runs on the connection. If the previous search was cancelled but had
                # already ended, it is this search that was interrupted, and it starts again.
                if error.code != INTERRUPTED_CODE:
                    raise

    def _opened(self) -> _Connections:
        if self._open is None:
            raise SearchFailed("search_unavailable", "the index is not open")
        return self._open

    async def _close_connections(self) -> None:
        async with self._write_lock:
            opened, self._open = self._open, None
            if opened is None:
                return
            opened.reader.interrupt()
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._reading, opened.reader.close)
            await loop.run_in_executor(self._writing, opened.writer.close)


def _reading(reader: sqlite3.Connection, work: Callable[[sqlite3.Connection], Pieces[T]]) -> Pieces[T]:
    with search_errors():
        return (yield from work(reader))


def _in_transaction(writer: sqlite3.Connection, work: Callable[[sqlite3.Connection], Pieces[T]]) -> Pieces[T]:
    with search_errors():
        writer.execute("BEGIN IMMEDIATE")
        try:
            result = yield from work(writer)
            writer.execute("COMMIT")
        except BaseException:
            if writer.in_transaction:
                writer.execute("ROLLBACK")
            raise
    return result


def _read_indexed(writer: sqlite3.Connection) -> Pieces[IndexedState]:
    titles = {WorkflowId(name): title for name, title in writer.execute("SELECT id, title FROM workflow")}
    yield
    runs = {RunId(name): status for name, status in writer.execute("SELECT id, status FROM run")}
    return IndexedState(titles, runs)


def _put_title(writer: sqlite3.Connection, workflow_id: WorkflowId, title: str) -> Pieces[None]:
    workflow = _workflow_number(writer, workflow_id)
    number = FIRST_TITLE + workflow
    yield from _remove_documents(writer, [number])
    text = yield from redacted(title)
    yield from _add_document(writer, (number, workflow, None, HitKind.TITLE, None, ""), text)
    writer.execute("UPDATE workflow SET title = ? WHERE number = ?", (text_digest(title), workflow))


def _put_runs(writer: sqlite3.Connection, workflow_id: WorkflowId, runs: Sequence[RunDocuments]) -> Pieces[None]:
    workflow = _workflow_number(writer, workflow_id)
    numbers = _DocumentNumbers(writer)
    for run in runs:
        yield from _remove_run(writer, run.run_id)
        for document in run.documents:
            text = yield from redacted(document.text)
            if text.strip():
                number, label = numbers.next(document.at), _without_surrogates(document.label)
                row = (number, workflow, run.run_id, document.kind, document.message_id, label)
                yield from _add_document(writer, row, text)
        writer.execute("INSERT INTO run VALUES (?, ?, ?)", (run.run_id, workflow, run.status))


def _remove_runs(writer: sqlite3.Connection, run_ids: Iterable[RunId]) -> Pieces[None]:
    for run_id in run_ids:
        yield from _remove_run(writer, run_id)
        writer.execute(f"PRAGMA application_id = {DIRTY}")


def _remove_workflow(writer: sqlite3.Connection, workflow_id: WorkflowId) -> Pieces[None]:
    row = writer.execute("SELECT number FROM workflow WHERE id = ?", (workflow_id,)).fetchone()
    if row is not None:
        yield from _remove_documents(writer, _numbers(writer, "SELECT number FROM document WHERE workflow = ?", row[0]))
        writer.execute("DELETE FROM run WHERE workflow = ?", row)
        writer.execute("DELETE FROM workflow WHERE number = ?", row)
        writer.execute(f"PRAGMA application_id = {DIRTY}")


def _purge_some(writer: sqlite3.Connection) -> Pieces[bool]:
    """Merge part of the word index to purge deleted words. Returns whether more remains."""
    (stage,) = writer.execute("PRAGMA application_id").fetchone()
    if stage == CLEAN:
        return False
    # A negative number of pages starts a merge of the whole index; positive numbers continue it (FTS5, 'merge').
    pages = MERGE_PAGES if stage == CLEANING else -MERGE_PAGES
    is_done = stage == CLEANING
    for table in ("words", "memory_words"):
        before = writer.total_changes
        writer.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))
        yield
        is_done = is_done and writer.total_changes - before < 2  # how FTS5 reports that nothing was left to merge
    writer.execute(f"PRAGMA application_id = {CLEAN if is_done else CLEANING}")
    return not is_done


def _truncate_wal(writer: sqlite3.Connection) -> Pieces[None]:
    """Truncate the log, which also holds overwritten text."""
    with search_errors():
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        yield


def _remove_run(writer: sqlite3.Connection, run_id: RunId) -> Pieces[None]:
    yield from _remove_documents(writer, _numbers(writer, "SELECT number FROM document WHERE run = ?", run_id))
    writer.execute("DELETE FROM run WHERE id = ?", (run_id,))


def _remove_documents(writer: sqlite3.Connection, numbers: Iterable[int]) -> Pieces[None]:
    for number in numbers:
        row = writer.execute("SELECT text FROM body WHERE number = ?", (number,)).fetchone()
        if row is None:
            continue
        # The table has no copy of the text, so FTS5 needs the same words again to remove them.
        words = yield from index_words(decompress(row[0]))
        writer.execute("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", (number, words))
        writer.execute("DELETE FROM body WHERE number = ?", (number,))
        writer.execute("DELETE FROM document WHERE number = ?", (number,))
        yield


def _add_document(
    writer: sqlite3.Connection, row: tuple[int, int, str | None, HitKind, MessageId | None, str], text: str
) -> Pieces[None]:
    words = yield from index_words(text)
    writer.execute("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?)", row)
    writer.execute("INSERT INTO body VALUES (?, ?)", (row[0], compress(text)))
    writer.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row[0], words))
    yield


def _workflow_number(writer: sqlite3.Connection, workflow_id: WorkflowId) -> int:
    writer.execute("INSERT INTO workflow (id) VALUES (?) ON CONFLICT DO NOTHING", (workflow_id,))
    number: int = writer.execute("SELECT number FROM workflow WHERE id = ?", (workflow_id,)).fetchone()[0]
    return number


class _DocumentNumbers:
    """Numbers documents by their time, or the next free microsecond."""

    def __init__(self, writer: sqlite3.Connection) -> None:
        self._writer = writer
        self._next: dict[int, int] = {}

    def next(self, at: datetime) -> int:
        time = max(1, (at - _EPOCH) // timedelta(microseconds=1))
        number = self._next.get(time, time)
        while self._writer.execute("SELECT 1 FROM document WHERE number = ?", (number,)).fetchone() is not None:
            number += 1
        self._next[time] = number + 1
        return number


def _numbers(writer: sqlite3.Connection, query: str, value: object) -> list[int]:
    return [number for (number,) in writer.execute(query, (value,))]


def _without_surrogates(text: str) -> str:
    """Replace lone surrogates, which SQLite rejects."""
    return text.encode("utf-8", "replace").decode()
