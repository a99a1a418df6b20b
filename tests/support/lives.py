"""One life of the process: it opens the store, goes on with what is left, starts the run if it is not there, answers
what it is asked, and stays until the run has ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.app import Core
from core.bus import Bus
from core.domain.events import Event
from core.domain.fold import fold
from core.domain.ids import CallId, RunId, WorkflowId, id_from_key
from core.domain.interruption import Action, Answer, Interruption, InterruptionKind
from core.domain.live_run import LiveRun
from core.domain.run import Run, RunKind, StepKey, StepResult
from core.domain.template import Template
from core.domain.tool import ToolCall
from core.domain.workflow import Workflow
from core.engine.runs.start_request import StartRequest
from core.ports import Storage
from core.threads.system_clock import SystemClock
from core.wiring import run_core
from tests.support.command_line import template
from tests.support.crash_scenarios import Scenario
from tests.support.effects import EffectLog, Effects
from tests.support.mortal import Fuse
from tests.support.progress import stored_calls, stored_interruptions, stored_results
from tests.support.recorded import seal
from tests.support.sandbox_here import SandboxHere

KEY = "the run that is killed"
WORKFLOW = WorkflowId("wf_killed")
RUN = RunId(id_from_key("run", KEY))


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with all that outlives a process: the store, and what effects have left."""

    folder: Path

    @property
    def store(self) -> Path:
        return self.folder / "data" / "store"

    @property
    def effects(self) -> EffectLog:
        return EffectLog(self.folder / "effects.txt")

    @property
    def repeatable(self) -> EffectLog:
        return EffectLog(self.folder / "repeatable.txt")

    @property
    def trace(self) -> Path:
        """The points that the last life passed."""
        return self.folder / "trace.txt"

    @property
    def report(self) -> Path:
        """What was wrong with the last life."""
        return self.folder / "report.json"


@dataclass(frozen=True, slots=True)
class Disk:
    """What the store has of the run at one moment; `effects` are the lines that are there."""

    run: Run | None
    results: Mapping[StepKey, StepResult]
    calls: Mapping[CallId, ToolCall]
    interruptions: tuple[Interruption, ...]
    events: tuple[Event, ...]
    effects: tuple[str, ...]


@dataclass(slots=True)
class Life:
    """What a life found, what it did, and what it left. `watched` is the run as somebody sees it who listens."""

    before: Disk
    after: Disk
    made: list[str]
    watched: LiveRun | None
    left_over: list[str] = field(default_factory=list)


async def read_disk(storage: Storage, effects: EffectLog) -> Disk:
    run = await storage.runs.get(RUN)
    return Disk(
        run,
        {result.key: result for result in await stored_results(storage, RUN)},
        {call.id: call for call in await stored_calls(storage, RUN)},
        tuple(await stored_interruptions(storage, RUN)),
        tuple(await storage.events.of_run(RUN)),
        tuple(effects.lines()),
    )


async def lead(storage: Storage, place: Place, scenario: Scenario, fuse: Fuse) -> Life:
    """To the end of the run, unless the fuse ends the process before. The store is left open."""
    before = await read_disk(storage, place.effects)
    effects = Effects(place.effects, place.repeatable, fuse.point)
    async with run_core(storage, more_tools=effects.tools(), sandbox=SandboxHere()) as core:
        watcher = Watcher(core.bus)
        await core.engine.recover()
        await start_run(core, scenario, place)
        await attend(core, place.effects)
        left_over = await seal(core, scenario, WORKFLOW) if scenario.records else []
        left_over += [f"{run.title} is {run.status}" for run in await storage.runs.unfinished()]
        left_over += [f"{one.ask.step} asks for {one.ask.kind}" for one in await storage.interruptions.open()]
    return Life(before, await read_disk(storage, place.effects), effects.made, watcher.run, left_over)


async def start_run(core: Core, scenario: Scenario, place: Place) -> None:
    """Start the run, or go on with it if it was started before and nobody does."""
    now = SystemClock().now()
    workflow = Workflow(WORKFLOW, "W", "offline", now, now)
    beginning = None
    if scenario.records and await core.storage.runs.get(RUN) is None:
        beginning = await core.chat._recordings.begin(workflow, None, None)
    request = StartRequest(
        workflow,
        Template.model_validate(template(*scenario.steps)),
        {"text": "go"},
        scenario.kind,
        prompt="go" if scenario.kind is RunKind.CHAT else None,
        allow=(str(place.folder),),
        script=scenario.script,
        mode=scenario.mode,
        key=KEY,
        companion=beginning.companion if beginning is not None else None,
    )
    run = await core.engine.start(request)
    if not run.status.is_final and not core.engine.drives(run.id):
        await core.engine.recover(run.id)


async def attend(core: Core, effects: EffectLog) -> None:
    """Answer one question after the other, each time the run waits, until it has ended."""
    while not (await core.engine.wait(RUN)).status.is_final:
        await answer_next(core, effects)


async def answer_next(core: Core, effects: EffectLog) -> None:
    """Answer the first open question."""
    asked = next(one for one in await stored_interruptions(core.storage, RUN) if one.is_open)
    await core.engine.answer(RUN, _answer(asked, effects), interruption=asked.id)


def _answer(asked: Interruption, effects: EffectLog) -> Answer:
    """Approve. Of an effect that nobody knows of: look at it, and say what came of it if it has happened."""
    if asked.ask.kind is not InterruptionKind.OUTCOME:
        return Answer(Action.APPROVE)
    arguments = asked.ask.arguments
    text = arguments["text"] if "text" in arguments else arguments["content"].rstrip("\n")
    return Answer(Action.SUBMIT, {"text": text}) if text in effects.lines() else Answer(Action.APPROVE)


class Watcher:
    """Folds the run from the bus."""

    def __init__(self, bus: Bus) -> None:
        self.run: LiveRun | None = None
        bus.subscribe(Event, self._hear)

    def _hear(self, event: Event) -> None:
        if event.run_id == RUN:
            self.run = fold(self.run, event)
