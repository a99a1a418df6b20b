"""Results with an error code, each through the real loop and the real registry (AGENTS_AND_TOOLS §3, §4)."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.model import ModelChoice
from core.domain.tool import Runtime, ToolInfo
from core.ports import CallContext
from core.services.outcome import Ok
from core.tools.registry import Handler, Tool
from tests.support.clock import FakeClock
from tests.support.progress import stored_calls
from tests.support.provider import calls, provider, says
from tests.support.strict_provider import Strict
from tests.support.virtual_loop import run_virtual
from tests.support.world import World, a_world


def saying(text: str) -> Handler:
    async def say(arguments: Mapping[str, Any], context: CallContext) -> Any:
        return text

    return say


async def hang(arguments: Mapping[str, Any], context: CallContext) -> Any:
    await asyncio.get_running_loop().create_future()


def tool(name: str, runtime: Runtime = Runtime.HYBRID, schema: Any = None, **handlers: Any) -> Tool:
    return Tool(ToolInfo(name, name, name, schema or {"type": "object"}, runtime=runtime), **handlers)


async def made(world: World, name: str, arguments: Any = None, *, is_viewed: bool = False) -> Any:
    """Find the only call of a chat, and the result that its model received."""
    script: list[dict[str, Any]] = [{"call": name, "arguments": arguments or {}}, {"say": "Done."}]
    sent = await world.core.chat.send("go", script=script)
    assert isinstance(sent, Ok), sent
    if is_viewed:
        world.core.stores.background.set_viewed(sent.data.workflow_id)
    told = await world.settled(sent.data.id)
    assert (told["status"], told["output"]) == ("success", "Done."), told["error"]
    (call,) = told["tool_calls"]
    return call


async def value(world: World, name: str, *, is_viewed: bool = False) -> Any:
    """Call the tool for its value."""
    call = await made(world, name, is_viewed=is_viewed)
    assert call["status"] == "completed", call
    (run,) = await world.storage.runs.page()
    (row,) = await stored_calls(world.storage, run.id)
    return json.loads(row.result_json or "null")


# Too long, and too slow


async def test_only_the_models_copy_of_a_large_round_is_cut_the_largest_first_and_marked() -> None:
    sizes = (1_000, 40_000, 20_000)
    rounds = (calls(*((f"c{n}", f"say{size}", {}) for n, size in enumerate(sizes))), says("Done."))
    tools = [tool(f"say{size}", server=saying("x" * (size - 2)), read_only=True) for size in sizes]
    with provider(Strict("go", rounds)) as server:
        async with a_world(None, tools) as world:
            sent = await world.core.chat.send("go", model=ModelChoice(base_url=server.url, model="m"))
            assert isinstance(sent, Ok)
            assert (await world.settled(sent.data.id))["status"] == "success"
            rows = await stored_calls(world.storage, sent.data.id)
    told = [message["content"] for message in server.posts[1].messages if message["role"] == "tool"]
    small, large, middle = told
    assert (len(small), len(middle)) == (1_000, 20_000)
    assert large.endswith("[cut here: 40,000 bytes in all]")
    assert 49_900 < sum(map(len, told)) <= 50_000
    assert sorted(len(row.result_json or "") for row in rows) == sorted(sizes)


async def test_results_of_any_size_and_script_leave_the_conversation_small_and_valid() -> None:
    texts = {"huge": "x" * 2_000_000, "faces": "😀" * 15_000, "third": "z" * 30_000}
    rounds = (
        calls(("a", "huge", {})),
        calls(("a", "faces", {})),
        calls(*((f"c{n}", "third", {}) for n in range(3))),
        says("Done."),
    )
    strict = Strict("go", rounds)
    with provider(strict) as server:
        async with a_world(
            None, [tool(name, server=saying(text), read_only=True) for name, text in texts.items()]
        ) as world:
            model = ModelChoice(base_url=server.url, model="m", context_tokens=200_000)
            sent = await world.core.chat.send("go", model=model)
            assert isinstance(sent, Ok)
            assert (await world.settled(sent.data.id))["status"] == "success"
            again = await world.core.chat.send("more", sent.data.workflow_id)
            assert isinstance(again, Ok)
            assert (await world.settled(again.data.id))["output"] == "More."
            rows = await stored_calls(world.storage, sent.data.id)
    assert strict.refused == []
    first, second = server.posts[3].messages, server.posts[4].messages
    assert second[: len(first)] == first
    huge, faces, *thirds = [message["content"] for message in first if message["role"] == "tool"]
    assert [len(text.encode()) <= 50_000 for text in (huge, faces, "".join(thirds))] == [True] * 3
    assert faces.partition("\n")[0] == '"' + "😀" * (len(faces.partition("\n")[0]) - 1)
    assert [text.rpartition("\n")[2] for text in (huge, faces, *thirds)] == [
        f"[cut here: {size:,} bytes in all]" for size in (2_000_002, 60_002, 30_002, 30_002, 30_002)
    ]
    assert [json.loads(row.result_json or "") for row in rows] == [texts[row.tool] for row in rows]


@pytest.mark.parametrize(("read_only", "told"), [(True, False), (False, True)])
def test_a_call_has_ten_seconds_unless_its_tool_says_otherwise(read_only: bool, told: bool) -> None:
    async def story() -> None:
        loop = asyncio.get_running_loop()
        clock = FakeClock(loop=loop)
        async with a_world(clock=clock, more_tools=[tool("slow", server=hang, read_only=read_only)]) as world:
            call = await made(world, "slow")
            assert (call["status"], call["error"]["code"], call["duration_ms"]) == ("error", "timeout", 10_000)
            assert ("may have happened" in call["error"]["message"]) is told

    run_virtual(story())


# Where a tool runs


async def test_a_client_tool_is_skipped_in_the_background_and_runs_in_the_foreground() -> None:
    show = tool("show", Runtime.CLIENT, client=saying("shown"))
    async with a_world(more_tools=[show]) as world:
        call = await made(world, "show")
        assert (call["status"], call["error"]["code"]) == ("skipped", "not_available")
        assert call["error"]["message"] == "Tool not available in background mode"
    async with a_world(more_tools=[show]) as world:
        assert await value(world, "show", is_viewed=True) == "shown"


@pytest.mark.parametrize("is_viewed", [False, True])
async def test_a_hybrid_tool_has_a_handler_for_each_place_or_one_for_both(is_viewed: bool) -> None:
    place = "client" if is_viewed else "server"
    of_both: dict[str, Any] = {"client": saying("client"), "server": saying("server")}
    of_one = [({name: handler}, name) for name, handler in of_both.items()]
    for handlers, wanted in ((of_both, place), *of_one):
        async with a_world(more_tools=[tool("both", **handlers)]) as world:
            assert await value(world, "both", is_viewed=is_viewed) == wanted


@pytest.mark.parametrize("is_viewed", [False, True])
async def test_a_server_tool_runs_with_and_without_a_window(is_viewed: bool) -> None:
    work = tool("work", Runtime.SERVER, server=saying("done"), client=saying("never"))
    async with a_world(more_tools=[work]) as world:
        assert await value(world, "work", is_viewed=is_viewed) == "done"


# What it is given


async def test_an_unregistered_tool_is_a_result() -> None:
    async with a_world() as world:
        call = await made(world, "nothing")
    assert (call["status"], call["error"]["code"]) == ("error", "not_registered")


SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "unit": {"enum": ["m", "km"]}, "names": {"items": {"type": "string"}}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "path", "expected"),
    [
        ({"n": "seven"}, "/n", "whole number"),
        ({"n": True}, "/n", "whole number"),
        ({"n": 1.5}, "/n", "whole number"),
        ({"n": None}, "/n", "whole number"),
        ({"n": 1, "unit": "mile"}, "/unit", "km"),
        ({"n": 1, "unit": None}, "/unit", "km"),
        ({"n": 1, "names": ["a", 2]}, "/names/1", "text"),
        ({"unit": "m"}, "", "n"),
        ({"n": 1, "more": 2}, "", "more"),
    ],
)
async def test_wrong_arguments_are_reported_with_path_and_expectation(arguments: Any, path: str, expected: str) -> None:
    async with a_world(more_tools=[tool("go", schema=SCHEMA, server=saying("never"))]) as world:
        call = await made(world, "go", arguments)
    assert (call["status"], call["error"]["code"]) == ("error", "invalid_arguments")
    assert any(
        violation["path"] == path and expected in violation["message"] for violation in call["error"]["violations"]
    ), call
