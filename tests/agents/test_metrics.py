"""The metrics of a run, and where it failed (ENGINE §13)."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.model import ModelChoice
from core.domain.run import Run
from core.domain.tool import ToolInfo
from core.ports import CallContext
from core.services.outcome import Ok
from core.tools.registry import Tool
from tests.support.clock import FakeClock
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Provider, Reply, call_piece, chunk, fails, provider, sse
from tests.support.strict_provider import Strict, StrictInTurn
from tests.support.world import World, a_step, a_world, tool_step


def spend_tool(clock: FakeClock) -> Tool:
    """Build the tool `spend`, which takes that many milliseconds of the clock."""

    async def spend(arguments: Mapping[str, Any], context: CallContext) -> Any:
        clock.advance(arguments["ms"] / 1000)
        if "fails" in arguments:
            raise ValueError("as it was told")
        return arguments["ms"]

    return Tool(ToolInfo("spend", "Spend", "Spends time.", {"type": "object"}), server=spend)


def answers(*made: tuple[str, Mapping[str, Any]], usage: tuple[int, int], text: str = "") -> Reply:
    """Build an answer with calls of these tools, or with a text, and its usage."""
    entries = [call_piece(at, f"c{at}", name, dict(given)) for at, (name, given) in enumerate(made)]
    used = {"choices": [], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}}
    return Reply(sse(chunk(content=text, tool_calls=entries), chunk(finish="stop"), used))


ROUNDS = (
    answers(("spend", {"ms": 120}), ("spend", {"ms": 30}), usage=(101, 21)),
    answers(("echo", {"n": 1}), ("echo", {"n": 2}), ("echo", {"n": 3}), usage=(203, 31)),
    answers(("nothing", {}), usage=(307, 41)),
    answers(("spend", {"ms": 50, "fails": True}), usage=(401, 51)),
    answers(text="Done.", usage=(503, 61)),
)
WANTED = {
    "tool_call_count": 7,
    "tool_execution_time_ms": 200,
    "total_rounds": 4,
    "input_tokens": 1515,
    "output_tokens": 205,
    "cost": 0.000350,  # 1515 · 0.15 + 205 · 0.6 millionths
}


def priced(server: Provider) -> ModelChoice:
    return ModelChoice(base_url=server.url, model="m", price_in=0.15, price_out=0.6)


def numbers(told: Any) -> Any:
    return {name: value for name, value in told["metrics"].items() if name in WANTED}


async def go(world: World, server: Provider) -> Run:
    sent = await world.core.chat.send("go", model=priced(server))
    assert isinstance(sent, Ok), sent
    return sent.data


async def test_four_rounds_and_seven_calls() -> None:
    clock, storage = FakeClock(is_sleep_real=True), InMemoryStorage()
    with provider(Strict("go", ROUNDS)) as server:
        async with a_world(storage, [spend_tool(clock)], clock) as world:
            run = await go(world, server)
            told = await world.settled(run.id)
    assert (told["status"], numbers(told)) == ("success", WANTED)
    assert [call["duration_ms"] for call in told["tool_calls"]] == [120, 30, 0, 0, 0, 0, 50]
    async with a_world(storage) as world:
        assert (await world.describe(run.id))["metrics"] == told["metrics"]


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
async def test_a_kill_between_rounds_counts_nothing_twice(rounds: int) -> None:
    clock, storage, copies = FakeClock(is_sleep_real=True), InMemoryStorage(), list[InMemoryStorage]()

    def dying(strict: Strict) -> Any:
        def answer(asked: Any) -> Reply:
            if len(server.posts) == rounds + 1 and not copies:
                copies.append(storage.copy())
            return strict(asked)

        return answer

    with provider(dying(Strict("go", ROUNDS))) as server:
        async with a_world(storage, [spend_tool(clock)], clock) as world:
            run = await go(world, server)
            await world.settled(run.id)
        async with a_world(copies[0], [spend_tool(clock)], clock) as world:
            await world.core.runs.recover()
            told = await world.settled(run.id)
    assert (told["status"], numbers(told)) == ("success", WANTED)


SPEND = ("spend", {"ms": 1})


@pytest.mark.parametrize(
    ("replies", "code", "during", "tool"),
    [
        ((fails(403, "no"),), "provider_error", "model", None),
        ((Reply(sse(chunk(content="so"), done=False)),), "truncated", "model", None),
        ((answers(SPEND, usage=(1, 1)),) * 4, "repeated_call", "tool_execution", "spend"),
        ((answers(*[SPEND] * 21, usage=(1, 1)),), "too_many_calls", "tool_execution", None),
        (
            tuple(answers(("spend", {"ms": n}), usage=(1, 1)) for n in range(11)),
            "round_limit",
            "tool_execution",
            None,
        ),
    ],
)
async def test_a_turn_that_fails_says_where(
    replies: tuple[Reply, ...], code: str, during: str, tool: str | None
) -> None:
    clock = FakeClock(is_sleep_real=True)
    with provider(StrictInTurn(*replies)) as server:
        async with a_world(None, [spend_tool(clock)], clock) as world:
            told = await world.settled((await go(world, server)).id)
    error = told["error"]
    assert (error["code"], error["failed_during"], error.get("tool_name")) == (code, during, tool)
    assert (error["failed_step"], told["status"]) == ("answer", "error")


THROWS = {"code": "export default () => { throw new Error('x') }"}
HANGS = {"agent": {"prompt": "/tool hang {}"}}


@pytest.mark.parametrize(
    ("step", "code", "during", "tool"),
    [
        (tool_step("s", "fail"), "failed", "tool_execution", "fail"),
        (tool_step("s", "nothing"), "not_registered", "tool_execution", "nothing"),
        (
            {**tool_step("s", "hang"), "config": {"timeoutMs": 100, "onUnknown": "fail"}},
            "outcome_unknown",
            "tool_execution",
            "hang",
        ),
        ({"name": "s", "action": THROWS}, "code_error", "code", None),
        (a_step("s", input="@input.missing.deeper"), "unresolved_ref", "engine", None),
        ({"name": "s", "action": HANGS, "config": {"timeoutMs": 200}}, "timeout", "engine", None),
    ],
)
async def test_a_step_that_fails_says_where(step: Any, code: str, during: str, tool: str | None) -> None:
    async with a_world() as world:
        told = await world.run(step)
    error = told["error"]
    assert (error["code"], error["failed_during"], error.get("tool_name")) == (code, during, tool)
    assert error["failed_step"] == "s"


async def test_a_run_that_cannot_be_read_failed_in_the_store() -> None:
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        run = await world.start(tool_step("s", "hang"))
        await asyncio.sleep(0.05)
    storage.spoil("events", run.id)
    async with a_world(storage) as world:
        await world.core.runs.recover()
        told = await world.settled(run.id)
    assert (told["error"]["code"], told["error"]["failed_during"]) == ("unreadable", "storage")
