"""The in-memory repositories of runs and of the rows that belong to a run."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from core.domain.events import Event, Fact
from core.domain.ids import RunId, WorkflowId
from core.domain.interruption import Interruption
from core.domain.run import Run, RunStatus, Snapshot
from core.errors import StorageFailed
from core.persistence.codec import unreadable_error
from core.persistence.event_rows import StoredEvent
from core.persistence.keys import UNFINISHED, by_sequence
from core.persistence.run_rows import as_unreadable, placeholder
from core.ports import PAGE_ROWS
from tests.support.in_memory.tables import OrderKey, Tables

T = TypeVar("T")
TablesOf = Callable[[], Tables]


def order_key(row: tuple[OrderKey, Any]) -> OrderKey:
    return row[0]


class Repository:
    """Reads the tables that `tables` returns at each call, since a test may replace them."""

    def __init__(self, tables: TablesOf) -> None:
        self._tables_of = tables

    @property
    def _tables(self) -> Tables:
        return self._tables_of()


class InMemoryRuns(Repository):
    async def get(self, run_id: RunId) -> Run | None:
        row = self._tables.runs.get(run_id)
        return self._shown(row[1]) if row else None

    async def page(
        self,
        *,
        status: RunStatus | None = None,
        workflow_id: WorkflowId | None = None,
        limit: int = 50,
        before: RunId | None = None,
    ) -> list[Run]:
        rows: Iterable[tuple[OrderKey, Run]] = self._tables.runs.values()
        rows = (row for row in rows if row[1].root is None)
        if before is not None:
            end = self._tables.runs.get(before)
            rows = (row for row in rows if end is not None and order_key(row) < order_key(end))
        if workflow_id is not None:
            rows = (row for row in rows if row[1].workflow_id == workflow_id)
        if status is not None:
            interrupted = self._interrupted_roots() if status is RunStatus.WAITING else set()
            rows = (row for row in rows if row[1].id in interrupted or self._has_status(row[1], status))
        page = sorted(rows, key=order_key, reverse=True)[: max(0, min(limit, PAGE_ROWS))]
        return [replace(self._shown(run), output_json=None) for _, run in page]

    async def unfinished(self) -> list[Run]:
        rows = [
            row for row in self._tables.runs.values() if any(self._has_status(row[1], status) for status in UNFINISHED)
        ]
        return [replace(run, output_json=None) for _, run in sorted(rows, key=order_key)]

    async def ended_since(self, at: datetime) -> list[RunId]:
        runs = (run for _, run in self._tables.runs.values())
        return [run.id for run in runs if run.finished_at is not None and run.finished_at >= at]

    async def children(self, run_id: RunId) -> list[Run]:
        rows = [row for row in self._tables.runs.values() if row[1].parent == run_id]
        return [replace(self._shown(run), output_json=None) for _, run in sorted(rows, key=order_key)]

    def _interrupted_roots(self) -> set[RunId]:
        """Return the readable roots of the runs that have an open interruption."""
        runs = self._tables.runs
        interrupted = (runs[asked.run_id][1] for _, asked in open_interruptions(self._tables) if asked.run_id in runs)
        roots = (runs.get(run.root or run.id) for run in interrupted)
        return {root[1].id for root in roots if root is not None and self._is_readable(root[1])}

    def _has_status(self, run: Run, status: RunStatus) -> bool:
        if run.id in self._tables.marks:
            return status is RunStatus.ERROR
        return run.status is status and self._is_readable(run)

    def _is_readable(self, run: Run) -> bool:
        return run.id not in self._tables.marks and ("row", run.id) not in self._tables.broken

    def _shown(self, run: Run) -> Run:
        reason = self._tables.marks.get(run.id)
        if ("row", run.id) in self._tables.broken:
            return placeholder(run.id, run.workflow_id, run.message_id, run.created_at, reason)
        return run if reason is None else as_unreadable(run, reason)


class InMemoryOfRun(Repository, Generic[T]):
    """Rows of a run that `read` takes from the tables."""

    def __init__(self, tables: TablesOf, read: Callable[[Tables, RunId], T]) -> None:
        super().__init__(tables)
        self._read = read

    async def of_run(self, run_id: RunId) -> T:
        return self._read(self._tables, run_id)


class InMemorySnapshots(Repository):
    async def of_run(self, run_id: RunId) -> Snapshot:
        snapshot = self._tables.snapshots.get(run_id)
        if snapshot is None or ("snapshot", run_id) in self._tables.broken:
            raise unreadable_error(run_id, "definition")
        return snapshot


class InMemoryInterruptions(Repository):
    async def open(self, run_id: RunId | None = None) -> list[Interruption]:
        broken = self._tables.broken
        rows = [row for row in open_interruptions(self._tables) if ("interruptions", row[1].run_id) not in broken]
        if run_id is not None:
            return sorted((asked for _, asked in rows if asked.run_id == run_id), key=by_sequence)
        return [interruption for _, interruption in sorted(rows, key=order_key)]


class InMemoryEvents(Repository):
    async def of_run(self, run_id: RunId) -> list[Event]:
        if ("events", run_id) in self._tables.broken:
            raise unreadable_error(run_id, "events")
        events: list[Event] = []
        last = 0  # late and repeated events are left out, of the same row too
        for _, row in sorted(self._tables.events.get(run_id, {}).items()):
            for stored in row.events:
                if stored.event.seq > last:
                    last = stored.event.seq
                    events.append(self._restored(stored))
        return events

    async def last_seq(self, run_id: RunId) -> int:
        rows = self._tables.events.get(run_id, {}).values()
        return max((row.last_seq for row in rows), default=0)

    def _restored(self, stored: StoredEvent) -> Event:
        if stored.message_id is None:
            return stored.event
        message = self._tables.messages.get(stored.message_id)
        update = {"text": "" if message is None else message[1].text}
        return replace(stored.event, fact=stored.event.fact.model_copy(update=update))

    async def of_runs(
        self, run_ids: Sequence[RunId], facts: Collection[type[Fact]] | None = None
    ) -> dict[RunId, list[Event]]:
        events: dict[RunId, list[Event]] = {}
        for run_id in run_ids:
            try:
                whole = await self.of_run(run_id)
                events[run_id] = [event for event in whole if facts is None or type(event.fact) in facts]
            except StorageFailed as error:
                if error.code != "unreadable":
                    raise
        return events


def open_interruptions(tables: Tables) -> list[tuple[OrderKey, Interruption]]:
    return [row for rows in tables.interruptions.values() for row in rows.values()]
