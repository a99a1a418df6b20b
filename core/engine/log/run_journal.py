"""The journal of a single run: numbers its facts and publishes them in order."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from core.domain.events import (
    Event,
    EventsPersisted,
    Fact,
    MessageAdded,
    ToolEnded,
    ToolStarted,
    attached_text,
    stream_fact,
)
from core.domain.ids import CallId, MessageId, RunId, WorkflowId
from core.domain.run import RunStatus
from core.errors import StorageFailed
from core.ports import AppendChunk, AppendEvents, ChangeRun, Chunk, Claim, Companion, PutMessage, Write

CHUNK_BYTES = 4096

LostWrites = frozenset[int]
_StreamKey = tuple[str, int | None]


@dataclass(slots=True, eq=False)
class JournalEntry:
    """Facts and writes that belong together, and the future that waits for them to be on disk.

    `raises`: if it cannot be written it is given up and `done` gets the StorageFailed; otherwise it is held.
    `companion` is the entry of another run in the same commit; its rows are among the `writes`.
    """

    run: "RunJournal"
    events: list[Event]
    writes: Sequence[Write]
    done: "asyncio.Future[LostWrites] | None" = None
    raises: bool = False
    companion: "JournalEntry | None" = None

    @property
    def characters(self) -> int:
        """The approximate size of the events and writes."""
        values = (attached_text(event.fact) for event in self.events)
        return sum(len(text) for text in values if text is not None) + sum(map(_written_characters, self.writes))

    @property
    def is_claim(self) -> bool:
        """Whether its facts begin steps, which must not begin once the run is no longer running."""
        return any(isinstance(write, Claim) for write in self.writes)

    @property
    def ends_claims(self) -> bool:
        """Whether it changes the run so that nothing can begin in it."""
        changes = (write for write in self.writes if isinstance(write, ChangeRun))
        return any(change.run_id == self.run.run_id and change.status is not RunStatus.RUNNING for change in changes)


@dataclass(slots=True)
class _PendingText:
    """Streamed text of a step that has not been written as a chunk yet."""

    offset: int
    pieces: list[str] = field(default_factory=list)
    size: int = 0


class EntryWriter(Protocol):
    """What a run's journal needs from the writer."""

    def put(self, entry: JournalEntry) -> None: ...
    def schedule_text(self, run: "RunJournal", size: int) -> None: ...
    def publish(self, events: Iterable[Event | EventsPersisted]) -> None: ...
    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    async def drain(self, run_id: RunId) -> None: ...


class RunJournal:
    """The journal of a run (`core.ports.journal.RunLog`).

    `is_message_emitted`: the run's own message was emitted in full. `pause_count` counts how often the run could not be
    written. `last_emitted_at` is the time of the last fact, in monotonic seconds. `tools_in_flight` are the tools of
    calls without a result yet. `on_call_ended` is called with each call that has its result, one turn of the loop after
    that was published.
    """

    def __init__(
        self, journal: EntryWriter, run_id: RunId, workflow_id: WorkflowId, message_id: MessageId, last_seq: int
    ) -> None:
        self._journal = journal
        self.run_id = run_id
        self.workflow_id = workflow_id
        self.message_id = message_id
        self.is_message_emitted = False
        self.pause_count = 0
        self.on_call_ended: Callable[[CallId], None] | None = None
        self.last_emitted_at = journal.monotonic()
        self.tools_in_flight: dict[CallId, str] = {}
        self.texts: dict[_StreamKey, _PendingText] = {}
        self._seq = last_seq
        self._lengths: dict[_StreamKey, int] = {}
        self._waiting: deque[JournalEntry] = deque()

    @property
    def next_seq(self) -> int:
        """The number of the next stored fact."""
        return self._seq + 1

    def emit(self, *facts: Fact, writes: Sequence[Write] = (), companion: Companion | None = None) -> None:
        entry = self._entry(facts, writes, companion)
        self.publish_in_order(entry)
        if entry.companion is not None:
            entry.companion.run.publish_in_order(entry.companion)
        self._journal.put(entry)

    def commit(
        self, *facts: Fact, writes: Sequence[Write] = (), companion: Companion | None = None
    ) -> asyncio.Future[LostWrites]:
        done: asyncio.Future[LostWrites] = asyncio.get_running_loop().create_future()
        entry = self._entry(facts, writes, companion, done)
        self.publish_when_written(entry)
        if entry.companion is not None:
            entry.companion.run.publish_when_written(entry.companion)
        self._journal.put(entry)
        return done

    def _entry(
        self,
        facts: Sequence[Fact],
        writes: Sequence[Write],
        companion: Companion | None,
        done: "asyncio.Future[LostWrites] | None" = None,
    ) -> JournalEntry:
        entry = JournalEntry(self, self.number(facts), writes, done)
        if companion is not None:
            other, events = companion_journal(companion)
            entry.writes = [*writes, *companion.writes]
            entry.companion = JournalEntry(other, list(events), (), done)
        return entry

    async def create(
        self,
        *facts: Fact,
        writes: Sequence[Write],
        is_ours: Callable[[], Awaitable[bool | None]],
        companion: Companion | None = None,
    ) -> LostWrites:
        """Commit the creation of the run, then publish its facts and those of `companion`.

        `is_ours` returns whether the rows are on disk where that is unknown: after a failure, or a repeated commit.
        None: the store cannot be read. Raises StorageFailed; nothing has been published then, neither here nor beside.
        """
        events = tuple(self.number(facts))
        done: asyncio.Future[LostWrites] = asyncio.get_running_loop().create_future()
        rows = [*writes, AppendEvents(self.run_id, events)]
        other, other_events = (None, ()) if companion is None else companion_journal(companion)
        if companion is not None and other is not None:
            rows += [*companion.writes, AppendEvents(other.run_id, other_events)]
        self._journal.put(JournalEntry(self, [], rows, done, raises=True))
        try:
            lost = await done
        except StorageFailed:
            if not (is_written := await is_ours()):
                if other is not None and is_written is False:
                    other.release_numbers(other_events)
                raise
            lost = frozenset()
        # a commit whose outcome was unknown is repeated by the storage, and then loses to itself
        if lost and await is_ours():
            lost = frozenset()
        if other is not None:
            other.publish_created(other_events, lost)
        return self.publish_created(events, lost)

    async def create_below(
        self, parent: "RunJournal", *facts: Fact, writes: Sequence[Write], is_ours: Callable[[], Awaitable[bool | None]]
    ) -> LostWrites:
        """Commit the creation as part of the parent's journal: if it cannot be written, the parent is paused."""
        events = tuple(self.number(facts))
        lost = await parent.commit(writes=[*writes, AppendEvents(self.run_id, events)])
        if lost and await is_ours():
            lost = frozenset()
        return self.publish_created(events, lost)

    def publish_created(self, events: tuple[Event, ...], lost: LostWrites) -> LostWrites:
        """Publish a creation, unless it was lost."""
        if not lost:
            self._journal.publish(events)
            self._journal.publish([EventsPersisted(events)])
        return lost

    def stream(self, step: str, index: int | None, text: str) -> None:
        key = (step, index)
        offset = self._lengths.get(key, 0)
        self._lengths[key] = offset + len(text)
        fact = stream_fact(self.message_id, step, index, offset, text)
        self.publish_in_order(JournalEntry(self, self.number([fact]), ()))
        pending = self.texts.setdefault(key, _PendingText(offset))
        pending.pieces.append(text)
        pending.size += len(text)
        self._journal.schedule_text(self, pending.size)

    def resume_stream(self, step: str, index: int | None, length: int) -> None:
        self._lengths[step, index] = length

    async def drain(self) -> None:
        await self._journal.drain(self.run_id)

    def publish_now(self, fact: Fact) -> None:
        """Publish a fact that is not stored, ahead of everything that waits."""
        self._journal.publish(self.number([fact]))

    def publish_written(self, entry: JournalEntry) -> None:
        """Publish the entry, which is on disk, and the entries behind it that wait for nothing else."""
        entry.done = None
        # an emitted entry behind a committed one was not published at once, since its numbers are higher
        while self._waiting and self._waiting[0].done is None:
            self._journal.publish(self._waiting.popleft().events)

    def take_chunks(self) -> list[Write]:
        """Remove and return the pending text as chunks of at most 4 KiB."""
        writes: list[Write] = []
        for (step, index), pending in self.texts.items():
            offset = pending.offset
            for piece in _chunks("".join(pending.pieces)):
                writes.append(AppendChunk(Chunk(self.run_id, step, index, offset, piece)))
                offset += len(piece)
        self.texts.clear()
        return writes

    def publish_when_written(self, entry: JournalEntry) -> None:
        """Publish the events of the entry once it is on disk."""
        self._waiting.append(entry)

    def publish_in_order(self, entry: JournalEntry) -> None:
        """Publish the events of the entry after the waiting entries."""
        if self._waiting:
            self._waiting.append(entry)
        else:
            self._journal.publish(entry.events)

    def release_numbers(self, events: Sequence[Event]) -> None:
        """Give back the numbers of unpublished events, unless later events have been numbered."""
        # otherwise a gap remains, which is harmless: these numbers belong to a start that was refused
        if events and events[-1].seq == self._seq:
            self._seq = events[0].seq - 1

    def number(self, facts: Iterable[Fact]) -> list[Event]:
        """Return the facts as numbered events."""
        at, self.last_emitted_at = self._journal.now(), self._journal.monotonic()
        events = []
        for fact in facts:
            if fact.stored:
                self._seq += 1
            if isinstance(fact, MessageAdded) and fact.message_id == self.message_id:
                self.is_message_emitted = True
            if isinstance(fact, ToolStarted):
                self.tools_in_flight[fact.call_id] = fact.tool
            if isinstance(fact, ToolEnded):
                self.tools_in_flight.pop(fact.call_id, None)
                # a turn later: the handler cancels interruptions, which numbers facts of its own
                if self.on_call_ended is not None:
                    asyncio.get_running_loop().call_soon(self.on_call_ended, fact.call_id)
            events.append(Event(self.run_id, self.workflow_id, self._seq, at, fact))
        return events


def companion_journal(companion: Companion) -> tuple[RunJournal, tuple[Event, ...]]:
    """Return the journal of the other run, and its facts as numbered events."""
    assert isinstance(companion.log, RunJournal)
    return companion.log, tuple(companion.log.number(companion.facts))


def _written_characters(write: Write) -> int:
    if isinstance(write, ChangeRun):
        return len(write.output_json or "")
    return len(write.message.text) if isinstance(write, PutMessage) else 0


def _chunks(text: str) -> Iterable[str]:
    """Yield `text` in pieces of at most 4 KiB of UTF-8; surrogates count three bytes."""
    while text:
        piece = text[:CHUNK_BYTES]
        while len(piece.encode("utf-8", "surrogatepass")) > CHUNK_BYTES:
            piece = piece[: len(piece) // 2]
        yield piece
        text = text[len(piece) :]
