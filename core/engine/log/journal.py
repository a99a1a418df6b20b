"""The single writer: commits the entries of all runs in order, in groups (ENGINE §10, the output rule).

Entries of all runs wait in one queue. An emitted entry waits at most 50 ms or 64 entries, so that hundreds of pure
steps share a commit. A committed entry makes the queue urgent: it is written at the next turn of the loop, together
with everything else put in this turn. Nothing overtakes: the events of a run are published in the order of their
numbers, each when its promise is fulfilled.

If a group cannot be written, it is retried run by run, so that a single broken row does not stop the other runs. A run
whose entries still fail is held: it is shown as `paused`, its entries wait in order, and the write is retried every
5 s.

The events of a run in a commit are one row under the number of the first. If that row exists, an earlier attempt was
written although it failed; if the run of a claim is no longer running, the claim is lost. Either way the store refuses
the whole commit, and what is left to write is found out from the store (`_without_written`).
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from core.bus import Bus, SaveState, SaveStateChanged
from core.domain.events import Event, EventsPersisted, RunContinued, RunPaused
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.run import RunStatus
from core.engine.log.run_journal import JournalEntry, RunJournal
from core.errors import StorageFailed
from core.ports import AppendEvents, Clock, DropChunks, Storage, Write

log = logging.getLogger(__name__)

GROUP_S = 0.05
GROUP_ENTRIES = 64
COMMIT_ENTRIES = 200
COMMIT_CHARACTERS = 4_000_000
RETRY_S = 5.0
TEXT_BYTES = 1024
EVENTS_REFUSED = "events_refused"


class Journal:
    """The writer of a store. Nothing reaches the disk unless `run` is running."""

    def __init__(self, storage: Storage, bus: Bus, clock: Clock, *, text_interval_s: float = 0.5) -> None:
        self._storage = storage
        self._bus = bus
        self._clock = clock
        self._text_interval_s = text_interval_s
        self._queue: deque[JournalEntry] = deque()
        self._held: dict[RunId, deque[JournalEntry]] = {}
        self._streaming: dict[RunJournal, None] = {}
        self._urgent = asyncio.Event()
        self._moved = asyncio.Event()
        self._has_held = asyncio.Event()
        self._retry = asyncio.Event()
        self._group_timer: asyncio.TimerHandle | None = None
        self._text_timer: asyncio.TimerHandle | None = None
        self._is_text_due = False
        self._is_closing = False
        self._is_committing = False
        self._refusal: str | None = None
        self._state = SaveStateChanged(SaveState.SAVED)

    def open(self, run_id: RunId, workflow_id: WorkflowId, message_id: MessageId, last_seq: int = 0) -> RunJournal:
        """Return the journal of a run; `last_seq` is the number of its last stored fact."""
        return RunJournal(self, run_id, workflow_id, message_id, last_seq)

    def retry_now(self) -> None:
        """Retry the held writes at once, at the user's request."""
        self._retry.set()

    async def run(self) -> None:
        """Write until closed. A single commit is in flight at a time; entries that arrive meanwhile go with the
        next."""
        async with asyncio.TaskGroup() as tasks:
            retrying = tasks.create_task(self._retry_held(), name="journal.retry")
            while not (self._is_closing and not self._queue and not self._streaming):
                await self._urgent.wait()
                # one turn later, so that everything put in this turn shares the commit
                await asyncio.sleep(0)
                await self._commit(self._take())
            retrying.cancel()

    def close(self) -> None:
        """Make `run` write the queue and end. Held entries stay unwritten."""
        self._is_closing = self._is_text_due = True
        self._urgent.set()

    async def drain(self, run_id: RunId) -> None:
        """Wait until the run can be written and the queue is at most two groups long."""
        while run_id in self._held or len(self._queue) >= 2 * GROUP_ENTRIES:
            self._moved.clear()
            await self._moved.wait()

    # Putting

    def put(self, entry: JournalEntry) -> None:
        # chunks that this entry drops must not be written after it: the text that is pending for them goes too
        for write in entry.writes:
            if isinstance(write, DropChunks):
                entry.run.texts.pop((write.step, write.index), None)
        waiting = self._held.get(entry.run.run_id)
        if waiting is not None:  # behind what could not be written: nothing overtakes
            waiting.append(entry)
            return
        self._queue.append(entry)
        if self._state.saving is SaveState.SAVED:
            self._publish_state()
        if entry.done is not None or len(self._queue) >= GROUP_ENTRIES:
            self._urgent.set()
        elif self._group_timer is None:
            self._group_timer = asyncio.get_running_loop().call_later(GROUP_S, self._urgent.set)

    def schedule_text(self, run: RunJournal, size: int) -> None:
        self._streaming[run] = None
        if self._state.saving is SaveState.SAVED:
            self._publish_state()
        if size >= TEXT_BYTES:
            self._flush_text()
        elif self._text_timer is None:
            loop = asyncio.get_running_loop()
            self._text_timer = loop.call_later(self._text_interval_s, self._flush_text)

    def _flush_text(self) -> None:
        self._is_text_due = True
        self._urgent.set()

    def now(self) -> datetime:
        return self._clock.now()

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def publish(self, events: Iterable[Event | EventsPersisted]) -> None:
        for event in events:
            self._bus.publish(event)

    # Writing

    def _take(self) -> list[JournalEntry]:
        """Remove and return the next entries to write, including due text as entries of its own."""
        self._urgent.clear()
        if self._group_timer is not None:
            self._group_timer.cancel()
            self._group_timer = None
        entries = _first_part(self._queue)
        for _ in entries:
            self._queue.popleft()
        if self._queue:
            self._urgent.set()
        if self._is_text_due:
            self._is_text_due = False
            if self._text_timer is not None:
                self._text_timer.cancel()
                self._text_timer = None
            texts = [JournalEntry(run, [], writes) for run in self._streaming if (writes := run.take_chunks())]
            self._streaming.clear()
            for entry in texts:
                self._held.get(entry.run.run_id, entries).append(entry)
        return entries

    async def _commit(self, entries: list[JournalEntry]) -> None:
        if not entries:
            self._publish_state()
            return
        self._is_committing = True
        if await self._try(entries) is not None:
            # run by run, so that a single broken row does not stop the other runs
            runs = dict.fromkeys(entry.run for entry in entries)
            for run in runs:
                own = [entry for entry in entries if entry.run is run]
                error = await self._try(own)
                if error is not None and error.code == EVENTS_REFUSED and not own[0].raises:
                    own, error = await self._try_again(run, own, error)
                if error is not None:
                    self._give_up(own, error) if own[0].raises else self._hold(run, own, error)
        self._is_committing = False
        self._moved.set()
        self._publish_state()

    async def _try(self, entries: Sequence[JournalEntry]) -> StorageFailed | None:
        """Commit the entries and fulfil their promises, or return the error.

        The rows of all entries, followed by an event row per run, form a single transaction. The storage returns the
        positions of lost writes within it; each entry gets its own, relative to its first row. Code that awaits a
        future resumes in a later turn of the loop, so the events of the whole group are published by then. An
        unexpected error counts as a storage failure: a value that the driver cannot encode must not end the writer of
        all runs.
        """
        writes: list[Write] = []
        starts = []
        for entry in entries:
            starts.append(len(writes))
            writes.extend(entry.writes)
        events: dict[RunJournal, list[Event]] = {}
        for part in _with_companions(entries):
            stored = [event for event in part.events if event.fact.stored]
            if stored:
                events.setdefault(part.run, []).extend(stored)
        writes.extend(AppendEvents(run.run_id, tuple(stored)) for run, stored in events.items())
        try:
            lost = await self._storage.commit(writes) if writes else frozenset()
        except StorageFailed as error:
            return error
        except Exception as error:  # a value that the driver cannot take must not end the writer of all runs
            log.exception("a commit failed")
            return StorageFailed("storage_failed", f"{type(error).__name__}: {error}")
        for entry, start in zip(entries, starts, strict=True):
            own_lost = frozenset(position - start for position in lost if start <= position < start + len(entry.writes))
            self._fulfil(entry, own_lost)
        self.publish(EventsPersisted(tuple(stored)) for stored in events.values())
        return None

    def _fulfil(self, entry: JournalEntry, lost: frozenset[int]) -> None:
        """Fulfil the promise of an entry that is on disk or lost."""
        if entry.done is not None and not entry.done.done():
            entry.done.set_result(lost)
        for part in _with_companions([entry]):
            part.run.publish_written(part)

    async def _try_again(
        self, run: RunJournal, entries: list[JournalEntry], error: StorageFailed
    ) -> tuple[list[JournalEntry], StorageFailed | None]:
        """Commit what the store has refused, as far as it is not on disk already. Returns what could not be written."""
        try:
            remaining = await self._without_written(run, entries)
        except StorageFailed as failed:
            return entries, failed
        if len(remaining) == len(entries):  # another writer's events have these numbers
            return entries, error
        return remaining, await self._try(remaining) if remaining else None

    async def _without_written(self, run: RunJournal, entries: Sequence[JournalEntry]) -> list[JournalEntry]:
        """Return the entries that are neither on disk nor lost claims; the promises of the others are
        fulfilled.
        """
        last_seq = await self._storage.events.last_seq(run.run_id)
        stored = await self._storage.runs.get(run.run_id)
        # an attempt is written whole, so what precedes a written event is written too
        is_written = [bool(entry.events) and entry.events[-1].seq <= last_seq for entry in entries]
        count = len(entries) - is_written[::-1].index(True) if any(is_written) else 0
        written = [event for entry in entries[:count] for event in entry.events if event.fact.stored]
        known = await self._storage.events.of_run(run.run_id) if written else []
        if known[len(known) - len(written) :] != written:
            count, written = 0, []
        for entry in entries[:count]:
            self._fulfil(entry, frozenset())
        self.publish([EventsPersisted(tuple(written))] if written else [])
        remaining = []
        for entry in entries[count:]:
            if entry.is_claim and (stored is None or stored.status is not RunStatus.RUNNING):
                entry.events.clear()  # never published
                self._fulfil(entry, frozenset(range(len(entry.writes))))
            else:
                remaining.append(entry)
        return remaining

    def pause_reason(self, run_id: RunId) -> str | None:
        """Return the code of the error because of which the run is paused, None if it is not."""
        return self._refusal if run_id in self._held else None

    def _give_up(self, entries: Sequence[JournalEntry], error: StorageFailed) -> None:
        for entry in entries:
            if entry.done is not None and not entry.done.done():
                entry.done.set_exception(error)

    def _hold(self, run: RunJournal, entries: list[JournalEntry], error: StorageFailed) -> None:
        log.warning("run %s is paused: %s", run.run_id, error.message)
        # what the run has queued behind these entries is held too: its order must not change
        later = [entry for entry in self._queue if entry.run is run]
        self._queue = deque(entry for entry in self._queue if entry.run is not run)
        self._held[run.run_id] = deque([*entries, *later])
        self._has_held.set()
        self._refusal = error.code
        run.pause_count += 1
        run.publish_now(RunPaused(reason=error.code, number=run.pause_count))

    async def _retry_held(self) -> None:
        while True:
            await self._has_held.wait()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RETRY_S):
                    await self._retry.wait()
            self._retry.clear()
            for run_id in list(self._held):
                await self._release(run_id)
            if not self._held:
                self._has_held.clear()

    async def _release(self, run_id: RunId) -> None:
        """Write the waiting entries of a held run, including entries that arrive meanwhile, unless it fails again."""
        waiting = self._held[run_id]
        run = waiting[0].run
        while waiting:
            entries = _first_part(waiting)
            error = await self._try(entries)
            remaining = entries
            if error is not None and error.code == EVENTS_REFUSED:
                remaining, error = await self._try_again(run, entries, error)
            for _ in entries if error is None else entries[: len(entries) - len(remaining)]:
                waiting.popleft()
            if error is not None:
                return
        del self._held[run_id]
        run.publish_now(RunContinued(number=run.pause_count))
        self._moved.set()
        self._publish_state()

    def _publish_state(self) -> None:
        if self._held:
            now = SaveStateChanged(SaveState.FAILED, self._refusal)
        elif self._queue or self._streaming or self._is_committing:
            now = SaveStateChanged(SaveState.WRITING)
        else:
            now = SaveStateChanged(SaveState.SAVED)
        if now != self._state:
            self._state = now
            self._bus.publish(now)


def _with_companions(entries: Iterable[JournalEntry]) -> Iterator[JournalEntry]:
    """Yield the entries, each followed by its companion entry of another run."""
    for entry in entries:
        yield entry
        if entry.companion is not None:
            yield entry.companion


def _first_part(entries: Iterable[JournalEntry]) -> list[JournalEntry]:
    """Return the first entries that can share a commit: limited in size, and no claim beside the end of its run."""
    part: list[JournalEntry] = []
    claiming, ending = set[RunJournal](), set[RunJournal]()
    characters = 0
    for entry in entries:
        if len(part) == COMMIT_ENTRIES or characters >= COMMIT_CHARACTERS:
            break
        if entry.writes:
            # a commit changes runs first, so its claims would be lost to the end of their run, and its other events too
            if entry.is_claim:
                claiming.add(entry.run)
            if entry.ends_claims:
                ending.add(entry.run)
            if claiming & ending:
                break
        part.append(entry)
        characters += entry.characters
    return part
