"""What the journal does when the store refuses the facts of a run: they are on disk already, or the run has ended."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from core.bus import Bus
from core.domain.events import Event, EventsPersisted, RunFinished, RunPaused, StepStarted
from core.domain.ids import RunId
from core.domain.run import RunStatus
from core.engine.log.journal import Journal
from core.engine.log.run_journal import RunJournal
from core.errors import StorageFailed
from core.ports import ChangeRun, Claim, PutSetting, Write
from core.threads.system_clock import SystemClock
from tests.contracts.rows import R2, R, W, a_run, appended, created, ended, numbered_events
from tests.support.in_memory.storage import InMemoryStorage


class Doubtful(InMemoryStorage):
    """A store whose next `failing` commits are written, and reported as failed."""

    failing = 0

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        lost = await super().commit(writes)
        if self.failing:
            self.failing -= 1
            raise StorageFailed("storage_full", "it may have been written")
        return lost


class Rig:
    def __init__(self) -> None:
        self.storage, self.bus = Doubtful(), Bus()
        self.told: list[Event] = []
        self.kept: list[int] = []
        self.bus.subscribe(Event, self.told.append)
        self.bus.subscribe(EventsPersisted, lambda kept: self.kept.extend(event.seq for event in kept.events))
        self.journal = Journal(self.storage, self.bus, SystemClock())

    def log(self, run_id: RunId = R) -> RunJournal:
        return self.journal.open(run_id, W, a_run(run_id).message_id)

    async def steps(self, run_id: RunId = R) -> list[str]:
        facts = [event.fact for event in await self.storage.events.of_run(run_id)]
        return [fact.step for fact in facts if isinstance(fact, StepStarted)]


@asynccontextmanager
async def a_rig() -> AsyncIterator[Rig]:
    rig = Rig()
    await rig.storage.commit([created(), created(R2)])
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(rig.journal.run())
        yield rig
        rig.journal.close()


def started(name: str) -> StepStarted:
    return StepStarted(step=name)


async def test_what_was_written_although_it_failed_is_not_written_again() -> None:
    """Nor is its run paused, and another run of the commit is written once too."""
    async with a_rig() as rig:
        log, other = rig.log(), rig.log(R2)
        rig.storage.failing = 1
        commits = [log.commit(started("a")), log.commit(started("b")), other.commit(started("c"))]
        assert not any(await asyncio.gather(*commits))
        await log.commit(started("d"))
        assert await rig.steps() == ["a", "b", "d"]
        assert await rig.steps(R2) == ["c"]
        assert [event.seq for event in rig.told if event.run_id == R] == [1, 2, 3]
        assert sorted(rig.kept) == [1, 1, 2, 3]
        assert not any(isinstance(event.fact, RunPaused) for event in rig.told)


async def test_facts_that_come_after_a_doubtful_write_go_with_it() -> None:
    """The run is held, gets more facts, and is written again together with them."""
    async with a_rig() as rig:
        log = rig.log()
        rig.storage.failing = 1
        first = log.commit(started("a"), writes=[PutSetting("first", "1")])
        await first
        rig.storage.failing = 2
        second, third = log.commit(started("b")), log.commit(started("c"))
        await asyncio.gather(second, third)
        assert await rig.steps() == ["a", "b", "c"]
        assert [event.seq for event in rig.told if event.fact.stored] == [1, 2, 3]


async def test_a_claim_is_lost_to_the_end_of_its_run_and_nothing_else_is() -> None:
    async with a_rig() as rig:
        log, other = rig.log(), rig.log(R2)
        await rig.storage.commit([ended()])
        claim = log.commit(StepStarted(step="claimed", claimed=True), writes=[Claim(R)])
        late = log.commit(started("late"))
        elsewhere = other.commit(StepStarted(step="there", claimed=True), writes=[Claim(R2)])
        assert [bool(lost) for lost in await asyncio.gather(claim, late, elsewhere)] == [True, False, False]
        assert await rig.steps() == ["late"]
        assert await rig.steps(R2) == ["there"]
        assert [event.fact.step for event in rig.told if isinstance(event.fact, StepStarted)] == ["late", "there"]


async def test_a_claim_and_the_end_of_its_run_do_not_share_a_commit() -> None:
    """The claim that came before the end is won; the claim after it is lost, and the end is written whole."""
    async with a_rig() as rig:
        log = rig.log()
        before = log.commit(StepStarted(step="before", claimed=True), writes=[Claim(R)])
        end = ChangeRun(R, frozenset({RunStatus.RUNNING}), RunStatus.SUCCESS)
        ending = log.commit(RunFinished(status=RunStatus.SUCCESS), writes=[end])
        after = log.commit(StepStarted(step="after", claimed=True), writes=[Claim(R)])
        assert [bool(lost) for lost in await asyncio.gather(before, ending, after)] == [False, False, True]
        assert await rig.steps() == ["before"]
        stored = await rig.storage.runs.get(R)
        assert stored is not None
        assert stored.status is RunStatus.SUCCESS


async def test_facts_of_another_writer_pause_the_run_and_are_not_overwritten() -> None:
    async with a_rig() as rig:
        log, other = rig.log(), rig.log(R2)
        foreign = numbered_events(started("foreign"))
        await rig.storage.commit([appended(foreign)])
        waiting = log.commit(started("own"))
        await other.commit(started("there"))
        await asyncio.sleep(0)
        assert not waiting.done()
        assert any(isinstance(event.fact, RunPaused) and event.run_id == R for event in rig.told)
        assert await rig.storage.events.of_run(R) == foreign
        rig.storage._tables.events[R].clear()  # so that the journal can close
        rig.journal.retry_now()
        await waiting
