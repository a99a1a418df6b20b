"""Rows of events: the events of one run in one commit are a row.

Outputs and texts that have a row of their own are left out, and restored when events are read.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from core.domain.events import Event
from core.domain.ids import RunId
from core.domain.run import StepKey
from core.errors import StorageFailed
from core.persistence import codec
from core.persistence.connection import Connection
from core.persistence.event_rows import (
    EventRow,
    StoredEvent,
    decode_events,
    encode_events,
    ordered_events,
    restore_event,
)
from core.persistence.keys import key_range, text_key
from core.persistence.messages import MessageRepository
from core.persistence.repository import Repository
from core.persistence.statements import Statement, batched, batched_statements
from core.persistence.step_results import StepResultRepository

# A repeated commit may have grown since its first attempt, so its row replaces the shorter row. Should the attempts
# arrive in reverse order, the shorter row must not take events away.
PUT_EVENTS = """INSERT INTO event $argument ON DUPLICATE KEY UPDATE
    data = IF $input.last < last { data } ELSE { $input.data },
    last = IF $input.last < last { last } ELSE { $input.last } RETURN NONE"""

RUNS_PER_QUERY = 20
MAX_SHORT_ROWS = 9  # a run with more rows is read again, by pages
TURN_EVENTS = 200  # decoded before other tasks get a turn

_FIRST_ROWS = "RETURN $ranges.map(|$range| (SELECT * FROM $range LIMIT $limit))"


class EventRepository(Repository):
    """The events of runs."""

    def __init__(self, connection: Connection, results: StepResultRepository, messages: MessageRepository) -> None:
        super().__init__(connection)
        self._results = results
        self._messages = messages

    def put(self, rows: Iterable[EventRow]) -> list[Statement]:
        return batched_statements(PUT_EVENTS, map(encode_events, rows))

    async def of_run(self, run_id: RunId) -> list[Event]:
        """Return all events in order. Raises StorageFailed `unreadable`."""
        events = list(ordered_events(await self._rows(run_id)))
        outputs: dict[StepKey, Any] = {}
        if any(isinstance(event.value_key, StepKey) for event in events):
            outputs = await self._results.outputs(run_id)
        message_ids = {event.value_key for event in events if isinstance(event.value_key, str)}
        texts = await self._messages.texts(sorted(message_ids))
        return [restore_event(event, outputs, texts) for event in events]

    async def of_runs(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        """Return events by run, in this order. Unreadable runs are left out."""
        events: dict[RunId, list[Event]] = {}
        for batch in batched(run_ids, RUNS_PER_QUERY):
            short = await self._of_short_runs(batch)
            for run_id in batch:
                with _skipping_unreadable():
                    events[run_id] = short[run_id] if run_id in short else await self.of_run(run_id)
        return events

    # Most runs that a window opens on are short, so RUNS_PER_QUERY of them share a query.
    async def _of_short_runs(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        """Return the events of readable runs with few rows."""
        ranges = [key_range("event", text_key(run_id)) for run_id in run_ids]
        rows = await self._connection.read(_FIRST_ROWS, {"ranges": ranges, "limit": MAX_SHORT_ROWS + 1})
        events: dict[RunId, list[StoredEvent]] = {}
        for run_id, run_rows in zip(run_ids, rows, strict=True):
            with suppress(*codec.DECODE_ERRORS):
                if len(run_rows) <= MAX_SHORT_ROWS:
                    events[run_id] = list(ordered_events(decode_events(row, run_id) for row in run_rows))
        with _skipping_unreadable():
            return await self._restored(events)
        return {}  # one of the runs has an unreadable output: each is then read by itself

    async def _restored(self, events: Mapping[RunId, Sequence[StoredEvent]]) -> dict[RunId, list[Event]]:
        """Restore the outputs and texts of the events."""
        value_key = [(run_id, event.value_key) for run_id, of_run in events.items() for event in of_run]
        outputs = await self._results.outputs_of((run_id, key) for run_id, key in value_key if isinstance(key, StepKey))
        texts = await self._messages.texts(sorted({key for _, key in value_key if isinstance(key, str)}))
        by_run: dict[RunId, dict[StepKey, Any]] = {run_id: {} for run_id in events}
        for (run_id, key), output in outputs.items():
            by_run[run_id][key] = output
        return {
            run_id: [restore_event(event, by_run[run_id], texts) for event in of_run]
            for run_id, of_run in events.items()
        }

    async def _rows(self, run_id: RunId) -> list[EventRow]:
        rows: list[EventRow] = []
        decoded = 0
        async for page in self._pages_in_range("event", text_key(run_id)):
            for row in page:
                with codec.raising_unreadable(run_id, "events"):
                    rows.append(decode_events(row, run_id))
                decoded += len(rows[-1].events)
                if decoded >= TURN_EVENTS:
                    decoded = 0
                    await asyncio.sleep(0)
        return rows


@contextmanager
def _skipping_unreadable() -> Iterator[None]:
    try:
        yield
    except StorageFailed as error:
        if error.code != codec.UNREADABLE:
            raise
