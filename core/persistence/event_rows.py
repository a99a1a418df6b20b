"""Events as they are stored: without the outputs and texts that another row of the same commit holds.

A step's output and raw result are in a row of results, a message's text in the message. The stored event refers to that
row, and reading restores the value.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from core.domain.events import Event, MessageAdded, RawResultSaved, StepFinished, fact_fields, fact_name, parse_fact
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.messages import Message, MessageState
from core.domain.run import StepKey, StepStatus
from core.domain.text.json_text import decode
from core.persistence import codec
from core.persistence.keys import text_key
from core.persistence.statements import Row


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event, and the key of the result or message that holds its output or text."""

    event: Event
    value_key: StepKey | MessageId | None = None


# Rows are the expensive part of a commit (ENGINE §10): with 64 steps in one INSERT, a step took 70 µs as a single row,
# 175 µs as three rows and 225 µs as four. So a run's events of a commit are one row, and share the values of others.
@dataclass(frozen=True, slots=True)
class EventRow:
    """Events of one run that were committed together."""

    run_id: RunId
    events: tuple[StoredEvent, ...]

    @property
    def first_seq(self) -> int:
        return self.events[0].event.seq

    @property
    def last_seq(self) -> int:
        return self.events[-1].event.seq


def compact_event(
    event: Event, results: AbstractSet[tuple[RunId, StepKey]], messages: Mapping[MessageId, Message]
) -> StoredEvent:
    """Return the event without what these completed results and messages of the same commit hold."""
    fact = event.fact
    if isinstance(fact, StepFinished) and fact.status is StepStatus.COMPLETED:
        key = StepKey(fact.step, fact.index)
        if (event.run_id, key) in results:
            return StoredEvent(event, key)
    elif isinstance(fact, RawResultSaved):
        key = StepKey(fact.step, fact.index).of_raw
        if (event.run_id, key) in results:
            return StoredEvent(event, key)
    elif isinstance(fact, MessageAdded):
        message = messages.get(fact.message_id)
        if message is not None and message.text == fact.text and _is_settled(message, fact):
            return StoredEvent(event, fact.message_id)
    return StoredEvent(event)


def ordered_events(rows: Iterable[EventRow]) -> Iterator[StoredEvent]:
    """Yield the events of rows ordered by their first numbers, without repetitions."""
    last = 0
    for row in rows:
        for stored in row.events:
            if stored.event.seq > last:  # rows overlap if a commit was repeated after more events came
                last = stored.event.seq
                yield stored


def restore_event(stored: StoredEvent, outputs: Mapping[StepKey, Any], texts: Mapping[MessageId, str]) -> Event:
    """Return the event with its output or text; None or "" if the row that held it is gone."""
    match stored.value_key:
        case None:
            return stored.event
        case StepKey() as key:
            update = {"raw" if key.is_raw else "output": outputs.get(key)}
        case message_id:
            update = {"text": texts.get(message_id, "")}
    return replace(stored.event, fact=stored.event.fact.model_copy(update=update))


def _is_settled(message: Message, fact: MessageAdded) -> bool:
    """Return whether the message's text is final. An open or stopped message may still grow."""
    return message.state is MessageState.FINAL or fact.interrupted


def encode_events(row: EventRow) -> Row:
    """Encode events that share a row."""
    return {
        "id": [text_key(row.run_id), row.first_seq],
        "workflow": text_key(row.events[0].event.workflow_id),
        "last": row.last_seq,
        "data": codec.encode_json([_encode_event(event) for event in row.events]),
    }


def _encode_event(stored: StoredEvent) -> dict[str, Any]:
    """Return the event's wire fields with its exact time, without what the row already holds."""
    event = stored.event
    fields = {
        "type": fact_name(event.fact),
        "seq": event.seq,
        "at": codec.to_microseconds(event.at),
        **fact_fields(event.fact),
    }
    if stored.value_key is not None:
        del fields[_omitted_field(stored.value_key)]
    return fields


def _omitted_field(value_key: StepKey | MessageId) -> str:
    if isinstance(value_key, StepKey):
        return "raw" if value_key.is_raw else "output"
    return "text"


def decode_events(row: Row, run_id: RunId) -> EventRow:
    """Decode a row. Raises any of codec.DECODE_ERRORS."""
    workflow_id = WorkflowId(row["workflow"])
    return EventRow(run_id, tuple(_decode_event(fields, run_id, workflow_id) for fields in decode(row["data"])))


# The absence of a field is the reference: its key is derived from the other fields. Events of old releases have all
# fields, and need no restoring.
def _decode_event(fields: dict[str, Any], run_id: RunId, workflow_id: WorkflowId) -> StoredEvent:
    value_key: StepKey | MessageId | None = None
    name = fields["type"]
    if name == StepFinished.type and fields["status"] == StepStatus.COMPLETED and "output" not in fields:
        value_key = StepKey(fields["step"], fields.get("index"))
    elif name == RawResultSaved.type and "raw" not in fields:
        value_key = StepKey(fields["step"], fields.get("index")).of_raw
    elif name == MessageAdded.type and "text" not in fields:
        value_key = MessageId(fields["message_id"])
        fields = {**fields, "text": ""}
    event = Event(
        run_id, workflow_id, int(fields["seq"]), codec.from_microseconds(fields["at"]), parse_fact(name, fields)
    )
    return StoredEvent(event, value_key)
