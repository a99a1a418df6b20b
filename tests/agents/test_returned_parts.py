"""Parts, items and blocks of answers go back as they came: through rounds, turns and restarts."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from core.domain.model import ModelChoice, WireFormatName
from core.llm.gemini.request import NO_SIGNATURE
from core.services.outcome import Ok
from tests.llm.provider.contract import anthropic_messages as blocks
from tests.llm.provider.contract import gemini, openai_responses
from tests.llm.provider.contract.cells import events, holds
from tests.llm.provider.contract.openai_responses import THOUGHT, called, event, response, said
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Asked, Reply, fails, provider
from tests.support.world import World, a_world

SIGNED = {
    "functionCall": {"name": "calculator", "args": {"expression": "19*23"}, "id": "gp737npz"},
    "thoughtSignature": "Es8CCswCAb4example",
}
ITEM = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "arguments": '{"expression":"19*23"}',
    "call_id": "call_1",
    "name": "calculator",
}
BLOCK = {"type": "thinking", "thinking": "Nineteen times twenty-three.", "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}
CACHED = {"input_tokens": 30, "cache_read_input_tokens": 60, "output_tokens": 5}
SUMMED = {"input_tokens": 90, "input_tokens_details": {"cached_tokens": 60}, "output_tokens": 5}
# The stream of a call, that of an answer, what goes back with the call, and what is wrong with a request.
FORMATS: dict[WireFormatName, tuple[bytes, bytes, list[Any], Callable[[Mapping[str, Any]], str | None]]] = {
    WireFormatName.GEMINI: (
        events(gemini.chunk(SIGNED, finish="STOP", prompt=90, cachedContent=60, candidates=5)),
        events(gemini.chunk({"text": "437."}, finish="STOP", prompt=90, cachedContent=60, candidates=5)),
        [SIGNED],
        gemini.problem_of,
    ),
    WireFormatName.OPENAI_RESPONSES: (
        events(
            event("output_item.done", output_index=0, item=THOUGHT),
            *called(ITEM, ITEM["arguments"], place=1),
            event("completed", response=response(usage=SUMMED)),
        ),
        events(*said("msg_1", "437."), event("completed", response=response(usage=SUMMED))),
        [THOUGHT, ITEM],
        openai_responses.problem_of,
    ),
    WireFormatName.ANTHROPIC_MESSAGES: (
        blocks.stream(
            blocks.start(**CACHED),
            {"type": "content_block_start", "index": 0, "content_block": BLOCK},
            blocks.end(0),
            blocks.call(1, "toolu_1", "calculator", '{"expression":"19*23"}'),
            blocks.stop("tool_use"),
        ),
        blocks.stream(blocks.start(**CACHED), blocks.text(0, "437."), blocks.stop("end_turn")),
        [BLOCK],
        blocks.problem_of,
    ),
}
SECRETS = {
    WireFormatName.GEMINI: "Es8CCswCAb4example",
    WireFormatName.OPENAI_RESPONSES: str(THOUGHT["encrypted_content"]),
    WireFormatName.ANTHROPIC_MESSAGES: BLOCK["signature"],
}


async def chat(
    world: World, url: str, name: WireFormatName, workflow_id: Any = None, model: str = "gemini-3-pro"
) -> Any:
    choice = ModelChoice(base_url=url, model=model, wire_format=name)
    sent = await world.core.chat.send("go", workflow_id, model=choice)
    assert isinstance(sent, Ok), sent
    return await world.settled(sent.data.id)


@pytest.mark.parametrize("name", FORMATS)
async def test_what_came_with_a_call_goes_back_with_it(name: WireFormatName) -> None:
    call, answer, parts, problem_of = FORMATS[name]

    def reply(asked: Asked) -> Reply:
        if problem := problem_of(asked.body):
            return fails(400, problem)
        last = str(next(asked.body[key] for key in ("contents", "input", "messages") if key in asked.body)[-1])
        has_result = any(word in last for word in ("functionResponse", "function_call_output", "tool_result"))
        return Reply(answer if has_result else call)

    storage = InMemoryStorage()
    with provider(reply) as server:
        async with a_world(storage) as world:
            told = await chat(world, server.url, name)
            assert (told["error"], told["output"]) == (None, "437.")
            metrics = told["metrics"]
            assert [metrics[f"{kind}_tokens"] for kind in ("input", "cached", "output")] == [180, 120, 10]
        async with a_world(storage) as world:  # after a restart, from the stored history
            again = await chat(world, server.url, name, told["workflow_id"])
            assert (again["error"], again["output"]) == (None, "437.")
            sent = server.posts[-1].text
            assert all(holds(server.posts[-1].body, part) for part in parts)
            other = await chat(world, server.url, name, told["workflow_id"], "gemini-3-flash")
            assert (other["error"], other["output"]) == (None, "437.")
        first = server.posts[4].text
    secret = SECRETS[name]
    assert (secret in sent, secret in first) == (True, False)
    assert (NO_SIGNATURE in first) is (name is WireFormatName.GEMINI)
