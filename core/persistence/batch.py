"""The writes of one commit by kind, and what they mean for each other.

Both stores read them from here, so that order, precedence and what is kept only once are decided in one place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from core.domain.ids import MessageId, RunId
from core.domain.messages import Message
from core.domain.run import Run, Snapshot, StepStatus
from core.persistence.event_rows import EventRow, compact_event
from core.ports.storage import (
    AppendChunk,
    AppendEvents,
    Chunk,
    CreateRun,
    DropChunks,
    PutMessage,
    PutStepResult,
    Write,
)

W = TypeVar("W")
Stream = tuple[RunId, str, int | None]


@dataclass(frozen=True, slots=True)
class Creation:
    """A run to be created, with what is lost if it exists. `positions` are those of all these writes."""

    run: Run
    snapshot: Snapshot
    messages: Sequence[Message]
    events: EventRow | None
    positions: frozenset[int]


class Batch:
    """One commit. Raises TypeError for what is no write."""

    def __init__(self, writes: Sequence[Write]) -> None:
        self._by_kind: dict[type, list[tuple[int, Any]]] = {kind: [] for kind in get_args(Write)}
        for position, write in enumerate(writes):
            if type(write) not in self._by_kind:
                raise TypeError(f"{write!r} is no write")
            self._by_kind[type(write)].append((position, write))
        self._created = {write.run.id for write in self.of(CreateRun)}
        self._event_rows = self._rows_of_events()

    def of(self, kind: type[W]) -> list[W]:
        """The writes of that kind, in the order given."""
        return [write for _, write in self._by_kind[kind]]

    def placed(self, kind: type[W]) -> list[tuple[int, W]]:
        """Likewise, each with its position in the commit."""
        return self._by_kind[kind]

    def creations(self) -> list[Creation]:
        """New runs with their messages and events. A second one of the same id is in `doubled`."""
        rows = {row.run_id: row for row in self._event_rows if row.run_id in self._created}
        creations: dict[RunId, Creation] = {}
        for position, write in self.placed(CreateRun):
            run = write.run
            if run.id in creations:
                continue
            messages = [one.message for one in self.of(PutMessage) if one.message.run_id == run.id]
            with_it = [at for at, one in self.placed(PutMessage) if one.message.run_id == run.id]
            with_it += [at for at, one in self.placed(AppendEvents) if one.run_id == run.id]
            positions = frozenset([position, *with_it])
            creations[run.id] = Creation(run, write.snapshot, messages, rows.get(run.id), positions)
        return list(creations.values())

    def doubled(self) -> set[int]:
        """Positions of new runs whose id came before in this commit: lost whatever the store holds."""
        seen: set[RunId] = set()
        lost = set()
        for position, write in self.placed(CreateRun):
            if write.run.id in seen:
                lost.add(position)
            seen.add(write.run.id)
        return lost

    def messages(self) -> list[Message]:
        """The messages that come with no new run."""
        return [write.message for write in self.of(PutMessage) if write.message.run_id not in self._created]

    def event_rows(self) -> list[EventRow]:
        """A row for each run that is not created here."""
        return [row for row in self._event_rows if row.run_id not in self._created]

    def chunks(self) -> tuple[list[Stream], list[Chunk]]:
        """The streams to drop first, then the pieces to keep: what came before the drop of its stream is gone."""
        dropped: dict[Stream, None] = {}
        pieces: list[Chunk] = []
        writes: list[tuple[int, DropChunks | AppendChunk]] = [*self.placed(DropChunks), *self.placed(AppendChunk)]
        for _, write in sorted(writes, key=lambda placed: placed[0]):
            if isinstance(write, AppendChunk):
                pieces.append(write.chunk)
            else:
                stream = (write.run_id, write.step, write.index)
                dropped[stream] = None
                pieces = [piece for piece in pieces if (piece.run_id, piece.step, piece.index) != stream]
        return list(dropped), pieces

    def _rows_of_events(self) -> list[EventRow]:
        results = {
            (write.result.run_id, write.result.key)
            for write in self.of(PutStepResult)
            if write.result.status is StepStatus.COMPLETED and not write.result.skipped
        }
        messages: dict[MessageId, Message] = {write.message.id: write.message for write in self.of(PutMessage)}
        events: dict[RunId, list[Any]] = {}
        for write in self.of(AppendEvents):
            events.setdefault(write.run_id, []).extend(
                compact_event(event, results, messages) for event in write.events
            )
        return [EventRow(run_id, tuple(told)) for run_id, told in events.items() if told]
