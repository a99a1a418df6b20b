"""Events as they are stored: a row for the events of a run in a commit, and a row for each long value in them.

Rows are the expensive part of a commit (ENGINE §10): with 64 steps in one INSERT, a step took 70 µs as a single row,
175 µs as three rows and 225 µs as four. So the events share a row. A value over 4 KB is stored once, in a row of its
own, and the event contains its checksum; a text that a message of the same commit holds is left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, cast

from core.domain.events import (
    FACTS,
    UNREADABLE_VALUE,
    Event,
    Fact,
    MessageAdded,
    attached_text,
    fact_fields,
    fact_name,
    parse_fact,
    with_damage,
    with_text,
)
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.messages import Message, MessageState
from core.domain.text.json_text import decode
from core.persistence import codec
from core.persistence.keys import text_key
from core.persistence.statements import Row

LONG_CHARACTERS = 4096  # of JSON, which is ASCII
DIGEST_BYTES = 16

ValueKey = tuple[str, int, str]
"""The run, the number of the event, and the name of the field."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event, and the message that holds its text."""

    event: Event
    message_id: MessageId | None = None


@dataclass(frozen=True, slots=True)
class EventRow:
    """Events of one run that are committed together."""

    run_id: RunId
    events: tuple[StoredEvent, ...]

    @property
    def first_seq(self) -> int:
        return self.events[0].event.seq

    @property
    def last_seq(self) -> int:
        return self.events[-1].event.seq


def compact_event(event: Event, messages: Mapping[MessageId, Message]) -> StoredEvent:
    """Return the event, with the message of the same commit that holds its text for good."""
    fact = event.fact
    if isinstance(fact, MessageAdded):
        message = messages.get(fact.message_id)
        # an open or stopped message may still grow
        is_settled = message is not None and (message.state is MessageState.FINAL or fact.interrupted)
        if message is not None and message.text == fact.text and is_settled:
            return StoredEvent(event, fact.message_id)
    return StoredEvent(event)


# Encoding


def encode_events(row: EventRow) -> tuple[Row, list[Row]]:
    """Encode events that share a row, and their long values."""
    values: list[Row] = []
    data = f"[{','.join(_encode_event(event, row.run_id, values) for event in row.events)}]"
    encoded = {
        "id": [text_key(row.run_id), row.first_seq],
        "workflow": text_key(row.events[0].event.workflow_id),
        "last": row.last_seq,
        "data": data,
    }
    if len(data) > LONG_CHARACTERS:
        encoded["sum"] = digest(data)
    return encoded, values


def digest(text: str) -> str:
    """Return the checksum of a stored text."""
    return blake2b(text.encode(), digest_size=DIGEST_BYTES).hexdigest()


def _encode_event(stored: StoredEvent, run_id: RunId, values: list[Row]) -> str:
    """Encode the event's stored fields with its exact time. Long values are added to `values`."""
    event = stored.event
    fields = {
        "type": fact_name(event.fact),
        "seq": event.seq,
        "at": codec.to_microseconds(event.at),
        **fact_fields(event.fact, with_inner=True),
    }
    if stored.message_id is not None:
        del fields["text"]
    texts: dict[str, str] = {}
    if (text := attached_text(event.fact)) is not None and event.fact.long_field in fields:
        texts[event.fact.long_field] = text
        del fields[event.fact.long_field]
    encoded = codec.encode_json(fields)
    if len(encoded) > LONG_CHARACTERS:
        others = {name: codec.encode_json(value) for name, value in fields.items() if _may_be_long(value)}
        texts |= {name: other for name, other in others.items() if len(other) > LONG_CHARACTERS}
        encoded = codec.encode_json({name: value for name, value in fields.items() if name not in texts})
    parts = [encoded[:-1]]
    checksums: dict[str, list[Any]] = {}
    for name, text in texts.items():
        if len(text) > LONG_CHARACTERS:
            checksums[name] = [len(text), digest(text)]
            values.append({"id": [text_key(run_id), event.seq, name], "data": text})
        else:  # it is JSON already, so it is put into the object as it is
            parts.append(f'"{name}":{text}')
    if checksums:
        parts.append(f'"long":{codec.encode_json(checksums)}')
    return ",".join(parts) + "}"


def _may_be_long(value: Any) -> bool:
    return isinstance(value, str | list | tuple | dict)


# Decoding


@dataclass(frozen=True, slots=True)
class EncodedEvent:
    """An event as its row has it: the fields, without the values and the text that are in other rows.

    `long` has their size in characters and their checksum by the name of the field.
    """

    run_id: RunId
    workflow_id: WorkflowId
    fields: dict[str, Any]
    long: Mapping[str, tuple[int, str]]

    @property
    def seq(self) -> int:
        return cast("int", self.fields["seq"])

    @property
    def message_id(self) -> MessageId | None:
        """The message that holds the text."""
        # the absence of a field is the reference: its key is derived from the other fields
        if self.fields["type"] != MessageAdded.type or "text" in self.fields or "text" in self.long:
            return None
        return MessageId(self.fields["message_id"])


def decode_row(row: Row, run_id: RunId) -> list[EncodedEvent]:
    """Decode a row. Raises any of codec.DECODE_ERRORS."""
    data = codec.decode_text(row["data"])
    if "sum" in row and row["sum"] != digest(data):
        raise ValueError("the row is damaged")
    workflow_id = WorkflowId(row["workflow"])
    events = []
    for fields in decode(data):
        long = {name: (size, checksum) for name, (size, checksum) in fields.pop("long", {}).items()}
        events.append(EncodedEvent(run_id, workflow_id, fields, long))
    return events


def in_order(events: Iterable[EncodedEvent]) -> Iterator[EncodedEvent]:
    """Yield the events without repetitions: rows of early releases overlap."""
    last = 0
    for event in events:
        if event.seq > last:
            last = event.seq
            yield event


def long_values(events: Iterable[EncodedEvent]) -> dict[ValueKey, tuple[int, str]]:
    """Return the sizes and the checksums of the values that are in rows of their own."""
    return {
        (text_key(event.run_id), event.seq, name): of_value for event in events for name, of_value in event.long.items()
    }


def decode_values(long: Mapping[ValueKey, tuple[int, str]], rows: Iterable[Row]) -> dict[ValueKey, tuple[Any, str]]:
    """Decode the rows of values, with their texts; damaged rows are left out."""
    values: dict[ValueKey, tuple[Any, str]] = {}
    for row in rows:
        run, seq, name = row["id"].id
        text = row.get("data")
        if isinstance(text, str) and long[run, seq, name][1] == digest(text):
            values[run, seq, name] = decode(text), text
    return values


def decode_event(
    event: EncodedEvent, values: Mapping[ValueKey, tuple[Any, str]], texts: Mapping[MessageId, str]
) -> Event:
    """Return the event with its values and its text ("" if its message is gone). Raises any of codec.DECODE_ERRORS."""
    fields = event.fields
    if (message_id := event.message_id) is not None:
        fields = {**fields, "text": texts.get(message_id, "")}
    fact = _fact(event, fields, values) if event.long else parse_fact(fields["type"], fields)
    return Event(event.run_id, event.workflow_id, event.seq, codec.from_microseconds(fields["at"]), fact)


def _fact(event: EncodedEvent, fields: dict[str, Any], values: Mapping[ValueKey, tuple[Any, str]]) -> Fact:
    name, kind = fields["type"], FACTS.get(fields["type"])
    found = {field: values.get((text_key(event.run_id), event.seq, field)) for field in event.long}
    known = {field: value[0] for field, value in found.items() if value is not None}
    if len(known) < len(found):
        return _damaged_fact(name, {**fields, **known}, found.keys() - known.keys())
    fact = parse_fact(name, {**fields, **known})
    text = found.get(kind.long_field) if kind is not None and kind.long_field is not None else None
    return fact if text is None else with_text(fact, text[1])


def _damaged_fact(name: str, fields: dict[str, Any], missing: Iterable[str]) -> Fact:
    """Return the fact with an error in place of the missing values, or with what the types of the fields allow."""
    stand_ins: tuple[Any, ...] = (UNREADABLE_VALUE, UNREADABLE_VALUE["error"]["message"], [])
    for value in stand_ins:
        try:
            return with_damage(parse_fact(name, {**fields, **dict.fromkeys(missing, value)}))
        except ValueError:
            continue
    raise ValueError(f"a value of a {name} is damaged")
