"""A life in which the store is in trouble, and what must hold in it all the same."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from core.app import Core
from core.bus import Bus
from core.domain.events import (
    Event,
    EventsPersisted,
    InterruptionClosed,
    InterruptionRaised,
    RunContinued,
    RunFinished,
    RunPaused,
    RunWaiting,
)
from core.domain.fold import fold
from core.domain.ids import RunId
from core.domain.live_run import LiveRun
from core.domain.run import RunKind, RunStatus
from core.errors import StorageFailed
from core.ports import Clock
from core.wiring import run_core
from tests.support.aftermath import effects_without_cover, problems
from tests.support.crash_scenarios import Scenario
from tests.support.effects import Effects
from tests.support.failing_storage import FailingMemory, FailingSurreal
from tests.support.lives import RUN, Disk, Life, Place, answer_next, read_disk, start_run
from tests.support.mortal import MIDDLE
from tests.support.sandbox_here import SandboxHere

TRIES = 12
PRESS_S = 0.01
ABOUT_TO_S = 0.1

RECORDED = (InterruptionRaised, InterruptionClosed, RunWaiting, RunFinished)
"""Facts that nobody hears before they are on disk."""

T = TypeVar("T")


class Listener:
    """Hears what is told of the run and of a recording beside it, and compares it with the disk of that moment, where
    the disk can be looked into. No call begins while the run is paused, but what was about to."""

    def __init__(self, bus: Bus, storage: FailingMemory | FailingSurreal, effects: Effects) -> None:
        self.run: LiveRun | None = None
        self.problems: list[str] = []
        self.pauses = self.continuations = 0
        self._effects = effects
        self._paused_at = 0.0
        self._heard: list[Event] = []
        self._tables = storage._tables if isinstance(storage, FailingMemory) else None
        bus.subscribe(Event, self._hear)
        bus.subscribe(EventsPersisted, self._hear_kept)

    @property
    def heard_of(self) -> set[RunId]:
        """The runs of which anything was heard."""
        return {event.run_id for event in self._heard}

    def compare(self, run_id: RunId, stored: list[Event]) -> None:
        """All that was heard of the run is on disk."""
        by_number = {event.seq: event for event in stored}
        for event in self._heard:
            if event.run_id == run_id and by_number.get(event.seq) != event:
                self.problems.append(f"{event.fact} {event.seq} was told, and on disk is {by_number.get(event.seq)}")

    def _hear(self, event: Event) -> None:
        is_own = event.run_id == RUN
        self.run = fold(self.run, event) if is_own else self.run
        match event.fact:
            case RunPaused() if is_own:
                self.pauses += 1
                self._paused_at = asyncio.get_running_loop().time()
                if self.run is not None and self.run.status is not RunStatus.PAUSED:
                    self.problems.append(f"the run is shown as {self.run.status} when it is paused")
            case RunContinued() if is_own:
                self.continuations += 1
                begun = zip(self._effects.made, self._effects.made_at, strict=True)
                late = [made for made, at in begun if at > self._paused_at + ABOUT_TO_S]
                self.problems += [f"{made} began while the run was paused" for made in late]
            case fact if fact.stored:
                self._heard.append(event)
                if isinstance(fact, RECORDED):
                    self._require(event, "was told")

    def _hear_kept(self, kept: EventsPersisted) -> None:
        self._heard += kept.events
        for event in kept.events:
            self._require(event, "was told to be kept")

    def _require(self, event: Event, what: str) -> None:
        if self._tables is None:
            return
        rows = self._tables.events.get(event.run_id, {}).values()
        if not any(row.first_seq <= event.seq <= row.last_seq for row in rows):
            self.problems.append(f"{event.fact.type} {event.seq} {what}, and is not on disk")


class Troubled:
    """Runs a scenario once on a store in trouble. `problems` is empty after a good end. `on_middle` is called in the
    middle of each effect."""

    def __init__(self, storage: FailingMemory | FailingSurreal, scenario: Scenario, place: Place) -> None:
        self.problems: list[str] = []
        self.pauses = 0
        self.on_middle: Callable[[], object] = lambda: None
        self._storage = storage
        self._scenario = scenario
        self._place = place
        self._effects = Effects(place.effects, place.repeatable, self._point)

    async def live(self, clock: Clock | None = None, *, limit_s: float = 600) -> None:
        """To the end of the run."""
        trouble = self._storage.trouble
        before = await read_disk(self._storage, self._place.effects)
        async with run_core(self._storage, clock, self._effects.tools(), sandbox=SandboxHere()) as core:
            listener = Listener(core.bus, self._storage, self._effects)
            core.bus.subscribe(Event, lambda event: self._press_retry(core, event))
            trouble.is_on = True
            try:
                async with asyncio.timeout(limit_s):
                    await self._lead(core)
            except TimeoutError:
                self.problems.append("the run hangs")
            trouble.is_on = False
        for run_id in listener.heard_of:
            listener.compare(run_id, await self._storage.events.of_run(run_id))
        self.pauses = listener.pauses
        self.problems += listener.problems
        if listener.pauses != listener.continuations:
            self.problems.append(f"{listener.pauses} pauses, {listener.continuations} continuations")
        unfinished = await self._storage.runs.unfinished()
        left = [f"{run.title} is {run.status}" for run in unfinished if run.kind is not RunKind.RECORDING]
        after = await read_disk(self._storage, self._place.effects)
        life = Life(before, after, self._effects.made, listener.run, left)
        self.problems += problems(self._scenario, life)

    async def _lead(self, core: Core) -> None:
        await self._insist(core.engine.recover)
        await self._insist(lambda: self._start(core))
        while not (run := await self._insist(lambda: core.engine.wait(RUN))).status.is_final:
            if not core.engine.drives(RUN):
                self.problems.append(f"the run is {run.status}, and nobody drives it")
                return
            await self._insist(lambda: answer_next(core, self._place.effects))

    async def _start(self, core: Core) -> None:
        """Start the run. A start that failed has left nothing, unless its commit was done all the same."""
        is_at_work = core.engine.drives(RUN)
        try:
            await start_run(core, self._scenario, self._place)
        except StorageFailed:
            if core.engine.drives(RUN) and not is_at_work:
                self.problems.append("a start that failed has left a run at work")
            raise

    async def _insist(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask again while the store fails."""
        for _ in range(TRIES):
            try:
                return await ask()
            except StorageFailed:
                await asyncio.sleep(PRESS_S)
        raise AssertionError("it fails for ever")

    def _press_retry(self, core: Core, event: Event) -> None:
        """A person presses *Retry*; in virtual time the five seconds pass by themselves."""
        if isinstance(event.fact, RunPaused) and isinstance(self._storage, FailingSurreal):
            self._press_until_written(core)

    def _press_until_written(self, core: Core) -> None:
        if core.engine.journal._held:
            core.engine.journal.retry_now()
            asyncio.get_running_loop().call_later(PRESS_S, self._press_until_written, core)

    def _point(self, name: str) -> None:
        """No effect before its claim, and all that it depends on, is on disk."""
        if name.startswith(MIDDLE):
            self.on_middle()
        line = name.removeprefix("before the effect ")
        if line == name or not isinstance(self._storage, FailingMemory):
            return
        progress = self._storage._tables.progress(RUN)
        asked = tuple(progress.interruptions)
        disk = Disk(None, progress.results_by_key, progress.calls_by_id, asked, (), (line,))
        self.problems += effects_without_cover(self._scenario, disk)
