"""Rows of events: the events of one run in one commit are a row.

Outputs and texts that have a row of their own are left out, and restored when events are read.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from core.domain.events import Event, MessageAdded, RawResultSaved, StepFinished, fact_fields, fact_name, parse_fact
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.run import StepKey, StepStatus
from core.domain.text.json_text import decode
from core.errors import StorageFailed
from core.persistence.codec import DECODE_ERRORS, encode_json, from_microseconds, to_microseconds
from core.persistence.connection import Connection
from core.persistence.event_rows import EventRow, StoredEvent, ordered_events, restore_event
from core.persistence.keys import key_range, text_key
from core.persistence.messages import MessageRepository
from core.persistence.pages import pages_in_range
from core.persistence.statements import Row, Statement, batched, batched_statements
from core.persistence.step_results import StepResultRepository
from core.persistence.unreadable import unreadable_error

# A row that is written again may have grown meanwhile; a shorter one would take events away.
PUT_EVENTS = """INSERT INTO event $given ON DUPLICATE KEY UPDATE
    data = IF $input.last < last { data } ELSE { $input.data },
    last = IF $input.last < last { last } ELSE { $input.last } RETURN NONE"""

RUNS_PER_QUERY, MAX_SHORT_ROWS = 20, 9
_FIRST_ROWS = "RETURN $ranges.map(|$range| (SELECT * FROM $range LIMIT $limit))"
"""Of a run with more rows all are read again, by pages."""

TURN_EVENTS = 200  # decoded before others get a turn


class EventRepository:
    """The events of runs."""

    def __init__(self, connection: Connection, results: StepResultRepository, messages: MessageRepository) -> None:
        self._connection = connection
        self._results = results
        self._messages = messages

    def put(self, rows: Iterable[EventRow]) -> list[Statement]:
        return batched_statements(PUT_EVENTS, map(encode_events, rows))

    async def of_run(self, run_id: RunId) -> list[Event]:
        """Return all events in order. Raises StorageFailed `unreadable`."""
        events = list(ordered_events(await self._rows(run_id)))
        outputs: dict[StepKey, Any] = {}
        if any(isinstance(one.elsewhere, StepKey) for one in events):
            outputs = await self._results.outputs(run_id)
        ids = {one.elsewhere for one in events if isinstance(one.elsewhere, str)}
        texts = await self._messages.texts(sorted(ids))
        return [restore_event(one, outputs, texts) for one in events]

    async def of_runs(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        """Return events by run, in this order. Unreadable runs are left out."""
        found: dict[RunId, list[Event]] = {}
        for some in batched(run_ids, RUNS_PER_QUERY):
            short = await self._short(some)
            for run_id in some:
                try:
                    found[run_id] = short[run_id] if run_id in short else await self.of_run(run_id)
                except StorageFailed as error:
                    if error.code != "unreadable":
                        raise
        return found

    async def _short(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        """Return the events of readable runs with few rows, by a single query instead of one per run."""
        ranges = [key_range("event", text_key(run_id)) for run_id in run_ids]
        rows = await self._connection.read(_FIRST_ROWS, {"ranges": ranges, "limit": MAX_SHORT_ROWS + 1})
        kept: dict[RunId, list[StoredEvent]] = {}
        for run_id, own in zip(run_ids, rows, strict=True):
            with suppress(*DECODE_ERRORS):
                if len(own) <= MAX_SHORT_ROWS:
                    kept[run_id] = list(ordered_events(_decode_row(row, run_id) for row in own))
        try:
            return await self._filled(kept)
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
            return {}

    async def _filled(self, kept: Mapping[RunId, Sequence[StoredEvent]]) -> dict[RunId, list[Event]]:
        """Restore the outputs and texts of the events."""
        elsewhere = [(run_id, one.elsewhere) for run_id, events in kept.items() for one in events]
        outputs = await self._results.outputs_of((run_id, key) for run_id, key in elsewhere if isinstance(key, StepKey))
        texts = await self._messages.texts(sorted({key for _, key in elsewhere if isinstance(key, str)}))
        own: dict[RunId, dict[StepKey, Any]] = {run_id: {} for run_id in kept}
        for (run_id, key), output in outputs.items():
            own[run_id][key] = output
        return {run_id: [restore_event(one, own[run_id], texts) for one in events] for run_id, events in kept.items()}

    async def _rows(self, run_id: RunId) -> list[EventRow]:
        rows: list[EventRow] = []
        decoded = 0
        pages = pages_in_range(self._connection, "SELECT * FROM $range", "event", text_key(run_id))
        async for page in pages:
            for row in page:
                try:
                    rows.append(_decode_row(row, run_id))
                except DECODE_ERRORS as error:
                    raise unreadable_error(run_id, "events") from error
                decoded += len(rows[-1].events)
                if decoded >= TURN_EVENTS:
                    decoded = 0
                    await asyncio.sleep(0)
        return rows


def encode_events(row: EventRow) -> Row:
    """Encode events that share a row."""
    return {
        "id": [text_key(row.run_id), row.first_seq],
        "workflow": text_key(row.events[0].event.workflow_id),
        "last": row.last_seq,
        "data": encode_json([_encode_event(one) for one in row.events]),
    }


def _encode_event(one: StoredEvent) -> dict[str, Any]:
    """Return the event's wire fields with its exact time, without what the row already holds."""
    event = one.event
    fields = {
        "type": fact_name(event.fact),
        "seq": event.seq,
        "at": to_microseconds(event.at),
        **fact_fields(event.fact),
    }
    if one.elsewhere is not None:
        del fields[_omitted_field(one.elsewhere)]
    return fields


def _omitted_field(elsewhere: StepKey | MessageId) -> str:
    if isinstance(elsewhere, StepKey):
        return "raw" if elsewhere.is_raw else "output"
    return "text"


def _decode_row(row: Row, run_id: RunId) -> EventRow:
    workflow_id = WorkflowId(row["workflow"])
    return EventRow(run_id, tuple(_decode_event(fields, run_id, workflow_id) for fields in decode(row["data"])))


def _decode_event(fields: dict[str, Any], run_id: RunId, workflow_id: WorkflowId) -> StoredEvent:
    elsewhere: StepKey | MessageId | None = None
    name = fields["type"]
    if name == StepFinished.type and fields["status"] == StepStatus.COMPLETED and "output" not in fields:
        elsewhere = StepKey(fields["step"], fields.get("index"))
    elif name == RawResultSaved.type and "raw" not in fields:
        elsewhere = StepKey(fields["step"], fields.get("index")).of_raw
    elif name == MessageAdded.type and "text" not in fields:
        elsewhere = MessageId(fields["message_id"])
        fields = {**fields, "text": ""}
    event = Event(run_id, workflow_id, int(fields["seq"]), from_microseconds(fields["at"]), parse_fact(name, fields))
    return StoredEvent(event, elsewhere)
