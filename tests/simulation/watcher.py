"""One who listens to the bus as a window does, and looks at each event as it arrives."""

import asyncio

from core.bus import Bus
from core.domain.events import (
    Event,
    EventsPersisted,
    InterruptionClosed,
    InterruptionRaised,
    RunContinued,
    RunFinished,
    RunPaused,
    RunResumed,
    RunStarted,
    RunWaiting,
    StepFinished,
    StepStarted,
)
from core.domain.fold import apply, created_run
from core.domain.ids import RunId
from core.domain.live_run import LiveRun
from core.domain.run import RunStatus, StepKey
from tests.simulation.world import World


class Watcher:
    """Folds the runs of one process. `kept` are the events that it was told are on disk; `unwritten` the runs of
    which something was told that could not be written before the process was left; `questions` what users are asked;
    `active_s` how long runs were at work, by the time at which that was heard; `active` the steps in flight.
    """

    def __init__(self, world: World, bus: Bus) -> None:
        self._world = world
        self.states: dict[RunId, LiveRun] = {}
        self.heard: dict[RunId, list[Event]] = {}
        self.kept: dict[RunId, list[Event]] = {}
        self.unwritten: set[RunId] = set()
        self.questions: asyncio.Queue[tuple[RunId, InterruptionRaised]] = asyncio.Queue()
        self.active_s: dict[RunId, float] = {}
        self.active: dict[RunId, set[str]] = {}
        self._since: dict[RunId, float] = {}
        self._waiting: dict[RunId, list[asyncio.Future[None]]] = {}
        self._ending: dict[RunId, list[asyncio.Future[None]]] = {}
        self._subscriptions = [bus.subscribe(Event, self._hear), bus.subscribe(EventsPersisted, self._keep)]

    def close(self) -> None:
        for subscription in self._subscriptions:
            subscription.close()

    async def goes_on(self, run_id: RunId) -> None:
        """Come back when a run that waits for the user does so no more."""
        state = self.states.get(run_id)
        if state is not None and state.status is RunStatus.WAITING:
            future = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(run_id, []).append(future)
            await future

    async def ends(self, run_id: RunId) -> None:
        """Come back when a run of this process has ended, whatever of it is still in flight."""
        state = self.states.get(run_id)
        if state is not None and not state.status.is_final:
            future = asyncio.get_running_loop().create_future()
            self._ending.setdefault(run_id, []).append(future)
            await future

    def _keep(self, kept: EventsPersisted) -> None:
        for event in kept.events:
            if event.fact.stored:
                self.kept.setdefault(event.run_id, []).append(event)

    def _hear(self, event: Event) -> None:
        state = self.states.get(event.run_id)
        if state is None:
            state = created_run(event)
            if state is None:  # a run that this process never took in was cancelled
                return
            self.states[event.run_id] = state
        else:
            if event.fact.stored and event.seq > state.seq + 1:
                self._world.blame(f"{event.fact.type} has number {event.seq} after {state.seq} (ENGINE §13)")
            apply(state, event)
        self.heard.setdefault(event.run_id, []).append(event)
        self._judge(state, event)
        self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        self._measure(event)
        self._follow(event)
        match event.fact:
            case InterruptionRaised():
                self.questions.put_nowait((event.run_id, event.fact))
            case RunResumed() | RunFinished() | RunStarted():
                ended = self._ending.pop(event.run_id, []) if isinstance(event.fact, RunFinished) else []
                for future in (*self._waiting.pop(event.run_id, ()), *ended):
                    if not future.done():
                        future.set_result(None)
            case _:
                pass

    def _follow(self, event: Event) -> None:
        active = self.active.setdefault(event.run_id, set())
        match event.fact:
            case RunStarted():
                active.clear()
            case StepStarted(step=step, index=None):
                active.add(step)
            case StepFinished(step=step, index=None):
                active.discard(step)
            case _:
                pass

    def active_now_s(self, run_id: RunId) -> float:
        """How long the run has been at work in this process."""
        since = self._since.get(run_id)
        now = asyncio.get_running_loop().time()
        return self.active_s.get(run_id, 0.0) + (now - since if since is not None else 0.0)

    def _measure(self, event: Event) -> None:
        now = asyncio.get_running_loop().time()
        if isinstance(event.fact, RunWaiting | RunFinished) and event.run_id in self._since:
            self.active_s[event.run_id] = self.active_s.get(event.run_id, 0) + now - self._since.pop(event.run_id)
        elif isinstance(event.fact, RunStarted | RunResumed):
            self._since[event.run_id] = now

    def _judge(self, state: LiveRun, event: Event) -> None:
        """What leaves the process is on disk before anyone hears of it (ENGINE §10)."""
        tables = self._world.tables
        self._world.tally[event.fact.type] += 1
        match event.fact:
            case RunFinished(status=status):
                run = tables.runs[event.run_id][1]
                if run.status is not status:
                    self._world.blame(f"{status} is told of {event.run_id}, which is {run.status} on disk")
            case StepFinished(step=step, index=index) if self._world.has_left((event.run_id, step, index)):
                result = tables.progress(event.run_id).results_by_key.get(StepKey(step, index))
                if event.fact.status != "cancelled" and (result is None or not result.status.is_final):
                    self._world.blame(f"the end of {step} is told before it is on disk")
            case InterruptionRaised(id=found):
                if found not in tables.progress(event.run_id).interruptions_by_id:
                    self._world.blame(f"{event.fact.step} asks a question that is not on disk (ENGINE §8)")
            case InterruptionClosed(id=found, status=status):
                asked = tables.progress(event.run_id).interruptions_by_id.get(found)
                if asked is None or asked.status is not status:
                    self._world.blame(f"a question is told to be {status}, and the disk has {asked} (ENGINE §8)")
            case RunPaused() if state.status is not RunStatus.PAUSED and not state.status.is_final:
                self._world.blame("a run is paused, and whoever watches does not see it")
            case RunContinued() if state.status is RunStatus.PAUSED:
                self._world.blame("a run goes on, and whoever watches sees it paused")
            case _:
                pass
