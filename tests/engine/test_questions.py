"""`ask_user` in runs: from an agent and from a step, through restarts and to the end of a run."""

import asyncio
from typing import Any

import pytest

from core.domain.events import InterruptionRaised
from core.domain.ids import CallId
from core.domain.interruption import Action, Answer, InterruptionKind, InterruptionRequest
from core.domain.run import Run
from core.domain.template import ValidationMode
from core.domain.tool import ToolInfo
from core.errors import Refused, ToolFailed
from core.ports import CallContext
from core.tools.registry import Tool
from tests.support.clock import FakeClock
from tests.support.virtual_loop import run_virtual
from tests.support.world import World, a_step, a_world, tool_step

Json = dict[str, Any]


def agent(name: str, prompt: str, **fields: Any) -> Json:
    return {"name": name, "action": {"agent": {"prompt": prompt}}, **fields}


async def waiting(world: World, *steps: Json, **options: Any) -> tuple[Run, list[Json]]:
    run = await world.start(*steps, **options)
    told = await world.settled(run.id)
    assert told["status"] == "waiting", told["error"]
    return run, [each for each in told["interruptions"] if each["status"] == "awaiting-answer"]


async def answer(world: World, run: Run, one: Json, action: str, value: Any = None) -> Any:
    await world.core.engine.answer(run.id, Answer(Action(action), value), interruption=one["id"])
    return await world.settled(run.id)


@pytest.mark.parametrize("mode", ValidationMode)
async def test_an_agent_asks_in_any_mode_and_reads_the_answer(mode: ValidationMode) -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", "ask Which colour? [red, blue]"), mode=mode)
        assert (one["kind"], one["prompt"], one["step"], one["tool"]) == ("question", "Which colour?", "a", "ask_user")
        assert [option["id"] for option in one["options"]] == ["red", "blue"]
        told = await answer(world, run, one, "submit", {"options": ["red"], "text": "dark"})
        assert told["status"] == "success"
        assert "You answered: red, dark" in told["output"]
        assert told["interruptions"][0]["status"] == "answered"
        assert told["tool_calls"][0]["status"] == "completed"


async def test_to_skip_is_an_answer() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", "ask Why?"))
        assert '"skipped":true' in (await answer(world, run, one, "skip"))["output"]


@pytest.mark.parametrize(
    ("action", "value"),
    [
        ("approve", None),
        ("reject", None),
        ("submit", None),
        ("submit", {"options": ["green"]}),
        ("submit", {"text": "x" * 10_001}),
        ("submit", {"options": [], "text": ""}),
        ("submit", "red"),
    ],
)
async def test_what_is_no_answer_changes_nothing(action: str, value: Any) -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", "ask Which colour? [red, blue]"))
        with pytest.raises(Refused) as refused:
            await answer(world, run, one, action, value)
        assert refused.value.code == "bad_answer"
        assert (await world.describe(run.id))["interruptions"][0]["status"] == "awaiting-answer"


async def test_questions_of_a_round_are_asked_together_after_what_asks_nobody() -> None:
    async with a_world() as world:
        prompt = 'ask One?\n/tool echo {"n": 1}\nask Two?'
        run, asked = await waiting(world, agent("a", prompt))
        assert ([each["prompt"] for each in asked], world.tools.echoes) == (["One?", "Two?"], [{"n": 1}])
        await answer(world, run, asked[1], "submit", {"text": "2"})
        told = await answer(world, run, asked[0], "submit", {"text": "1"})
        assert [told["output"].index(text) for text in ("answered: 1", '"n":1', "answered: 2")] == sorted(
            told["output"].index(text) for text in ("answered: 1", '"n":1', "answered: 2")
        )


async def test_a_step_asks_and_its_output_is_the_answer() -> None:
    async with a_world() as world:
        ask = tool_step("q", "ask_user", question="Who is @input.who?", type="text")
        run, (one,) = await waiting(world, ask, a_step("z", input="@q.text"), given={"who": "Ann"})
        assert one["prompt"] == "Who is Ann?"
        told = await answer(world, run, one, "submit", {"text": "a friend"})
        assert (told["status"], told["output"]) == ("success", "a friend")


async def test_a_step_waits_longer_than_any_time_limit_and_uses_no_active_time() -> None:
    async with a_world() as world:
        ask = {**tool_step("q", "ask_user", question="?"), "config": {"timeoutMs": 100}}
        steps = (ask, agent("a", "ask !", config={"timeoutMs": 300}))
        run, (first, second) = await waiting(world, *steps, timeoutMs=400)
        await asyncio.sleep(0.6)
        assert (await world.describe(run.id))["status"] == "waiting"
        await answer(world, run, first, "submit", {"text": "x"})
        told = await answer(world, run, second, "submit", {"text": "x"})
        assert (told["status"], told["metrics"]["active_ms"] < 400) == ("success", True)


def test_a_question_expires_if_that_is_asked_for() -> None:
    async def story() -> None:
        clock = FakeClock(loop=asyncio.get_running_loop())
        async with a_world(clock=clock) as world:
            run, (one,) = await waiting(world, tool_step("q", "ask_user", question="?", timeout_seconds=90))
            assert one["expires_at"] is not None
            await asyncio.sleep(100)
            told = await world.settled(run.id)
            assert told["output"] == {"options": [], "text": "", "expired": True}
            assert told["interruptions"][0]["status"] == "expired"

    run_virtual(story())


async def test_a_question_survives_a_restart_and_is_asked_once() -> None:
    async with a_world() as world:
        run, before = await waiting(world, agent("a", "ask One?"), tool_step("q", "ask_user", question="Two?"))
        storage = world.storage
    for _ in range(2):
        async with a_world(storage) as world:
            await world.core.engine.recover()
            assert (await world.settled(run.id))["status"] == "waiting"
    async with a_world(storage) as world:
        await world.core.engine.recover()
        await world.settled(run.id)
        await answer(world, run, before[0], "submit", {"text": "x"})
        told = await answer(world, run, before[1], "submit", {"text": "x"})
        assert told["status"] == "success"
        raised = [
            event.fact for event in await storage.events.of_run(run.id) if isinstance(event.fact, InterruptionRaised)
        ]
        assert len(raised) == 2


async def test_an_answer_that_came_right_after_the_restart_is_taken() -> None:
    async with a_world() as world:
        run, (one,) = await waiting(world, agent("a", "ask One?"))
        storage = world.storage
    async with a_world(storage) as world:
        await world.core.engine.recover()
        told = await answer(world, run, one, "submit", {"text": "quick"})
        assert (told["status"], "quick" in told["output"]) == ("success", True)


async def test_the_end_of_a_run_stops_a_step_that_asks() -> None:
    async with a_world() as world:
        slow = tool_step("slow", "hold")
        back = {"name": "back", "action": {"return": True}, "input": 1, "dependsOn": ["slow"]}
        run = await world.start(tool_step("q", "ask_user", question="?"), slow, back)
        await world.heard(InterruptionRaised)
        world.tools.release.set()
        told = await world.settled(run.id)
        assert (told["status"], told["output"]) == ("success", 1)
        assert told["interruptions"][0]["status"] == "cancelled"
        assert await world.storage.interruptions.open() == []


async def test_a_cancelled_run_asks_nothing_any_more() -> None:
    async with a_world() as world:
        run, _ = await waiting(world, agent("a", "ask One?"), tool_step("q", "ask_user", question="Two?"))
        told = await world.core.engine.cancel(run.id)
        assert told.status == "cancelled"
        assert await world.storage.interruptions.open() == []


async def test_what_was_asked_in_a_call_that_has_failed_is_taken_back_and_its_run_is_at_work_again() -> None:
    async def ask_and_fail(_arguments: Any, context: CallContext) -> Any:
        """As a server that ends in the middle of a call, whatever it asked."""
        assert context.ask is not None
        inner = CallId(f"{context.call_id} asks 1")
        question = InterruptionRequest(
            InterruptionKind.QUESTION, context.step, prompt="Which?", tool="server", call_id=inner
        )
        asking = asyncio.ensure_future(context.ask(question))
        await gone.wait()
        asking.cancel()
        raise ToolFailed("failed", "the server ended")

    gone = asyncio.Event()
    server = Tool(ToolInfo("server", "server", "server", {"type": "object"}), server=ask_and_fail, timeout_s=60)
    async with a_world(more_tools=[server]) as world:
        failing = {**tool_step("fails", "server"), "config": {"onError": "continue"}}
        run, (one,) = await waiting(world, failing, tool_step("held", "hold", "fails"))
        gone.set()
        async with asyncio.timeout(5):
            while not world.tools.in_flight:  # noqa: ASYNC110  # what it looks at has no event to wait for
                await asyncio.sleep(0.001)
        told = await world.describe(run.id)
        assert told["status"] == "running"
        assert [(asked["id"], asked["status"]) for asked in told["interruptions"]] == [(one["id"], "cancelled")]
        with pytest.raises(Refused) as refused:
            await answer(world, run, one, "submit", {"text": "red"})
        assert refused.value.code == "already_answered"
        world.tools.release.set()
        assert (await world.settled(run.id))["status"] == "success"
