"""Rows of events: those of one commit and run are one row, as JSON text.

Outputs and texts that a row of their own keeps are left out, and filled in when events are read.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from core.domain.events import Event, MessageAdded, RawKept, StepFinished, fact_fields, fact_name, fact_of
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.json_text import decode
from core.domain.step import StepKey, StepStatus
from core.errors import StorageFailed
from core.persistence.codec import BROKEN, encode, microseconds, time_of
from core.persistence.connection import Connection
from core.persistence.facts import EventRow, KeptEvent, filled, in_order
from core.persistence.keys import rows_of, text_key
from core.persistence.messages import Messages
from core.persistence.pages import in_range
from core.persistence.statements import Row, Statement, each, parts
from core.persistence.step_results import StepResults
from core.persistence.unreadable import unreadable

# A row that is written again may have grown meanwhile; a shorter one would take events away.
PUT_EVENTS = """INSERT INTO event $given ON DUPLICATE KEY UPDATE
    data = IF $input.last < last { data } ELSE { $input.data },
    last = IF $input.last < last { last } ELSE { $input.last } RETURN NONE"""

RUNS_AT_ONCE, SHORT_ROWS = 20, 9
_FIRST_ROWS = "RETURN $ranges.map(|$range| (SELECT * FROM $range LIMIT $limit))"
"""Of a run with more rows all are read again, by pages."""

TURN_EVENTS = 200  # decoded before others get a turn


class Events:
    def __init__(self, connection: Connection, results: StepResults, messages: Messages) -> None:
        self._connection = connection
        self._results = results
        self._messages = messages

    def put(self, rows: Iterable[EventRow]) -> list[Statement]:
        return each(PUT_EVENTS, map(event_row, rows))

    async def of_run(self, run_id: RunId) -> list[Event]:
        """In order and whole. Raises StorageFailed `unreadable`."""
        events = list(in_order(await self._rows(run_id)))
        outputs: dict[StepKey, Any] = {}
        if any(isinstance(one.elsewhere, StepKey) for one in events):
            outputs = await self._results.outputs(run_id)
        ids = {one.elsewhere for one in events if isinstance(one.elsewhere, str)}
        texts = await self._messages.texts(sorted(ids))
        return [filled(one, outputs, texts) for one in events]

    async def of_runs(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        """By run, in this order. What cannot be read is left out."""
        found: dict[RunId, list[Event]] = {}
        for some in parts(run_ids, RUNS_AT_ONCE):
            short = await self._short(some)
            for run_id in some:
                try:
                    found[run_id] = short[run_id] if run_id in short else await self.of_run(run_id)
                except StorageFailed as error:
                    if error.code != "unreadable":
                        raise
        return found

    async def _short(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        """Those of these runs that have few rows and can be read: with one query, not one for each."""
        ranges = [rows_of("event", text_key(run_id)) for run_id in run_ids]
        rows = await self._connection.read(_FIRST_ROWS, {"ranges": ranges, "limit": SHORT_ROWS + 1})
        kept: dict[RunId, list[KeptEvent]] = {}
        for run_id, own in zip(run_ids, rows, strict=True):
            with suppress(*BROKEN):
                if len(own) <= SHORT_ROWS:
                    kept[run_id] = list(in_order(_events(row, run_id) for row in own))
        try:
            return await self._filled(kept)
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
            return {}

    async def _filled(self, kept: Mapping[RunId, Sequence[KeptEvent]]) -> dict[RunId, list[Event]]:
        elsewhere = [(run_id, one.elsewhere) for run_id, events in kept.items() for one in events]
        outputs = await self._results.outputs_of((run_id, key) for run_id, key in elsewhere if isinstance(key, StepKey))
        texts = await self._messages.texts(sorted({key for _, key in elsewhere if isinstance(key, str)}))
        own: dict[RunId, dict[StepKey, Any]] = {run_id: {} for run_id in kept}
        for (run_id, key), output in outputs.items():
            own[run_id][key] = output
        return {run_id: [filled(one, own[run_id], texts) for one in events] for run_id, events in kept.items()}

    async def _rows(self, run_id: RunId) -> list[EventRow]:
        rows: list[EventRow] = []
        decoded = 0
        pages = in_range(self._connection, "SELECT * FROM $range", "event", text_key(run_id))
        async for page in pages:
            for row in page:
                try:
                    rows.append(_events(row, run_id))
                except BROKEN as error:
                    raise unreadable(run_id, "events") from error
                decoded += len(rows[-1].events)
                if decoded >= TURN_EVENTS:
                    decoded = 0
                    await asyncio.sleep(0)
        return rows


def event_row(row: EventRow) -> Row:
    return {
        "id": [text_key(row.run_id), row.first_seq],
        "workflow": text_key(row.events[0].event.workflow_id),
        "last": row.last_seq,
        "data": encode([_fields(one) for one in row.events]),
    }


def _fields(one: KeptEvent) -> dict[str, Any]:
    """The event as on the wire, without what its row tells already, and with its exact time."""
    event = one.event
    fields = {"type": fact_name(event.fact), "seq": event.seq, "at": microseconds(event.at), **fact_fields(event.fact)}
    if one.elsewhere is not None:
        del fields[_left_out(one.elsewhere)]
    return fields


def _left_out(elsewhere: StepKey | MessageId) -> str:
    if isinstance(elsewhere, StepKey):
        return "raw" if elsewhere.is_raw else "output"
    return "text"


def _events(row: Row, run_id: RunId) -> EventRow:
    workflow_id = WorkflowId(row["workflow"])
    return EventRow(run_id, tuple(_event(fields, run_id, workflow_id) for fields in decode(row["data"])))


def _event(fields: dict[str, Any], run_id: RunId, workflow_id: WorkflowId) -> KeptEvent:
    elsewhere: StepKey | MessageId | None = None
    name = fields["type"]
    if name == StepFinished.type and fields["status"] == StepStatus.COMPLETED and "output" not in fields:
        elsewhere = StepKey(fields["step"], fields.get("index"))
    elif name == RawKept.type and "raw" not in fields:
        elsewhere = StepKey(fields["step"], fields.get("index")).of_raw
    elif name == MessageAdded.type and "text" not in fields:
        elsewhere = MessageId(fields["message_id"])
        fields = {**fields, "text": ""}
    event = Event(run_id, workflow_id, int(fields["seq"]), time_of(fields["at"]), fact_of(name, fields))
    return KeptEvent(event, elsewhere)
