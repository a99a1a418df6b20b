"""One life of the process: an engine on the disk that the last one left, and the people who use it."""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from core.agents.loop import AgentLoop
from core.bus import Bus
from core.domain.ids import RunId, WorkflowId, id_from_key
from core.domain.run import RunKind, RunStatus
from core.domain.settings import Settings
from core.domain.template import Template
from core.domain.workflow import Workflow
from core.engine.engine import Engine
from core.engine.starting import StartRequest
from core.engine.steps import StepRunner
from core.engine.validation import Validator
from core.errors import StorageFailed
from core.tools.invocation import ToolInvoker
from core.tools.registry import Registry
from tests.simulation.cast import PlainSchemas, SimulatedModel, SimulatedSandbox, simulated_tools
from tests.simulation.disk import FaultyDisk, stored_run
from tests.simulation.reference import waits_for
from tests.simulation.watcher import Watcher
from tests.simulation.world import World
from tests.support.virtual_loop import VirtualClock, VirtualLoop

Json = dict[str, Any]

IDLE_S = 0.5
"""So long may nothing happen before it is asked why nothing does."""

CANCEL_S = 1.0


class Process:
    """Lives once. `fate` is how it ends, None if it lives to see the end of all runs."""

    def __init__(self, scenario: Json, world: World, disk: FaultyDisk, loop: VirtualLoop, rng: random.Random) -> None:
        self._scenario = scenario
        self._world = world
        self._disk = disk
        self._loop = loop
        self._rng = rng
        self.clock = VirtualClock(loop)
        bus = Bus(report=lambda error: world.blame(f"a subscriber failed: {error!r}"))
        schemas = PlainSchemas()
        registry = Registry(schemas)
        for tool in simulated_tools(world):
            registry.register(tool)
        self._tools = ToolInvoker(registry, schemas, self.clock)
        sandbox = SimulatedSandbox(world)
        agents = AgentLoop(SimulatedModel(world), self._tools, disk, self.clock)
        steps = StepRunner(self._tools, sandbox, agents)
        settings = Settings(max_running_runs=scenario["maxRuns"])
        self.engine = Engine(
            disk, bus, self.clock, steps, Validator(self._tools, sandbox, schemas), schemas, lambda: settings
        )
        self.watcher = Watcher(world, bus)
        self.is_open = False

    async def live(self, fate: Json | None) -> None:
        """Until every run has ended, or the fate is met."""
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
                    await self._follow_all()
            self.is_open = False
        self.watcher.unwritten.update(self.engine.journal.held_runs)
        await self._tools.close()
        for _ in range(3):  # what was cancelled gets its turn
            await asyncio.sleep(0)

    async def _follow_all(self) -> None:
        await _until_written(self.engine.recover)
        self.is_open = True
        async with asyncio.TaskGroup() as people:
            for run in self._scenario["runs"]:
                people.create_task(self._follow(run), name=f"person {run['name']}")
        while self.engine.journal.held_runs:  # noqa: ASYNC110  # as a person waits who is told that a run is paused
            await asyncio.sleep(1)

    async def _follow(self, run: Json) -> None:
        """Start a run, as often as need be, and see it to its end."""
        await asyncio.sleep(run["atMs"] / 1000)
        started = await _until_written(lambda: self.engine.start(self._request(run)))
        if run.get("again"):
            again = await _until_written(lambda: self.engine.start(self._request(run)))
            if again.id != started.id:
                self._world.blame("the same key gave another run (ENGINE §9)")
        if "cancelAtMs" in run:
            await asyncio.sleep(run["cancelAtMs"] / 1000)
            await self._cancel(started.id)
        ended = await self.engine.wait(started.id)
        if not ended.status.is_final:
            self._world.blame(f"wait came back from {run['name']}, which is {ended.status}")

    async def _cancel(self, run_id: RunId) -> None:
        before, failed, held = self._loop.time(), self._disk.failed, self.engine.journal.held_runs
        self._world.cancelled_at.setdefault(run_id, before)
        run = await self.engine.cancel(run_id)
        took = self._loop.time() - before
        slack = 8 * max(self._scenario["disk"]["ms"]) / 1000 + self._scenario["busyMs"]
        if not run.status.is_final:
            self._world.blame(f"a cancelled run is {run.status}")
        self._world.tally[f"cancel: {run.status}"] += 1
        if took > CANCEL_S + slack and self._disk.failed == failed and not held and run.status is RunStatus.CANCELLED:
            self._world.blame(f"a cancel took {took:.2f} s (ENGINE §7)")

    def _request(self, run: Json) -> StartRequest:
        now = self.clock.now()
        workflow = Workflow(WorkflowId(f"wf_{run['name']}"), run["name"], "simulated", now, now)
        template = Template.model_validate(run["template"])
        return StartRequest(workflow, template, run["input"], RunKind.WORKFLOW, key=run["name"])

    # Asking why nothing happens

    def ask_why_idle(self, seconds: float) -> None:
        """Before a long pause: is there really nothing that could go on? (ENGINE §4)"""
        if seconds < IDLE_S or self._disk.at_work or self.engine.journal.held_runs or not self.is_open:
            return
        running = 0
        for run in self._scenario["runs"]:
            run_id = run_id_of(run)
            row = stored_run(self._disk.tables, run_id)
            if row is None or row.status.is_final:
                continue
            if not self.engine.drives(run_id):
                self._world.blame(f"{run['name']} is {row.status}, and nobody drives it")
            running += row.status is RunStatus.RUNNING
            if row.status is RunStatus.RUNNING and run_id not in self._world.cancelled_at:
                self._ask(run, run_id)
        enqueued = sum(row.status is RunStatus.ENQUEUED for _, row in self._disk.tables.runs.values())
        if enqueued and running < self._scenario["maxRuns"]:
            self._world.blame(f"{enqueued} runs wait for a place, and there are places (ENGINE §9)")

    def _ask(self, run: Json, run_id: RunId) -> None:
        state = self.watcher.states[run_id]
        template = run["template"]
        names = {step["name"] for step in template["steps"]}
        done = {name for name in names if state.steps[name].status.is_final}
        active = state.active
        for step in template["steps"]:
            mine = state.steps[step["name"]]
            if ends_run(step, mine.status, skipped=mine.skipped):
                return
        for step in template["steps"]:
            name = step["name"]
            is_ready = name not in done and name not in active and waits_for(step, names) <= done
            if is_ready and len(active) < template.get("maxParallel", 16):
                self._world.blame(f"{name} could start, and does not (ENGINE §4)")
            mine = state.steps[name]
            if name in active and mine.iterations is not None:
                done_items, flying = (
                    mine.iterations.completed + mine.iterations.failed,
                    self._world.in_flight(run_id, name),
                )
                is_stopped = mine.iterations.failed and step.get("config", {}).get("onError") == "fail"
                most = step["forEach"].get("concurrency", 1)
                if not is_stopped and flying < min(most, mine.iterations.total - done_items):
                    self._world.blame(f"another iteration of {name} could start, and does not (ENGINE §6)")


def ends_run(step: Json, status: str, *, skipped: bool) -> bool:
    """Whether the step, having come to this, has ended its run."""
    if status == "error":
        return bool(step.get("config", {}).get("onError") != "continue")
    return bool(status == "completed" and "return" in step["action"] and not skipped)


def run_id_of(run: Json) -> RunId:
    return RunId(id_from_key("run", run["name"]))


async def _until_written(action: Callable[[], Any]) -> Any:
    """What a person does whose disk is full: try again."""
    while True:
        try:
            return await action()
        except StorageFailed:
            await asyncio.sleep(1)
