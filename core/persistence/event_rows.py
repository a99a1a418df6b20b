"""Facts as they are kept: without the outputs and texts that a row of their own keeps.

A step's output and its raw result lie in rows of results, a message's text in the message. An event that was written
together with that row points to it instead, and is filled in when it is read.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from core.domain.events import Event, MessageAdded, RawResultSaved, StepFinished
from core.domain.ids import MessageId, RunId
from core.domain.messages import Message, MessageState
from core.domain.run import StepKey, StepStatus


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event, and the row that keeps its output or text: a step's result or a message."""

    event: Event
    elsewhere: StepKey | MessageId | None = None


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
    """The event as it is kept beside these completed results and messages of the same commit."""
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
    """The events of rows in the order of their first numbers; a number that came before is not repeated."""
    last = 0
    for row in rows:
        for one in row.events:
            if one.event.seq > last:
                last = one.event.seq
                yield one


def restore_event(one: StoredEvent, outputs: Mapping[StepKey, Any], texts: Mapping[MessageId, str]) -> Event:
    """The event with what its row keeps; None or "" where the row is gone."""
    match one.elsewhere:
        case None:
            return one.event
        case StepKey() as key:
            update = {"raw" if key.is_raw else "output": outputs.get(key)}
        case message_id:
            update = {"text": texts.get(message_id, "")}
    return replace(one.event, fact=one.event.fact.model_copy(update=update))


def _is_settled(message: Message, fact: MessageAdded) -> bool:
    """Whether the message's row will keep this text: an open one, or a stopped turn's, may be written on."""
    return message.state is MessageState.FINAL or fact.interrupted
