"""Events as they are stored: without the outputs and texts that another row of the same commit holds.

A step's output and raw result are in a row of results, a message's text in the message. The stored event refers to that
row, and reading restores the value.
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
    """An event, and the key of the result or message that holds its output or text."""

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
        for one in row.events:
            if one.event.seq > last:
                last = one.event.seq
                yield one


def restore_event(one: StoredEvent, outputs: Mapping[StepKey, Any], texts: Mapping[MessageId, str]) -> Event:
    """Return the event with its output or text; None or "" if the row that held it is gone."""
    match one.elsewhere:
        case None:
            return one.event
        case StepKey() as key:
            update = {"raw" if key.is_raw else "output": outputs.get(key)}
        case message_id:
            update = {"text": texts.get(message_id, "")}
    return replace(one.event, fact=one.event.fact.model_copy(update=update))


def _is_settled(message: Message, fact: MessageAdded) -> bool:
    """Return whether the message's text is final. An open or stopped message may still grow."""
    return message.state is MessageState.FINAL or fact.interrupted
