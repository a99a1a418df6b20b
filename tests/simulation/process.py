"""One life of the process: an engine on the disk that the last one left, and the users who use it."""

import asyncio
from contextlib import suppress
from typing import Any

from core.agents.loop import AgentLoop
from core.bus import Bus
from core.domain.ids import InterruptionId, RunId
from core.domain.interruption import InterruptionKind
from core.domain.live_run import LiveRun
from core.domain.run import Run, RunStatus, StepStatus
from core.domain.settings import Settings
from core.engine.log.journal import Journal
from core.engine.plan.validation import Validator
from core.engine.runs.child_runs import ChildStartRequests
from core.engine.runs.engine import Engine
from core.engine.runs.step_runner import StepRunner
from core.recording.recordings import RecordingRegistry
from core.tools.invocation import ToolInvoker
from core.tools.registry import Registry
from tests.simulation.cast import (
    GivenTemplates,
    PlainSchemas,
    SimulatedModel,
    SimulatedSandbox,
    begin_tool,
    simulated_tools,
)
from tests.simulation.disk import FaultyDisk, stored_run
from tests.simulation.people import People, until_written
from tests.simulation.reference import Comes, ends_run, waits_for
from tests.simulation.watcher import Watcher
from tests.simulation.world import World
from tests.support.clock import FakeClock
from tests.support.roster import Roster
from tests.support.virtual_loop import VirtualLoop

Json = dict[str, Any]

IDLE_S = 0.5
"""So long may nothing happen before it is asked why nothing does."""

EXPIRY_S = 12.0
"""So late may it be noticed that the time of a question is over: the wall clock is looked at every 10 s."""


class Process:
    """Lives once, until every run has ended, or its fate is met."""

    def __init__(self, scenario: Json, world: World, disk: FaultyDisk, loop: VirtualLoop, fate: Json | None) -> None:
        self._fate = fate
        self._scenario = scenario
        self._world = world
        self._disk = disk
        self._loop = loop
        self.clock = FakeClock(loop=loop)
        bus = Bus(report=lambda error: world.blame(f"a subscriber failed: {error!r}"))
        schemas = PlainSchemas()
        registry = Registry(schemas)
        for tool in (*simulated_tools(world), begin_tool(lambda: self.engine)):
            registry.register(tool)
        self._tools = ToolInvoker(registry, self.clock)
        sandbox = SimulatedSandbox(world)
        agents = AgentLoop(SimulatedModel(world), self._tools, disk, self.clock, schemas, Roster())
        steps = StepRunner(self._tools, sandbox, agents, schemas)
        settings = Settings(max_running_runs=scenario["maxRuns"])
        validator = Validator(self._tools, sandbox, schemas)
        templates = GivenTemplates(world)
        journal = Journal(disk, bus, self.clock, text_interval_s=settings.stream_write_interval_s)
        recordings = RecordingRegistry(disk, journal, self.clock)
        children = ChildStartRequests(disk, templates, lambda: settings, lambda *_: {})
        self.engine = Engine(disk, bus, self.clock, journal, steps, validator, children, recordings, lambda: settings)
        self.watcher = Watcher(world, bus)
        self.people = People(scenario, world, disk, self.engine, self.clock, self.watcher, is_last=fate is None)
        self._is_open = False
        self._moves = (-1, -1)
        self._late_since: dict[InterruptionId, float] = {}

    async def live(self) -> None:
        fate = self._fate
        if fate is not None and fate["end"] == "crash":
            if "commit" in fate:
                self._disk.crash_at = (fate["commit"], fate["applied"])
            else:
                self._loop.call_later(fate["atMs"] / 1000, self._disk.on_crash)
        for jump in self._scenario["jumps"]:
            self._loop.call_later(jump["atMs"] / 1000, self.clock.jump, jump["seconds"])
        async with self.engine:
            closing = asyncio.timeout(fate["atMs"] / 1000 if fate is not None and fate["end"] == "close" else None)
            with suppress(TimeoutError):
                async with closing:
                    await until_written(self.engine.recover)
                    self._is_open = True
                    await self.people.live()
            self._is_open = False
        self.watcher.unwritten.update(self.engine.journal._held)
        await self._tools.close()
        for _ in range(3):  # what was cancelled gets its turn
            await asyncio.sleep(0)

    # Asking why nothing happens

    def ask_why_idle(self, seconds: float) -> None:
        """Before a long pause: is there really nothing that could go on? (ENGINE §4)"""
        if seconds < IDLE_S or self._disk.at_work or self.engine.journal._held or not self._is_open:
            return
        rows = [row for _, row in self._disk.tables.runs.values() if not row.status.is_final]
        for row in rows:
            self._ask_for_expiry(row)
        moves = (self._disk.own_commits, self._world.moves)
        if moves == self._moves:  # it was asked already
            return
        self._moves = moves
        for row in rows:
            if not self.engine.drives(row.id):
                self._world.blame(f"{row.title} is {row.status}, and nobody drives it")
            elif row.root is not None and self._is_on_its_own(row):
                self._world.blame(f"{row.title} goes on without its parent, and is no root (ENGINE §12)")
            elif self._is_held_by_child(row):
                self._world.blame(f"a child of {row.title} has ended, and its parent waits for it (ENGINE §12)")
            elif (state := self.watcher.states.get(row.id)) is not None:
                self._ask(row, state)
        roots = [row for row in rows if row.root is None]
        running = sum(row.status is RunStatus.RUNNING for row in roots)
        enqueued = sum(row.status is RunStatus.ENQUEUED for row in roots)
        if enqueued and running < self._scenario["maxRuns"]:
            self._world.blame(f"{enqueued} runs wait for a place, and there are places (ENGINE §9)")

    def _is_on_its_own(self, row: Run) -> bool:
        above = stored_run(self._disk.tables, row.parent)
        return above is not None and above.status is RunStatus.SUCCESS and not row.awaited

    def _ask_for_expiry(self, row: Run) -> None:
        now = self.clock.now()
        for interruption in self._world.interruptions(row.id):
            if interruption.is_open and interruption.expires_at is not None and interruption.expires_at < now:
                since = self._late_since.setdefault(interruption.id, self._loop.time())
                if self._loop.time() - since > EXPIRY_S:
                    self._world.blame(
                        f"the time of the question of {interruption.ask.step} is over, and it is open (ENGINE §8)"
                    )

    def _ask(self, row: Run, state: LiveRun) -> None:
        run_id = row.id
        template = self._world.templates[row.title]
        if row.status not in (RunStatus.RUNNING, RunStatus.WAITING) or self._is_ending(row, state, template):
            return
        self._ask_steps(run_id, state, template)
        is_busy = self._world.is_busy(run_id) or self._is_retrying(run_id) or self._has_busy_child(run_id)
        if row.status is RunStatus.RUNNING and state.open_interruptions and not is_busy:
            self._world.blame(f"{row.title} only waits for a person, and is running on disk (ENGINE §8)")
        if row.status is RunStatus.RUNNING and not state.open_interruptions and not is_busy:
            self._world.blame(f"{row.title} is running, and nothing of it is at work (ENGINE §4)")
        if row.status is RunStatus.WAITING and is_busy:
            self._world.blame(f"{row.title} waits on disk, and something of it is at work (ENGINE §8)")

    def _is_ending(self, row: Run, state: LiveRun, template: Json) -> bool:
        """Whether the end of the run, or of one above it, has begun: nothing new starts then."""
        if row.id in self._world.cancelled_at or row.root in self._world.cancelled_at:
            return True
        if "timeoutMs" in template and self.watcher.active_now_s(row.id) > template["timeoutMs"] / 1000 - IDLE_S:
            return True
        for step in template["steps"]:
            mine = state.steps[step["name"]]
            fails = {str((mine.error or {}).get("code"))} if mine.status is StepStatus.ERROR else set()
            if mine.status.is_final and ends_run(step, Comes(skipped=mine.skipped, fails=fails)):
                return True
        parent = stored_run(self._disk.tables, row.parent) if row.root is not None else None
        state_above = self.watcher.states.get(parent.id) if parent is not None else None
        if parent is None or state_above is None:
            return False
        return parent.status.is_final or self._is_ending(parent, state_above, self._world.templates[parent.title])

    def _ask_steps(self, run_id: RunId, state: LiveRun, template: Json) -> None:
        names = {step["name"] for step in template["steps"]}
        done = {name for name in names if state.steps[name].status.is_final}
        asking = {interruption.request.step: interruption.request.kind for interruption in state.open_interruptions}
        # a step that asks in the middle of its work holds its place
        active = {
            *self.watcher.active[run_id],
            *(name for name, kind in asking.items() if kind is InterruptionKind.OUTCOME),
        }
        for step in template["steps"]:
            name, mine = step["name"], state.steps[step["name"]]
            is_ready = not {name} & (done | active | asking.keys()) and waits_for(step, names) <= done
            if is_ready and len(active) < template.get("maxParallel", 16):
                self._world.blame(f"{name} could start, and does not (ENGINE §4)")
            if name in active and mine.iterations is not None:
                results = [one for key, one in self._world.results(run_id).items() if key.step == name and key.is_part]
                ended = sum(result.status.is_final and result.key.round is None for result in results)
                is_stopped = mine.iterations.failed and step.get("config", {}).get("onError") == "fail"
                most = step["forEach"].get("concurrency", 1)
                flying = self._iterations(run_id, state, step)
                if not is_stopped and flying < min(most, mine.iterations.total - ended):
                    self._world.blame(f"another iteration of {name} could start, and does not (ENGINE §6)")

    def _iterations(self, run_id: RunId, state: LiveRun, step: Json) -> int:
        """How many iterations have begun and not ended: at work, between two attempts, asking, or a child's."""
        name = step["name"]
        results = self._world.results(run_id).items()
        begun = {key.index for key, one in results if key.step == name and not key.round and not one.status.is_final}
        asking = {
            interruption.request.index for interruption in state.open_interruptions if interruption.request.step == name
        }
        return len((self._world.in_flight(run_id, name) | begun | asking) - {None})

    def _is_retrying(self, run_id: RunId) -> bool:
        return any(result.status is StepStatus.RETRYING for result in self._world.results(run_id).values())

    def _is_held_by_child(self, row: Run) -> bool:
        below = [one for _, one in self._disk.tables.runs.values() if one.parent == row.id]
        is_busy = any(self._world.is_busy(each.id) or self._is_retrying(each.id) for each in (row, *below))
        return not is_busy and any(each.status.is_final and self.engine.drives(each.id) for each in below)

    def _has_busy_child(self, run_id: RunId) -> bool:
        below = [row for _, row in self._disk.tables.runs.values() if row.parent == run_id and row.awaited]
        at_work = (RunStatus.RUNNING, RunStatus.ENQUEUED)
        return any(
            row.status in at_work or self._world.is_busy(row.id) or self._has_busy_child(row.id) for row in below
        )
