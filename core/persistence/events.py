"""Rows of events: the events of one run in one commit are a row, and each long value in them is a row."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from core.domain.events import Event, Fact
from core.domain.ids import RunId
from core.errors import StorageFailed
from core.persistence import codec
from core.persistence.connection import Connection
from core.persistence.event_rows import (
    EncodedEvent,
    EventRow,
    ValueKey,
    decode_event,
    decode_row,
    decode_values,
    encode_events,
    in_order,
    long_values,
)
from core.persistence.keys import key_range, record_id, text_key
from core.persistence.messages import MessageRepository
from core.persistence.repository import Repository
from core.persistence.statements import Row, Statement, batched, batched_statements

# A plain INSERT: a row that exists makes the whole commit fail, since it may be another writer's (ENGINE §10).
PUT_EVENTS = "INSERT INTO fact (SELECT *, $commit AS commit FROM $argument) RETURN NONE"
# A step must not begin after the end of its run, so the rows with claims fail too unless their runs are running.
_PUT_CLAIMS = """{
    LET $to = $argument;
    IF array::any($to.runs, |$run| type::record('run', $run).status != 'running') { THROW 'events_refused' };
    INSERT INTO fact (SELECT *, $commit AS commit FROM $to.rows) RETURN NONE
}"""
PUT_VALUES = "INSERT INTO long_value $argument RETURN NONE"

RUNS_PER_QUERY = 20
MAX_SHORT_ROWS = 9  # a run with more rows is read again, by pages
TURN_EVENTS = 200  # decoded before other tasks get a turn
PAGE_CHARACTERS = 1_000_000  # of values that are read at once; longer ones alone
THREAD_CHARACTERS = 64_000

_FIRST_ROWS = "RETURN $ranges.map(|$range| (SELECT * FROM $range LIMIT $limit))"
_LAST = "RETURN array::max((SELECT VALUE last FROM $range))"


class EventRepository(Repository):
    """The events of runs."""

    def __init__(self, connection: Connection, messages: MessageRepository) -> None:
        super().__init__(connection)
        self._messages = messages

    def put(self, rows: Iterable[EventRow], claiming: Iterable[RunId]) -> list[Statement]:
        """Return statements that fail if a row exists, or if a run in `claiming` is not running."""
        encoded = [encode_events(row) for row in rows]
        if not encoded:
            return []
        facts = [row for row, _ in encoded]
        carrier = ("fact", facts[0]["id"])
        if runs := [text_key(run_id) for run_id in claiming]:
            puts = [Statement(_PUT_CLAIMS, {"runs": runs, "rows": facts}, carrier=carrier)]
        else:
            puts = [Statement(PUT_EVENTS, part, carrier=carrier) for part in batched(facts)]
        return [*batched_statements(PUT_VALUES, (value for _, values in encoded for value in values)), *puts]

    async def of_run(self, run_id: RunId, types: Collection[str] | None = None) -> list[Event]:
        """Return all events in order, or only those with facts of these types. Raises StorageFailed `unreadable`."""
        encoded: list[EncodedEvent] = []
        async for page in self._pages_in_range("fact", text_key(run_id)):
            with codec.raising_unreadable(run_id, "events"):
                encoded += [event for row in page for event in _of_types(decode_row(row, run_id), types)]
        return (await self._decoded({run_id: encoded}))[run_id]

    async def of_runs(
        self, run_ids: Sequence[RunId], facts: Collection[type[Fact]] | None = None
    ) -> dict[RunId, list[Event]]:
        """Return events by run, in this order. Unreadable runs are left out."""
        events: dict[RunId, list[Event]] = {}
        types = None if facts is None else frozenset(fact.type for fact in facts)
        for batch in batched(run_ids, RUNS_PER_QUERY):
            short = await self._of_short_runs(batch, types)
            for run_id in batch:
                with _skipping_unreadable():
                    events[run_id] = short[run_id] if run_id in short else await self.of_run(run_id, types)
        return events

    async def last_seq(self, run_id: RunId) -> int:
        last: int | None = await self._connection.read(_LAST, {"range": key_range("fact", text_key(run_id))})
        return last or 0

    # Most runs that a window opens on are short, so RUNS_PER_QUERY of them share a query.
    async def _of_short_runs(self, run_ids: Sequence[RunId], types: Collection[str] | None) -> dict[RunId, list[Event]]:
        """Return the events of readable runs with few rows."""
        ranges = [key_range("fact", text_key(run_id)) for run_id in run_ids]
        rows = await self._connection.read(_FIRST_ROWS, {"ranges": ranges, "limit": MAX_SHORT_ROWS + 1})
        events: dict[RunId, list[EncodedEvent]] = {}
        for run_id, run_rows in zip(run_ids, rows, strict=True):
            with suppress(*codec.DECODE_ERRORS):
                if len(run_rows) <= MAX_SHORT_ROWS:
                    events[run_id] = [event for row in run_rows for event in _of_types(decode_row(row, run_id), types)]
        with _skipping_unreadable():
            return await self._decoded(events)
        return {}  # one of the runs has an unreadable event: each is then read by itself

    async def _decoded(self, by_run: dict[RunId, list[EncodedEvent]]) -> dict[RunId, list[Event]]:
        """Decode the events, with their values and texts in other rows. Raises StorageFailed `unreadable`."""
        encoded = [event for of_run in by_run.values() for event in of_run]
        values = await self._values(encoded)
        message_ids = {event.message_id for event in encoded if event.message_id is not None}
        texts = await self._messages.texts(sorted(message_ids)) if message_ids else {}
        decoded: dict[RunId, list[Event]] = {}
        for run_id, of_run in by_run.items():
            events = decoded[run_id] = []
            with codec.raising_unreadable(run_id, "events"):
                for event in in_order(of_run):
                    events.append(decode_event(event, values, texts))
                    if len(events) % TURN_EVENTS == 0:
                        await asyncio.sleep(0)
        return decoded

    async def _values(self, events: Sequence[EncodedEvent]) -> dict[ValueKey, tuple[Any, str]]:
        """Return the long values of the events, with their texts."""
        long = long_values(events)
        values: dict[ValueKey, tuple[Any, str]] = {}
        for keys, characters in _pages(long):
            ids = [record_id("long_value", list(key)) for key in keys]
            rows: list[Row] = await self._connection.read("SELECT * FROM $ids", {"ids": ids})
            if characters > THREAD_CHARACTERS:
                values |= await asyncio.to_thread(decode_values, long, rows)
            else:
                values |= decode_values(long, rows)
        return values


def _of_types(events: list[EncodedEvent], types: Collection[str] | None) -> list[EncodedEvent]:
    return events if types is None else [event for event in events if event.fields["type"] in types]


def _pages(long: dict[ValueKey, tuple[int, str]]) -> Iterator[tuple[list[ValueKey], int]]:
    """Yield the keys in groups of at most PAGE_CHARACTERS, with their characters."""
    page: list[ValueKey] = []
    characters = 0
    for key, (size, _) in long.items():
        if page and characters + size > PAGE_CHARACTERS:
            yield page, characters
            page, characters = [], 0
        page.append(key)
        characters += size
    if page:
        yield page, characters


@contextmanager
def _skipping_unreadable() -> Iterator[None]:
    try:
        yield
    except StorageFailed as error:
        if error.code != codec.UNREADABLE:
            raise
