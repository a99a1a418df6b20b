"""Anything the user may do, in any order: start, answer, answer again, cancel, delete, edit the template, close the
app, kill it, set the clock. Hypothesis chooses, the same stories each time; a failure is printed as the shortest one.

What has to hold at any time: a step runs only once and only if it was let, the first answer holds, an end is an end,
what is deleted is gone, and exactly what is open is asked.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from core.domain.fold import replay
from core.domain.ids import RunId, TemplateId, WorkflowId
from core.domain.interruption import Action, Answer
from core.domain.run import Run
from core.domain.text.json_text import encode
from core.errors import Refused
from core.ports import Put, StoredTemplate
from core.services.outcome import Failed, Ok
from tests.support.clock import FakeClock
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_interruptions
from tests.support.virtual_loop import VirtualLoop
from tests.support.world import World, a_world, tool_step

TEMPLATE = TemplateId("tpl_story")
GATES = ("first", "second")


def story(version: int) -> dict[str, Any]:
    """Two steps that ask, side by side, and one behind them. The texts tell the version."""
    text = f"@ctx.run_id @ctx.step {version}"
    gates = [{**tool_step(name, "note", text=text), "interrupt": {"kind": "approval"}} for name in GATES]
    return template(*gates, tool_step("last", "note", *GATES, text=text), title="Story")


@dataclass
class Told:
    """What is known of a run: its template's version, which gates were let, and whether it is over."""

    workflow_id: WorkflowId
    version: int
    let: set[str] = field(default_factory=set)
    ended: str | None = None
    is_deleted: bool = False

    @property
    def waits_at(self) -> set[str]:
        return set() if self.ended or self.is_deleted else set(GATES) - self.let


class Story(RuleBasedStateMachine):
    runs: Bundle[RunId] = Bundle("runs")

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[RunId, Told] = {}
        self.asked: dict[RunId, dict[str, str]] = {}
        self.notes: list[str] = []
        self.version = 0
        self.off_s = 0.0
        self.storage = InMemoryStorage()
        self._open()

    def teardown(self) -> None:
        self._close()

    # The life of the app

    def _open(self) -> None:
        self.loop = VirtualLoop()
        asyncio.set_event_loop(self.loop)
        self.clock = FakeClock(loop=self.loop)
        self.clock.jump(self.off_s)
        ready: asyncio.Future[World] = self.loop.create_future()
        self._leave = asyncio.Event()

        async def live() -> None:
            async with a_world(self.storage, clock=self.clock) as world:
                ready.set_result(world)
                await self._leave.wait()

        self._life = self.loop.create_task(live())
        self.world: World = self.loop.run_until_complete(ready)
        self.do(self.world.core.engine.recover())
        self.do(asyncio.sleep(1))

    def _close(self) -> None:
        self._leave.set()
        self.loop.run_until_complete(self._life)
        self._end()

    def _end(self) -> None:
        self.notes += self.world.tools.notes
        asyncio.set_event_loop(None)
        self.loop.close()

    def do(self, work: Any) -> Any:
        return self.loop.run_until_complete(self.loop.create_task(work) if asyncio.iscoroutine(work) else work)

    @initialize()
    def save(self) -> None:
        self.edit()

    @rule()
    def edit(self) -> None:
        self.version += 1
        row = StoredTemplate(TEMPLATE, self.version, "Story", encode(story(self.version)), self.clock.now())
        self.do(self.storage.commit([Put(row)]))

    @rule()
    def close_and_open(self) -> None:
        self._close()
        self._open()

    @rule()
    def kill_and_open(self) -> None:
        self.storage = self.storage.copy()
        self.loop.abandon()
        self._end()
        self._open()

    @rule(seconds=st.sampled_from([-3600, 3600, 8 * 3600]))
    def set_the_clock(self, seconds: int) -> None:
        self.off_s += seconds
        self.clock.jump(seconds)
        self.do(asyncio.sleep(15))

    # What the user does

    @rule(target=runs, key=st.sampled_from([None, None, "k"]))
    def start(self, key: str | None) -> Any:
        async def starting() -> Run:
            found = await self.world.core.templates.find("Story")
            assert isinstance(found, Ok)
            gone = sum(told.is_deleted for told in self.told.values())
            started = await self.world.core.runs.start(found.data, {}, key=key and f"{key} {gone}")
            assert isinstance(started, Ok), started
            await asyncio.sleep(1)
            return started.data

        run = self.do(starting())
        if run.id in self.told:
            return multiple()
        self.told[run.id] = Told(run.workflow_id, self.version)
        self.asked[run.id] = {each.ask.step: each.id for each in self.do(stored_interruptions(self.storage, run.id))}
        return run.id

    @rule(
        run_id=runs,
        gate=st.sampled_from(GATES),
        actions=st.lists(st.sampled_from(list(Action)), min_size=1, max_size=3),
    )
    def answer(self, run_id: RunId, gate: str, actions: list[Action]) -> None:
        """One or several answers of one moment, to one question."""

        async def answering(action: Action) -> str:
            asked = self.asked[run_id][gate]
            try:
                await self.world.core.engine.answer(run_id, Answer(action), interruption=asked)  # type: ignore[arg-type]
            except Refused as error:
                return error.code
            return "taken"

        async def all_at_once() -> list[str]:
            said = await asyncio.gather(*map(answering, actions))
            await asyncio.sleep(1)
            return list(said)

        told = self.told[run_id]
        was_open = gate in told.waits_at
        said = self.do(all_at_once())
        taken = [action for action, what in zip(actions, said, strict=True) if what == "taken"]
        fitting = [action for action in actions if action in (Action.APPROVE, Action.REJECT)]
        assert taken == (fitting[:1] if was_open else []), said
        if taken == [Action.APPROVE]:
            told.let.add(gate)
            if told.let == set(GATES):
                told.ended = "success"
        elif taken:
            told.ended = "error"

    @rule(run_id=runs)
    def cancel(self, run_id: RunId) -> None:
        told = self.told[run_id]
        outcome = self.do(self.world.core.runs.cancel(run_id))
        assert isinstance(outcome, Failed if told.is_deleted else Ok)
        if told.ended is None and not told.is_deleted:
            told.ended = "cancelled"

    @rule(run_id=runs)
    def delete(self, run_id: RunId) -> None:
        told = self.told[run_id]
        outcome = self.do(self.world.core.workflows.delete(told.workflow_id))
        assert isinstance(outcome, Failed if told.is_deleted else Ok)
        told.is_deleted = True

    # What has to hold

    @invariant()
    def everything_is_as_told(self) -> None:
        self.do(asyncio.sleep(1))
        notes = sorted([*self.notes, *self.world.tools.notes])
        assert notes == sorted(line for run_id, told in self.told.items() for line in self._lines(run_id, told))
        for run_id, told in self.told.items():
            run = self.do(self.storage.runs.get(run_id))
            if told.is_deleted:
                assert run is None
                continue
            assert run.status == (told.ended or "waiting")
            events = self.do(self.storage.events.of_run(run_id))
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            live = replay(events)
            assert live is not None
            assert live.status == run.status
            assert {interruption.request.step for interruption in live.open_interruptions} == told.waits_at
        asked = {(each.run_id, each.ask.step) for each in self.do(self.storage.interruptions.open())}
        assert asked == {(run_id, gate) for run_id, told in self.told.items() for gate in told.waits_at}

    def _lines(self, run_id: RunId, told: Told) -> list[str]:
        done = [*sorted(told.let), *(["last"] if told.let == set(GATES) else [])]
        return [f"{run_id} {step} {told.version}" for step in done]


TestStory = Story.TestCase
TestStory.settings = settings(
    max_examples=100, stateful_step_count=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
