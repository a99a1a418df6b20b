"""The writes of a commit, grouped by kind, and their effect on each other.

The embedded store and its in-memory twin both read a commit from here, so that order, precedence and deduplication are
decided in a single place.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from core.domain.ids import MessageId, RunId
from core.domain.messages import Message
from core.domain.run import Run, Snapshot
from core.persistence.event_rows import EventRow, compact_event
from core.ports import (
    AppendChunk,
    AppendEvents,
    Chunk,
    CreateRun,
    Document,
    DropChunks,
    Put,
    PutMessage,
    Remove,
    Write,
)

W = TypeVar("W")
D = TypeVar("D", bound=Document)
Stream = tuple[RunId, str, int | None]

_KINDS = frozenset(get_args(Write))


@dataclass(frozen=True, slots=True)
class Creation:
    """A run to create. `positions` are the writes that are lost if the run already exists."""

    run: Run
    snapshot: Snapshot
    messages: Sequence[Message]
    events: EventRow | None
    positions: frozenset[int]


class Batch:
    """The writes of a commit. Raises TypeError for a value that is not a write."""

    def __init__(self, writes: Sequence[Write]) -> None:
        self._by_kind: dict[type, list[tuple[int, Any]]] = {}
        for position, write in enumerate(writes):
            if type(write) not in _KINDS:
                raise TypeError(f"{write!r} is no write")
            self._by_kind.setdefault(type(write), []).append((position, write))
        self._created = {write.run.id for write in self.of(CreateRun)}
        self._event_rows = self._rows_of_events()

    def has(self, kinds: Collection[type[Write]]) -> bool:
        """Return whether there are writes of these kinds."""
        return not self._by_kind.keys().isdisjoint(kinds)

    def of(self, kind: type[W]) -> list[W]:
        """Return the writes of that kind, in the order given."""
        return [write for _, write in self._by_kind.get(kind, ())]

    def with_positions(self, kind: type[W]) -> list[tuple[int, W]]:
        """Return the writes of that kind, each with its position in the commit."""
        return self._by_kind.get(kind, [])

    def documents(self, kind: type[D]) -> list[D]:
        """Return the documents of that type to put."""
        return [write.document for write in self.of(Put) if isinstance(write.document, kind)]

    def removed(self, kind: type[object]) -> list[str]:
        """Return the ids of the documents of that type to remove."""
        return [write.id for write in self.of(Remove) if write.kind is kind]

    def creations(self) -> list[Creation]:
        """Return new runs with their messages and events. A second creation of the same id is in `duplicates`."""
        event_rows = {row.run_id: row for row in self._event_rows}
        creations: dict[RunId, Creation] = {}
        for position, write in self.with_positions(CreateRun):
            run = write.run
            if run.id in creations:
                continue
            puts = [placed for placed in self.with_positions(PutMessage) if placed[1].message.run_id == run.id]
            appends = [placed for placed in self.with_positions(AppendEvents) if placed[1].run_id == run.id]
            positions = {position, *(at for at, _ in puts), *(at for at, _ in appends)}
            messages = [put.message for _, put in puts]
            creations[run.id] = Creation(run, write.snapshot, messages, event_rows.get(run.id), frozenset(positions))
        return list(creations.values())

    def duplicates(self) -> set[int]:
        """Return the positions of runs that an earlier write of this commit creates: lost in any case."""
        first: dict[RunId, int] = {}
        creations = self.with_positions(CreateRun)
        return {position for position, write in creations if first.setdefault(write.run.id, position) != position}

    def messages(self) -> list[Message]:
        """Return the messages that do not belong to a run created here."""
        return [write.message for write in self.of(PutMessage) if write.message.run_id not in self._created]

    def event_rows(self) -> list[EventRow]:
        """Return a row for each run that is not created here."""
        return [row for row in self._event_rows if row.run_id not in self._created]

    def chunks(self) -> tuple[list[Stream], list[Chunk]]:
        """Return the streams to drop, then the chunks to keep. A chunk listed before its stream's drop is gone."""
        dropped: dict[Stream, None] = {}
        chunks: list[Chunk] = []
        placed: list[tuple[int, DropChunks | AppendChunk]] = [*self.with_positions(DropChunks)]
        placed += self.with_positions(AppendChunk)
        for _, write in sorted(placed, key=lambda write: write[0]):
            if isinstance(write, AppendChunk):
                chunks.append(write.chunk)
            else:
                stream = (write.run_id, write.step, write.index)
                dropped[stream] = None
                chunks = [chunk for chunk in chunks if (chunk.run_id, chunk.step, chunk.index) != stream]
        return list(dropped), chunks

    # A message and its event carry the same text. The event of the same commit therefore leaves the text out; in
    # another commit it stays in both rows, since whether the message exists cannot be known here.
    def _rows_of_events(self) -> list[EventRow]:
        messages: dict[MessageId, Message] = {write.message.id: write.message for write in self.of(PutMessage)}
        events: dict[RunId, list[Any]] = {}
        for write in self.of(AppendEvents):
            events.setdefault(write.run_id, []).extend(compact_event(event, messages) for event in write.events)
        return [EventRow(run_id, tuple(stored)) for run_id, stored in events.items() if stored]
