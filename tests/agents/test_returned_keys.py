"""What a server sends beside an answer goes back to it: through rounds, turns and restarts, and to no other model."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from core.domain.model import ModelChoice
from core.ports import CallDelta, CallRequest, ModelDelta, Replay, ReplayDelta, TextDelta
from core.services.outcome import Ok
from tests.agents.cast import Rehearsed, give
from tests.agents.world import World as Turns
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Asked, Reply, call_piece, chunk, fails, provider, says, sse
from tests.support.world import World, a_world

CALL = call_piece(0, "call_7", "calculator", '{"expression": "19*23"}')
CALLED = chunk(finish="tool_calls")
SIGNED = {"extra_content": {"google": {"thought_signature": "c2lnbmVk"}}}
THOUGHT = "Nineteen times twenty-three."
DETAILS = [
    {"type": "reasoning.text", "text": THOUGHT, "format": "anthropic-claude-v1", "index": 0, "signature": "c2ln"},
    {"type": "reasoning.encrypted", "data": "ZW5j", "id": "rs_1", "index": 1},
]

# Chunks of an answer with a call, and the keys that have to go back with the message and with the call.
ANSWERS: dict[str, tuple[tuple[Any, ...], Mapping[str, Any], Mapping[str, Any]]] = {
    # github.com/bytedance/deer-flow/issues/3043, github.com/charmbracelet/crush/issues/2696
    "reasoning_content": (
        (
            chunk(role="assistant", reasoning_content="Nineteen times "),
            chunk(reasoning_content="twenty-three."),
            chunk(tool_calls=[CALL]),
        ),
        {"reasoning_content": THOUGHT},
        {},
    ),
    # github.com/securo-finance/securo/issues/884, github.com/labring/aiproxy/issues/450
    "a signature of a call": ((chunk(tool_calls=[{**CALL, **SIGNED}]),), {}, SIGNED),
    # openrouter.ai/docs/guides/best-practices/reasoning-tokens
    "reasoning_details": (
        (
            chunk(reasoning="Nineteen ", reasoning_details=[{**DETAILS[0], "text": "Nineteen ", "signature": None}]),
            chunk(
                reasoning="times twenty-three.",
                reasoning_details=[{**DETAILS[0], "text": "times twenty-three."}, DETAILS[1]],
            ),
            chunk(tool_calls=[CALL], reasoning_details=[]),
        ),
        {"reasoning": THOUGHT, "reasoning_details": DETAILS},
        {},
    ),
    # Written by hand.
    "keys that nobody knows": (
        (
            chunk(tool_calls=[{**CALL, "function": {**CALL["function"], "note": {"a": [1]}}, "place": 3}], mood="calm"),
            chunk(tool_calls=[{"index": 0, "function": {"arguments": ""}, "provider_specific_fields": {"x": ""}}]),
        ),
        {"mood": "calm"},
        {"place": 3, "provider_specific_fields": {"x": ""}, "function": {"note": {"a": [1]}}},
    ),
    # docs.mistral.ai/capabilities/reasoning
    "thoughts in the content": (
        (
            chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Nineteen times "}]}]),
            chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "twenty-three."}]}]),
            chunk(tool_calls=[CALL]),
        ),
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}]},
        {},
    ),
    "nothing": ((chunk(content="Let me see.", reasoning_content=None, refusal=None), chunk(tool_calls=[CALL])), {}, {}),
}


def problem_of(message: Mapping[str, Any], keys: Mapping[str, Any], call_keys: Mapping[str, Any]) -> str | None:
    """Return what an answer with a call lacks, or has too much."""
    (call,) = message["tool_calls"]
    own = {key: value for key, value in message.items() if key not in ("role", "tool_calls")}
    own = {key: value for key, value in own.items() if key != "content" or isinstance(value, list)}
    beside = {key: value for key, value in call.items() if key not in ("id", "type", "function")}
    inner = {key: value for key, value in call["function"].items() if key not in ("name", "arguments")}
    beside |= {"function": inner} if inner else {}
    return None if (own, beside) == (keys, call_keys) else f"{own} {beside}"


def wants(name: str, *, last: str = "437.") -> Callable[[Asked], Reply]:
    """Build a server that calls a tool after each prompt, and refuses a call that comes back in another form."""
    answer, keys, call_keys = ANSWERS[name]

    def reply(asked: Asked) -> Reply:
        for message in asked.messages:
            if message.get("tool_calls") and (problem := problem_of(message, keys, call_keys)):
                return fails(400, f"not what was sent: {problem}")
        return says(last) if asked.messages[-1]["role"] == "tool" else Reply(sse(*answer, CALLED))

    return reply


async def chat(world: World, url: str, text: str, workflow_id: Any = None, model: str = "m") -> Any:
    sent = await world.core.chat.send(text, workflow_id, model=ModelChoice(base_url=url, model=model))
    assert isinstance(sent, Ok), sent
    return await world.settled(sent.data.id)


@pytest.mark.parametrize("name", ANSWERS)
async def test_what_came_beside_a_call_goes_back_with_it(name: str) -> None:
    storage = InMemoryStorage()
    with provider(wants(name)) as server:
        async with a_world(storage) as world:
            told = await chat(world, server.url, "go")
            assert (told["error"], told["output"]) == (None, "437.")
        async with a_world(storage) as world:  # after a restart, from the stored history
            again = await chat(world, server.url, "and again", told["workflow_id"])
            assert (again["error"], again["output"]) == (None, "437.")
            calls = [message for message in server.posts[-1].messages if message.get("tool_calls")]
            assert len(calls) == 2
            await chat(world, server.url, "and another", told["workflow_id"], "other")
        other = next(asked for asked in server.posts if asked.body["model"] == "other")
        returned = [message for message in other.messages if message.get("tool_calls")]
        assert [problem_of(message, {}, {}) for message in returned] == [None, None]


async def test_a_turn_goes_on_after_a_kill_with_what_came_beside_its_call() -> None:
    model = ModelChoice(base_url="http://127.0.0.1:1/v1", model="m")
    replay = Replay("chat_completions", model.origin, "m", {"message": {}, "calls": [SIGNED]})
    answer: list[ModelDelta] = [CallDelta(CallRequest("a", "pay", {"n": 1}, "{}")), ReplayDelta(replay)]
    world = Turns(model=Rehearsed(answer, [TextDelta("never")]))
    world.tools.add("pay", give)
    turn = world.turn("go")
    turn = replace(turn, snapshot=replace(turn.snapshot, model=model))
    task = await world.begin(turn, lambda: len(world.model.requests) == 2)
    world.log.kill()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    world = world.next_life(Rehearsed([TextDelta("437.")]))
    assert await world.run(replace(turn, is_fresh=False)) == "437."
    assert [message.replay for message in world.model.requests[0].messages if message.calls] == [replay]


async def test_a_thought_with_a_secret_is_not_stored_for_later() -> None:
    secret = "The password=hunter2hunter2, so: go."

    def reply(asked: Asked) -> Reply:
        if asked.messages[-1]["role"] == "tool":
            return says("437.")
        return Reply(sse(chunk(reasoning_content=secret), chunk(tool_calls=[CALL]), CALLED))

    storage = InMemoryStorage()
    with provider(reply) as server:
        async with a_world(storage) as world:
            told = await chat(world, server.url, "go")
        assert server.posts[1].messages[-2]["reasoning_content"] == secret
        async with a_world(storage) as world:
            await chat(world, server.url, "again", told["workflow_id"])
        assert "hunter2" not in server.posts[2].text
