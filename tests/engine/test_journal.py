"""The journal: one writer, groups, order, and runs that cannot be written."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from core.bus import Bus
from core.domain.events import (
    Event,
    EventsPersisted,
    Fact,
    RunContinued,
    RunPaused,
    StepFinished,
    StepStarted,
    TokenReceived,
    with_text,
)
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.run import StepStatus
from core.domain.text.json_text import encode
from core.engine.log import journal as journal_module
from core.engine.log.journal import Journal
from core.engine.log.run_journal import RunJournal
from core.errors import StorageFailed
from core.ports import AppendChunk, AppendEvents, DropChunks, PutSetting, Write
from core.threads.system_clock import SystemClock


class Disk:
    """Keeps what is committed; is full for the runs in `full`; `gate` holds commits back while it is clear."""

    def __init__(self) -> None:
        self.commits: list[Sequence[Write]] = []
        self.full: set[str] = set()
        self.gate = asyncio.Event()
        self.gate.set()

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        await self.gate.wait()
        if any(isinstance(write, AppendEvents) and write.run_id in self.full for write in writes):
            raise StorageFailed("storage_full", "the disk is full")
        self.commits.append(writes)
        return frozenset(at for at, write in enumerate(writes) if write == PutSetting("lost", ""))

    def seqs(self, run: str) -> list[int]:
        rows = [write for writes in self.commits for write in writes if isinstance(write, AppendEvents)]
        return [event.seq for row in rows if row.run_id == run for event in row.events]


class Rig:
    def __init__(self) -> None:
        self.disk = Disk()
        self.bus = Bus()
        self.told: list[Event] = []
        self.kept: list[int] = []
        self.bus.subscribe(Event, self.told.append)
        self.bus.subscribe(EventsPersisted, lambda kept: self.kept.extend(event.seq for event in kept.events))
        self.journal = Journal(self.disk, self.bus, SystemClock(), text_interval_s=0.05)  # type: ignore[arg-type]

    def log(self, run: str = "r") -> RunJournal:
        return self.journal.open(RunId(run), WorkflowId("w"), MessageId("m"))

    def facts(self) -> list[type[Fact]]:
        return [type(event.fact) for event in self.told]


@asynccontextmanager
async def a_rig() -> AsyncIterator[Rig]:
    rig = Rig()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(rig.journal.run())
        yield rig
        rig.journal.close()


def fact(name: str = "a") -> StepStarted:
    return StepStarted(step=name)


async def test_what_is_emitted_is_published_at_once_and_written_in_one_group() -> None:
    async with a_rig() as rig:
        log = rig.log()
        for _ in range(10):
            log.emit(fact())
        assert [event.seq for event in rig.told] == list(range(1, 11))
        assert rig.disk.commits == []
        await asyncio.sleep(0.1)
        assert len(rig.disk.commits) == 1
        assert rig.disk.seqs("r") == list(range(1, 11)) == rig.kept


async def test_what_is_recorded_is_on_disk_before_it_is_seen() -> None:
    async with a_rig() as rig:
        log = rig.log()
        rig.disk.gate.clear()
        done = log.commit(fact())
        await asyncio.sleep(0.02)
        assert rig.told == []
        rig.disk.gate.set()
        await done
        assert [event.seq for event in rig.told] == [1]


async def test_nothing_overtakes_a_fact_that_waits_for_the_disk() -> None:
    async with a_rig() as rig:
        log = rig.log()
        rig.disk.gate.clear()
        done = log.commit(fact("a"))
        log.emit(fact("b"))
        log.stream("c", None, "text")
        assert rig.told == []
        rig.disk.gate.set()
        await done
        assert rig.facts() == [StepStarted, StepStarted, TokenReceived]
        assert [event.seq for event in rig.told] == [1, 2, 2]


async def test_a_result_and_a_claim_of_the_same_turn_share_a_commit() -> None:
    async with a_rig() as rig:
        log, other = rig.log("r"), rig.log("q")
        log.commit(fact(), writes=[PutSetting("result", "1")])
        await asyncio.gather(log.commit(writes=[PutSetting("claim", "1")]), other.commit(fact()))
        assert len(rig.disk.commits) == 1


async def test_lost_writes_are_returned_to_their_callers() -> None:
    async with a_rig() as rig:
        log = rig.log()
        won = log.commit(writes=[PutSetting("kept", "")])
        lost = log.commit(writes=[PutSetting("kept", ""), PutSetting("lost", "")])
        assert await won == frozenset()
        assert await lost == {1}


async def test_a_run_that_cannot_be_written_is_paused_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "RETRY_S", 0.05)
    async with a_rig() as rig:
        full, well = rig.log("full"), rig.log("well")
        rig.disk.full = {"full"}
        held = full.commit(fact())
        await well.commit(fact())
        full.emit(fact("later"))
        assert RunPaused in rig.facts()
        assert not held.done()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await full.drain()
        await well.drain()
        rig.disk.full = set()
        await held
        async with asyncio.timeout(1):
            await full.drain()
        assert rig.facts()[-1] is RunContinued
        assert rig.disk.seqs("full") == [1, 2]
        assert rig.disk.seqs("well") == [1]


async def test_the_user_can_have_the_write_tried_at_once() -> None:
    async with a_rig() as rig:
        log = rig.log("full")
        rig.disk.full = {"full"}
        held = log.commit(fact())
        await asyncio.sleep(0.02)
        assert RunPaused in rig.facts()
        rig.disk.full = set()
        rig.journal.retry_now()
        async with asyncio.timeout(1):
            await held


async def test_the_writer_outlives_a_value_that_the_driver_cannot_take() -> None:
    async with a_rig() as rig:
        log, broken = rig.log(), rig.log("broken")

        async def commit(writes: Sequence[Write]) -> frozenset[int]:
            if any(isinstance(write, AppendEvents) and write.run_id == "broken" for write in writes):
                raise TypeError("no such value")
            rig.disk.commits.append(writes)
            return frozenset()

        rig.disk.commit = commit  # type: ignore[method-assign]
        broken.commit(fact())
        await log.commit(fact())
        assert {run_id: len(entries) for run_id, entries in rig.journal._held.items()} == {"broken": 1}


async def test_a_writer_that_is_behind_slows_down_who_produces() -> None:
    async with a_rig() as rig:
        log = rig.log()
        rig.disk.gate.clear()
        for _ in range(2 * journal_module.GROUP_ENTRIES + 200):
            log.emit(fact())
        await asyncio.sleep(0.01)
        room = asyncio.ensure_future(log.drain())
        await asyncio.sleep(0.01)
        assert not room.done()
        rig.disk.gate.set()
        async with asyncio.timeout(1):
            await room


async def test_long_outputs_go_in_commits_of_a_bounded_size() -> None:
    async with a_rig() as rig:
        log = rig.log()
        text = "x" * (journal_module.COMMIT_CHARACTERS // 2)
        done = StepFinished(step="s", status=StepStatus.COMPLETED, output=text)
        written = [log.commit(with_text(done.model_copy(), encode(text))) for _ in range(5)]
        async with asyncio.timeout(1):
            await asyncio.gather(*written)
        kept = [
            [event for write in commit if isinstance(write, AppendEvents) for event in write.events]
            for commit in rig.disk.commits
        ]
        assert [len(events) for events in kept] == [2, 2, 1]
        assert rig.disk.seqs("r") == [1, 2, 3, 4, 5]


async def test_streamed_text_is_seen_at_once_and_kept_in_pieces_within_the_interval() -> None:
    async with a_rig() as rig:
        log = rig.log()
        for word in ("one ", "two ", "three"):
            log.stream("s", None, word)
        assert [event.fact.offset for event in rig.told if isinstance(event.fact, TokenReceived)] == [0, 4, 8]
        await asyncio.sleep(0.15)
        chunks = [write.chunk for writes in rig.disk.commits for write in writes if isinstance(write, AppendChunk)]
        assert [(chunk.offset, chunk.text) for chunk in chunks] == [(0, "one two three")]


async def test_a_kibibyte_of_text_does_not_wait_for_the_interval() -> None:
    async with a_rig() as rig:
        rig.log().stream("s", None, "x" * 1024)
        await asyncio.sleep(0.02)
        assert len(rig.disk.commits) == 1


async def test_no_piece_is_larger_than_four_kibibytes_and_none_is_lost() -> None:
    text = "é😀\ud800 " * 5000
    async with a_rig() as rig:
        rig.log().stream("s", 3, text)
        await asyncio.sleep(0.02)
        chunks: list[Any] = [w.chunk for writes in rig.disk.commits for w in writes if isinstance(w, AppendChunk)]
        assert "".join(chunk.text for chunk in chunks) == text
        assert [chunk.offset for chunk in chunks] == [sum(len(c.text) for c in chunks[:n]) for n in range(len(chunks))]
        assert all(len(chunk.text.encode("utf-8", "surrogatepass")) <= 4096 for chunk in chunks)


async def test_text_whose_message_is_kept_is_not_kept_as_pieces_too() -> None:
    async with a_rig() as rig:
        log = rig.log()
        log.stream("s", None, "text")
        await log.commit(writes=[DropChunks(RunId("r"), "s", None)])
        await asyncio.sleep(0.1)
        assert not [write for writes in rig.disk.commits for write in writes if isinstance(write, AppendChunk)]


async def test_closing_writes_what_is_queued() -> None:
    async with a_rig() as rig:
        log = rig.log()
        log.emit(fact())
        log.stream("s", None, "text")
    assert rig.disk.seqs("r") == [1]
    assert any(isinstance(write, AppendChunk) for writes in rig.disk.commits for write in writes)
