"""Retries, time limits, and unknown outcomes (ENGINE §7, §10)."""

import asyncio
import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.domain.events import StepStarted
from core.domain.ids import TemplateId
from core.domain.interruption import Action, Answer
from core.domain.run import RunStatus
from core.domain.text.json_text import encode
from core.domain.tool import ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext, Put, StoredTemplate
from core.services.outcome import Ok
from core.tools.registry import Tool
from tests.support.clock import FakeClock
from tests.support.command_line import template
from tests.support.held import children
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.virtual_loop import VirtualLoop, run_virtual
from tests.support.waiting import until
from tests.support.world import World, a_step, a_world, tool_step

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Flaky:
    """A tool that fails `failures` times with a code, or takes its time."""

    def __init__(self, failures: int = 0, code: str = "failed", seconds: float = 0, *, stubborn: bool = False) -> None:
        self.made = 0
        self.ended = 0
        self._failures = failures
        self._code = code
        self._seconds = seconds
        self._stubborn = stubborn

    def tool(self, **traits: Any) -> Tool:
        return Tool(ToolInfo("flaky", "flaky", "flaky", {"type": "object"}), server=self._call, **traits)

    async def _call(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        self.made += 1
        if self.made <= self._failures:
            raise ToolFailed(self._code, f"failure {self.made}")
        try:
            await asyncio.sleep(self._seconds)
        except asyncio.CancelledError:
            if not self._stubborn:
                raise
            await asyncio.sleep(0.15)
        self.ended += 1
        return {"made": self.made}


def flaky_step(**config: Any) -> dict[str, Any]:
    return {**tool_step("f", "flaky", attempt="@ctx.attempt"), "config": config}


@pytest.fixture(autouse=True)
def _no_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.random", lambda: 0.0)


async def test_a_step_is_tried_again_and_its_errors_are_kept() -> None:
    flaky = Flaky(failures=2)
    async with a_world(more_tools=[flaky.tool(read_only=True)]) as world:
        told = await world.run(flaky_step(maxAttempts=3, backoffMs=100))
    assert (told["status"], told["output"]) == ("success", {"made": 3})
    step = told["steps"]["f"]
    assert step["attempts"] == 3
    assert [error["message"] for error in step["attempt_errors"]] == ["failure 1", "failure 2"]
    assert [call["args"]["attempt"] for call in told["tool_calls"]] == [1, 2, 3]
    delays = [event.fact.delay_ms for event in world.events if event.fact.type == "step_retry"]  # type: ignore[attr-defined]
    assert delays == [100, 200]


async def test_the_last_error_is_the_steps_own() -> None:
    flaky = Flaky(failures=9)
    async with a_world(more_tools=[flaky.tool()]) as world:
        told = await world.run(flaky_step(maxAttempts=2, backoffMs=100))
    assert (told["error"]["code"], told["error"]["message"]) == ("failed", "failure 2")
    assert told["error"]["failed_during"] == "tool_execution"
    assert flaky.made == 2


@pytest.mark.parametrize("code", ["invalid_arguments", "rejected", "not_json", "not_a_list", "unresolved_ref"])
async def test_what_cannot_get_better_is_not_tried_again(code: str) -> None:
    flaky = Flaky(failures=9, code=code)
    async with a_world(more_tools=[flaky.tool()]) as world:
        told = await world.run(flaky_step(maxAttempts=3, backoffMs=100))
    assert (told["error"]["code"], flaky.made) == (code, 1)


async def test_iterations_have_attempts_of_their_own() -> None:
    flaky = Flaky(failures=2)
    async with a_world(more_tools=[flaky.tool(read_only=True)]) as world:
        each = {**flaky_step(maxAttempts=2, backoffMs=100), "forEach": {"ref": "@input.items", "concurrency": 2}}
        told = await world.run(each, given={"items": [1, 2]})
    assert told["status"] == "success"
    assert flaky.made == 4


async def test_a_cancel_ends_the_pause_between_attempts() -> None:
    flaky = Flaky(failures=9)
    async with a_world(more_tools=[flaky.tool()]) as world:
        run = await world.start(flaky_step(maxAttempts=3, backoffMs=60_000))
        await asyncio.sleep(0.1)
        assert (await world.describe(run.id))["steps"]["f"]["status"] == "retrying"
        async with asyncio.timeout(1):
            await world.core.engine.cancel(run.id)
        told = await world.describe(run.id)
    assert (told["status"], told["steps"]["f"]["status"], flaky.made) == ("cancelled", "cancelled", 1)


async def test_a_failed_attempt_counts_after_a_crash() -> None:
    flaky = Flaky(failures=1)
    async with a_world(more_tools=[flaky.tool()]) as world:
        run = await world.start(flaky_step(maxAttempts=2, backoffMs=60_000))
        await asyncio.sleep(0.1)
        assert isinstance(world.storage, InMemoryStorage)
        storage = world.storage.copy()
        await world.core.engine.cancel(run.id)
    async with a_world(storage, more_tools=[flaky.tool()]) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
    assert (told["status"], told["steps"]["f"]["attempts"], flaky.made) == ("success", 2, 2)
    assert [error["message"] for error in told["steps"]["f"]["attempt_errors"]] == ["failure 1"]


async def test_a_limit_ends_the_work_itself() -> None:
    flaky = Flaky(seconds=5)
    async with a_world(more_tools=[flaky.tool(read_only=True)]) as world:
        told = await world.run(flaky_step(timeoutMs=100))
    assert (told["error"]["code"], flaky.ended) == ("timeout", 0)


async def test_a_thread_that_cannot_be_stopped_holds_neither_its_run_nor_the_others() -> None:
    may_end = threading.Event()

    async def block(arguments: Mapping[str, Any], context: CallContext) -> Any:
        return await asyncio.to_thread(may_end.wait)

    tool = Tool(ToolInfo("block", "block", "block", {"type": "object"}), server=block, read_only=True)
    async with a_world(more_tools=[tool]) as world:
        step = {**tool_step("b", "block"), "config": {"timeoutMs": 100}}
        blocked = await world.start(step, a_step("after", "b"))
        assert (await world.run(tool_step("n", "note")))["status"] == "success"
        told = await world.settled(blocked.id)
        assert not may_end.is_set()
        assert (told["status"], told["error"]["code"], told["error"]["failed_step"]) == ("error", "timeout", "b")
        assert told["steps"]["after"]["status"] == "pending"
        may_end.set()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not tell a process its children")
async def test_a_cancel_ends_the_process_in_which_the_code_runs() -> None:
    before = children()
    async with a_world() as world:
        run = await world.start({"name": "c", "action": {"code": "export default () => { for (;;); }"}})
        await world.heard(StepStarted)
        while True:
            await asyncio.sleep(0.3)  # also once it is there, so that it is in the middle of the code
            if workers := children() - before:
                break
        assert (await world.core.engine.cancel(run.id)).status is RunStatus.CANCELLED
        assert not workers & children()
        assert (await world.describe(run.id))["steps"]["c"]["status"] == "cancelled"
    assert children() <= before


async def test_a_limit_ends_endless_code() -> None:
    async with a_world() as world:
        code = {"name": "c", "action": {"code": "export default () => { for (;;); }"}, "config": {"timeoutMs": 200}}
        told = await world.run(code)
    assert (told["error"]["code"], told["error"]["failed_during"]) == ("timeout", "code")


async def test_a_time_out_of_an_effect_is_asked_about_and_not_repeated() -> None:
    """A tool that does not listen may have done its work all the same (cancel-05)."""
    flaky = Flaky(seconds=5, stubborn=True)
    async with a_world(more_tools=[flaky.tool()]) as world:
        run = await world.start(flaky_step(timeoutMs=100, maxAttempts=3, backoffMs=100), a_step("z", "f"))
        told = await world.settled(run.id)
        assert told["status"] == "waiting"
        (one,) = told["interruptions"]
        assert (one["kind"], one["status"], one["tool"]) == ("outcome", "awaiting-outcome", "flaky")
        assert told["tool_calls"][0]["status"] == "unknown"
        assert flaky.made == 1
        told = await world.answer(run, "submit", {"made": "by hand"})
    assert (told["status"], told["steps"]["f"]["output"], flaky.made) == ("success", {"made": "by hand"}, 1)
    assert told["tool_calls"][0]["status"] == "completed"
    assert told["interruptions"][0]["status"] == "outcome-given"


async def test_the_user_lets_it_run_again() -> None:
    flaky = Flaky(seconds=0.3)
    async with a_world(more_tools=[flaky.tool()]) as world:
        run = await world.start(flaky_step(timeoutMs=100))
        await world.settled(run.id)
        told = await world.answer(run, "approve")
        assert (told["status"], flaky.made) == ("waiting", 2)  # again too slow: a question of its own
        assert [each["status"] for each in told["interruptions"]] == ["awaiting-outcome", "outcome-given"]
        told = await world.answer(run, "reject", reason="I looked")
    assert (told["status"], told["error"]["code"]) == ("error", "failed")
    assert "I looked" in told["error"]["message"]


@pytest.mark.parametrize(("on_unknown", "status", "made"), [("fail", "error", 1), ("rerun", "success", 2)])
async def test_a_template_says_what_an_unknown_outcome_means(on_unknown: str, status: str, made: int) -> None:
    class Once(Flaky):
        async def _call(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
            self._seconds = 5 if self.made == 0 else 0
            return await super()._call(arguments, context)

    flaky = Once()
    async with a_world(more_tools=[flaky.tool()]) as world:
        told = await world.run(flaky_step(timeoutMs=100, onUnknown=on_unknown))
    assert (told["status"], flaky.made) == (status, made)
    if status == "error":
        assert told["error"]["code"] == "outcome_unknown"


async def test_a_question_about_an_outcome_survives_a_restart() -> None:
    flaky = Flaky(seconds=5)
    async with a_world(more_tools=[flaky.tool()]) as world:
        run = await world.start(flaky_step(timeoutMs=100))
        before = await world.settled(run.id)
        storage = world.storage
    async with a_world(storage, more_tools=[flaky.tool()]) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        assert told["interruptions"][0]["id"] == before["interruptions"][0]["id"]
        assert len(told["interruptions"]) == 1
        told = await world.answer(run, "submit", 7)
    assert (told["status"], told["output"], flaky.made) == ("success", 7, 1)


async def test_an_output_has_to_fit_its_schema() -> None:
    async with a_world() as world:
        step = {**a_step("s"), "input": {"n": "x"}, "outputSchema": {"properties": {"n": {"type": "number"}}}}
        told = await world.run(step)
    assert (told["error"]["code"], told["error"]["violations"][0]["path"]) == ("bad_output", "/n")


async def test_a_deadline_counts_active_time_alone() -> None:
    async with a_world() as world:
        gate = {**a_step("gate"), "interrupt": {"kind": "approval"}}
        run = await world.start(gate, tool_step("slow", "echo", "gate", seconds=5), timeoutMs=400)
        await world.settled(run.id)
        await asyncio.sleep(0.6)
        assert (await world.describe(run.id))["status"] == "waiting"
        told = await world.answer(run, "approve")
    assert (told["status"], told["error"]["code"]) == ("error", "deadline_exceeded")
    assert told["steps"]["slow"]["status"] == "cancelled"
    assert 380 <= told["metrics"]["active_ms"] < 1500


async def test_no_retry_goes_past_the_deadline() -> None:
    flaky = Flaky(failures=9)
    async with a_world(more_tools=[flaky.tool()]) as world:
        told = await world.run(flaky_step(maxAttempts=5, backoffMs=5000), timeoutMs=1000)
    assert (told["error"]["code"], flaky.made) == ("failed", 1)
    assert told["metrics"]["active_ms"] < 900


async def test_a_run_that_kills_the_app_is_not_begun_for_ever() -> None:
    async with a_world() as world:
        run = await world.start(tool_step("h", "hold"))
        await asyncio.sleep(0.05)
        assert isinstance(world.storage, InMemoryStorage)
        storage = world.storage.copy()
        world.tools.release.set()
    for end in (1, 2, 3):
        async with a_world(storage) as world:
            await world.core.engine.recover()
            await asyncio.sleep(0.05)
            assert isinstance(world.storage, InMemoryStorage)
            storage = world.storage.copy()
            stored = await storage.runs.get(run.id)
            assert stored is not None
            assert stored.unclean_ends == min(end, 2) or stored.status is RunStatus.ERROR
            world.tools.release.set()
    ended = await storage.runs.get(run.id)
    assert ended is not None
    assert ended.error is not None
    assert (ended.status, ended.error.code) == (RunStatus.ERROR, "recovery_exhausted")
    assert f"fork {run.id} h" in ended.error.message
    async with a_world(storage) as world:  # in one step the user continues it
        world.tools.release.set()
        forked = await world.core.runs.fork(run.id, ended.error.failed_step or "")
        assert isinstance(forked, Ok)
        assert (await world.settled(forked.data.id))["status"] == "success"


async def test_answers_between_the_ends_of_the_app_are_progress() -> None:
    """The call is interrupted again and again; each time the user decides that it be made again."""
    async with a_world() as world:
        run = await world.start({**tool_step("h", "hang"), "input": {"text": "x"}})
        await until(lambda: bool(world.tools.notes))
        storage = stored_copy(world)
    for _ in range(6):
        async with a_world(storage) as world:
            await world.core.engine.recover()
            told = await world.settled(run.id)
            assert (told["status"], told["interruptions"][0]["kind"]) == ("waiting", "outcome"), told["error"]
            await world.core.engine.answer(run.id, Answer(Action.APPROVE))
            notes = world.tools.notes
            await until(notes.__len__)
            storage = stored_copy(world)


def stored_copy(world: World) -> InMemoryStorage:
    """Return what is stored, as a process leaves it that is killed now."""
    assert isinstance(world.storage, InMemoryStorage)
    return world.storage.copy()


def test_a_step_that_takes_long_is_neither_failed_nor_begun_again() -> None:
    """Ten minutes without a word of it, in a run and in one below it, while others come and go: it has its own time
    limit."""

    async def live() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        async with a_world(clock=FakeClock(loop=loop)) as world:
            long = {**tool_step("long", "echo", seconds=600), "config": {"timeoutMs": 900_000}}
            stored = encode(template(long, title="Long"))
            await world.storage.commit([Put(StoredTemplate(TemplateId("t"), 1, "Long", stored, NOW))])
            above = {"name": "above", "action": {"workflow": {"title": "Long"}}}
            runs = [await world.start(long), await world.start(above)]
            for _ in range(10):
                assert (await world.run(tool_step("w", "echo", seconds=30)))["status"] == "success"
            for run in runs:
                assert (await world.describe(run.id))["status"] == "running"
            for run in runs:
                told = await world.settled(run.id)
                assert told["status"] == "success", told["error"]
                assert told["metrics"]["active_ms"] >= 600_000
            assert world.tools.echoes.count({"seconds": 600}) == 2

    run_virtual(live())


def test_a_call_of_an_agent_that_takes_long_is_no_lack_of_progress() -> None:
    """An agent and its sub-agent wait for 400 s each, which the tool's own limit allows; the run's is 300 s."""

    async def live() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        async with a_world(clock=FakeClock(loop=loop)) as world:
            pause = '/tool wait {"seconds": 400}'
            delegated = f"/tool spawn_agent {json.dumps({'prompt': pause})}"
            told = await world.run({"name": "a", "action": {"agent": {"prompt": f"{pause}\n\n{delegated}"}}})
            assert told["status"] == "success", told["error"]
            assert told["metrics"]["active_ms"] >= 800_000

    run_virtual(live())


async def test_a_run_without_progress_fails() -> None:
    async with a_world() as world:
        await world.core.settings.change(no_progress_s=10)
        script = ({"say": "one two", "delay_ms": 60_000},)
        agent = {"name": "a", "action": {"agent": {"prompt": "go"}}}
        run = await world.start(agent, script=script)
        await asyncio.sleep(0.1)
        (driver,) = [seat.driver for seat in world.core.engine._registry if seat.run.id == run.id]
        assert driver is not None
        driver._limits._no_progress_s = 0.2
        driver._limits._check_progress()
        told = await world.settled(run.id)
    assert (told["status"], told["error"]["code"]) == ("error", "no_progress")
