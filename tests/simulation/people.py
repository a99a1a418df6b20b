"""The users of one process: they start runs, cancel them, and answer what they are asked."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from core.domain.events import InterruptionRaised
from core.domain.ids import InterruptionId, RunId, WorkflowId, id_from_key
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.run import RunKind, RunStatus
from core.domain.template import Template
from core.domain.workflow import Workflow
from core.engine.runs.engine import Engine
from core.engine.runs.start_request import StartRequest
from core.errors import Refused, StorageFailed
from tests.simulation.disk import FaultyDisk, stored_run
from tests.simulation.watcher import Watcher
from tests.simulation.world import World
from tests.support.clock import FakeClock

Json = dict[str, Any]
T = TypeVar("T")

CANCEL_S = 1.0
AGAIN_S = 0.7


class People:
    """`accepted` are the answers that were taken, by interruption. `is_last`: this process sees the end of all runs."""

    def __init__(
        self,
        scenario: Json,
        world: World,
        disk: FaultyDisk,
        engine: Engine,
        clock: FakeClock,
        watcher: Watcher,
        *,
        is_last: bool,
    ) -> None:
        self._scenario = scenario
        self._world = world
        self._disk = disk
        self._engine = engine
        self._clock = clock
        self._watcher = watcher
        self._is_last = is_last
        self._answered: Counter[InterruptionId] = Counter()
        self.accepted: dict[InterruptionId, Answer] = {}

    async def live(self) -> None:
        """Until every run has ended."""
        answering = asyncio.TaskGroup()
        async with answering:
            watching = answering.create_task(self._answer_all(answering), name="answering")
            async with asyncio.TaskGroup() as tasks:
                for run in self._scenario["runs"]:
                    tasks.create_task(self._follow(run), name=f"person {run['name']}")
                if self._scenario.get("recoverMs") is not None:
                    tasks.create_task(self._recover_again(self._scenario["recoverMs"]), name="recovering again")
            while self._engine.journal._held or self._is_draining:  # noqa: ASYNC110  # the user looks now and then
                await asyncio.sleep(1)
            watching.cancel()

    @property
    def _is_draining(self) -> bool:
        return any(map(self._engine.drives, self._disk.tables.runs))

    # Runs

    async def _recover_again(self, ms: float) -> None:
        """Doing it twice is harmless: what this process knows is not taken up again."""
        await asyncio.sleep(ms / 1000)
        await until_written(self._engine.recover)

    async def _follow(self, run: Json) -> None:
        """Start a run, as often as need be, and see it to its end."""
        await asyncio.sleep(run["atMs"] / 1000)
        started = await until_written(lambda: self._engine.start(self._request(run)))
        if run.get("again"):
            again = await until_written(lambda: self._engine.start(self._request(run)))
            if again.id != started.id:
                self._world.blame("the same key gave another run (ENGINE §9)")
        if "cancelAtMs" in run:
            await asyncio.sleep(run["cancelAtMs"] / 1000)
            await self._cancel(started.id)
        if run.get("forkSoon"):
            await self._watcher.ends(started.id)
        else:
            await self._see_to_its_end(started.id)
        if "fork" in run and self._is_last:
            await self._fork(started.id, run)
        await self._see_to_its_end(started.id)

    async def _see_to_its_end(self, run_id: RunId) -> None:
        ended = await self._engine.wait(run_id)
        while not ended.status.is_final:
            if not self._engine.drives(run_id) and self._is_unfinished(run_id):
                self._world.blame(f"wait came back from {ended.title}, which is {ended.status}, and nobody drives it")
            await self._watcher.goes_on(run_id)
            ended = await self._engine.wait(run_id)

    async def _fork(self, run_id: RunId, run: Json) -> None:
        """Run it once more from a step."""
        if any(step["name"] == run["fork"] for step in run["template"]["steps"]):
            fork = await until_written(lambda: self._engine.fork(run_id, run["fork"]))
            self._world.forks[fork.id] = (run_id, run["fork"])
            await self._see_to_its_end(fork.id)

    async def _cancel(self, run_id: RunId) -> None:
        loop = asyncio.get_running_loop()
        before, failed, held = loop.time(), self._disk.failed, bool(self._engine.journal._held)
        self._world.cancelled_at.setdefault(run_id, before)
        run = await self._engine.cancel(run_id)
        took = loop.time() - before
        slack = 8 * max(self._scenario["disk"]["ms"]) / 1000 + self._scenario["busyMs"]
        if not run.status.is_final:
            self._world.blame(f"a cancelled run is {run.status}")
        self._world.tally[f"cancel: {run.status}"] += 1
        if took > CANCEL_S + slack and self._disk.failed == failed and not held and run.status is RunStatus.CANCELLED:
            self._world.blame(f"a cancel took {took:.2f} s (ENGINE §7)")

    def _request(self, run: Json) -> StartRequest:
        now = self._clock.now()
        workflow = Workflow(WorkflowId(f"wf_{run['name']}"), run["name"], "simulated", now, now)
        template = Template.model_validate(run["template"])
        return StartRequest(workflow, template, run["input"], RunKind.WORKFLOW, key=run["name"])

    # Answers

    async def _answer_all(self, answering: asyncio.TaskGroup) -> None:
        while True:
            run_id, asked = await self._watcher.questions.get()
            if self._answered[asked.id]:
                continue
            self._answered[asked.id] += 1
            met = self._world.met(asked.step)
            said = met.get("outcome" if asked.kind is InterruptionKind.OUTCOME else "answer")
            if said is None:
                self._world.blame(f"nobody expected that {asked.step} asks: {asked}")
            elif not said.get("never"):
                answering.create_task(self._answer(run_id, asked, said, said["ms"]), name=f"answer {asked.id}")
                if "twice" in said:
                    other = {**said, "action": "submit" if said["action"] == "reject" else "reject"}
                    if asked.kind is InterruptionKind.APPROVAL:
                        other["action"] = "approve" if said["action"] == "reject" else "reject"
                    answering.create_task(self._answer(run_id, asked, other, said["twice"]), name=f"other {asked.id}")

    async def _answer(self, run_id: RunId, asked: InterruptionRaised, said: Json, ms: float) -> None:
        await asyncio.sleep(ms / 1000)
        answer = Answer(Action(said["action"]), _value(asked, said))
        while True:
            try:
                await self._engine.answer(run_id, answer, interruption=asked.id)
            except Refused as refusal:
                match refusal.code:
                    case "already_answered":
                        return
                    case "nothing_open" if self._is_unfinished(run_id):  # it waits for a place
                        await asyncio.sleep(AGAIN_S)
                        continue
                    case "nothing_open":
                        return
                    case "consumed":
                        self._world.tally["consumed"] += 1
                        answer = Answer(Action.SUBMIT, [])
                        continue
                self._world.blame(f"{answer} to {asked.step} was refused: {refusal.code} {refusal.message}")
                return
            if asked.id in self.accepted:
                self._world.blame(f"two answers to {asked.step} were taken (ENGINE §8)")
            self.accepted[asked.id] = answer
            self._world.tally[f"{asked.kind}: {answer.action}"] += 1
            return

    def _is_unfinished(self, run_id: RunId) -> bool:
        row = stored_run(self._disk.tables, run_id)
        return row is not None and not row.status.is_final


def _value(asked: InterruptionRaised, said: Json) -> Any:
    """What is submitted, as the kind takes it."""
    value = said["value"]
    if said["action"] != "submit":
        return None
    match asked.kind:
        case InterruptionKind.INPUT_REVIEW if isinstance(asked.input, dict):
            name = next((name for name in ("v", "flag") if name in asked.input), None)
            return value if name is None else {**asked.input, name: value}
        case InterruptionKind.TOOL_INPUT:
            return {"extra": value}
        case InterruptionKind.STATE_EDIT:
            return _edits(asked.outputs, value)
    return value


def _edits(outputs: Json, value: Any) -> list[Json]:
    """A change of the first output that is there; of its key `k`, if it has one."""
    shown = [(step, output) for step, output in outputs.items() if output is not None]
    if not shown:
        return []
    step, output = shown[0]
    return [{"path": f"/{step}/k" if isinstance(output, dict) and "k" in output else f"/{step}", "value": value}]


def run_id_of(run: Json) -> RunId:
    return RunId(id_from_key("run", run["name"]))


async def until_written(action: Callable[[], Awaitable[T]]) -> T:
    """What the user does whose disk is full: try again."""
    while True:
        try:
            return await action()
        except StorageFailed:
            await asyncio.sleep(1)
