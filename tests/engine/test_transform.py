"""`transformCode`: code on what a tool gave, which is kept first, so that no call is made again (ENGINE §2, §7)."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.events import RawResultSaved, StepFinished, StepRetry, ToolEnded, ToolStarted
from core.domain.fold import replay
from core.domain.run import Run, StepKey, StepStatus
from core.domain.tool import Category, ToolInfo
from core.ports import CallContext
from core.tools.registry import Tool
from tests.engine.test_recovery import recovered
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_results
from tests.support.world import World, a_step, a_world, tool_step

DOUBLE = "export default (raw: { text: string }): string => raw.text + raw.text"
NOPE = "export default (raw) => { throw new TypeError('no ' + raw.text) }"
ENDLESS = "export default () => { for (;;) {} }"


def transformed(name: str, tool: str, code: str, *after: str, config: Any = None, **fields: Any) -> dict[str, Any]:
    step = tool_step(name, tool, *after, **fields)
    return {**step, "action": {"toolName": tool, "transformCode": code}, "config": config or {}}


def kinds(world: World) -> list[type]:
    wanted = (ToolStarted, ToolEnded, RawResultSaved, StepFinished)
    return [type(event.fact) for event in world.events if isinstance(event.fact, wanted)]


async def crashed_in_transform(step: dict[str, Any], **options: Any) -> tuple[InMemoryStorage, Run]:
    """The store of a process that died once the raw result was on disk, in the middle of the transform."""
    async with a_world() as world:
        run = await world.start(step, **options)
        await world.heard(RawResultSaved)
        assert isinstance(world.storage, InMemoryStorage)
        copy = world.storage.copy()
        await world.core.engine.cancel(run.id)
    return copy, run


async def test_the_output_is_what_the_transform_makes_of_the_result() -> None:
    async with a_world() as world:
        told = await world.run(transformed("n", "note", DOUBLE, text="ab"), a_step("z", input="@n"))
        assert told["output"] == "abab"
        assert (told["steps"]["n"]["raw"], told["steps"]["n"]["output"]) == ({"text": "ab"}, "abab")
        assert "raw" not in told["steps"]["z"]
        assert kinds(world)[:4] == [ToolStarted, ToolEnded, RawResultSaved, StepFinished]


async def test_the_raw_result_is_on_disk_before_the_transform_begins() -> None:
    storage, run = await crashed_in_transform(transformed("n", "note", ENDLESS, text="ab"))
    rows = {row.key: row for row in await stored_results(storage, run.id)}
    assert rows[StepKey("n").of_raw].output_json == '{"text":"ab"}'
    assert rows[StepKey("n")].status is StepStatus.RUNNING


@pytest.mark.parametrize("tool", ["note", "echo"], ids=["once", "read-only"])
async def test_retries_run_the_transform_alone(tool: str) -> None:
    async with a_world() as world:
        step = transformed("n", tool, NOPE, text="ab", config={"maxAttempts": 2, "backoffMs": 100})
        told = await world.run(step)
        assert len(world.tools.notes) + len(world.tools.echoes) == 1
        assert (told["status"], told["steps"]["n"]["attempts"]) == ("error", 2)
        error = told["steps"]["n"]["error"]
        assert error["message"] == "transformCode: TypeError: no ab"
        assert (error["code"], error["failed_during"], error["line"]) == ("code_error", "code", 1)
        assert told["steps"]["n"]["raw"] == {"text": "ab"}
        assert [call["status"] for call in told["tool_calls"]] == ["completed"]


async def test_a_failed_call_has_no_raw_result_and_is_made_again() -> None:
    async with a_world() as world:
        told = await world.run(transformed("f", "fail", DOUBLE, config={"maxAttempts": 2, "backoffMs": 100}))
        assert (told["steps"]["f"]["attempts"], len(told["tool_calls"])) == (2, 2)
        assert "raw" not in told["steps"]["f"]
        assert told["error"]["failed_during"] == "tool_execution"


@pytest.mark.parametrize("tool", ["note", "mark", "echo"], ids=["once", "idempotent", "read-only"])
async def test_after_a_crash_in_the_transform_it_is_run_again_and_not_the_call(tool: str) -> None:
    step = transformed("n", tool, ENDLESS, text="ab", config={"timeoutMs": 300})
    storage, run = await crashed_in_transform(step)
    world, told = await recovered(storage, run.id)
    assert (world.tools.notes, world.tools.echoes) == ([], [])
    assert (told["status"], told["error"]["code"]) == ("error", "timeout")  # and the user is not asked for the outcome
    assert (told["interruptions"], told["steps"]["n"]["raw"]) == ([], {"text": "ab"})


async def test_after_a_crash_between_two_attempts_the_transform_alone_is_left() -> None:
    async with a_world() as world:
        step = transformed("n", "note", NOPE, text="ab", config={"maxAttempts": 2, "backoffMs": 60_000})
        run = await world.start(step)
        await world.heard(RawResultSaved)
        await world.heard(StepRetry)
        await asyncio.sleep(0.2)  # its row goes to the disk with the next group
        assert isinstance(world.storage, InMemoryStorage)
        copy = world.storage.copy()
        await world.core.engine.cancel(run.id)
    again, told = await recovered(copy, run.id)
    assert again.tools.notes == []
    assert (told["status"], told["steps"]["n"]["attempts"]) == ("error", 2)


async def test_each_iteration_keeps_its_raw_result() -> None:
    code = "export default (raw) => { if (raw.text === 2) throw new Error('two'); return raw.text * 10 }"
    async with a_world() as world:
        each = transformed("each", "note", code, text="@item", config={"maxAttempts": 2, "backoffMs": 100})
        told = await world.run({**each, "forEach": {"ref": "@input.list", "concurrency": 2}}, given={"list": [1, 2, 3]})
        assert told["output"] == [10, None, 30]
        assert sorted(world.tools.notes) == [1, 2, 3]
        raws = [event.fact for event in world.events if isinstance(event.fact, RawResultSaved)]
        assert {(raw.index, raw.raw["text"]) for raw in raws} == {(0, 1), (1, 2), (2, 3)}
        assert told["steps"]["each"]["errors"][0]["index"] == 1


async def test_the_output_schema_is_for_what_the_transform_gives() -> None:
    async with a_world() as world:
        step = transformed("n", "note", DOUBLE, text="ab") | {"outputSchema": {"type": "string"}}
        assert (await world.run(step))["output"] == "abab"
        told = await world.run(step | {"outputSchema": {"type": "object"}}, title="Other")
        assert told["error"]["code"] == "bad_output"
        assert len(world.tools.notes) == 2


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (ENDLESS, "timeout"),
        ("export default () => 'x'.repeat(2e6)", "output_too_large"),
        ("export default () => 1n", "not_json"),
        ("export default 5", "no_default_export"),
        ("export default () => { const a = []; for (;;) a.push({}) }", "out_of_memory"),
    ],
)
async def test_a_transform_fails_as_a_code_step_does(code: str, fault: str) -> None:
    async with a_world() as world:
        limit = {"timeoutMs": 300} if fault == "timeout" else {}
        told = await world.run(transformed("n", "note", code, text="ab", config=limit))
        assert told["error"]["code"] == fault
        assert world.tools.notes == ["ab"]


async def test_on_error_continue_goes_on_without_the_output() -> None:
    async with a_world() as world:
        step = transformed("n", "note", NOPE, text="ab", config={"onError": "continue"})
        told = await world.run(step, a_step("z", input=["@n"]))
        assert (told["status"], told["output"]) == ("success", [None])


async def test_a_fork_takes_the_raw_result_over_with_the_output() -> None:
    async with a_world() as world:
        told = await world.run(transformed("n", "note", DOUBLE, text="ab"), a_step("z", "n", input="@n"))
        fork = await world.core.engine.fork(told["run_id"], "z")
        again = await world.settled(fork.id)
        assert (again["output"], again["steps"]["n"]["raw"]) == ("abab", {"text": "ab"})
        assert world.tools.notes == ["ab"]


async def test_who_watched_saw_what_is_read_later() -> None:
    async with a_world() as world:
        told = await world.run(transformed("n", "note", NOPE, text="ab"))
        stored = await world.storage.events.of_run(told["run_id"])
        assert [event for event in world.events if event.fact.stored] == stored
        rebuilt = replay(stored)
        assert rebuilt is not None
        assert rebuilt.steps["n"].raw == {"text": "ab"}


async def test_cancelling_ends_a_transform_within_a_second() -> None:
    async with a_world() as world:
        run = await world.start(transformed("n", "note", ENDLESS, text="ab"))
        await world.heard(RawResultSaved)
        async with asyncio.timeout(1):
            await world.core.engine.cancel(run.id)
            told = await world.settled(run.id)
        assert (told["status"], told["steps"]["n"]["status"]) == ("cancelled", "cancelled")


async def test_refs_reach_into_what_a_tool_gives_as_structure() -> None:
    """As MCP servers do: whatever JSON a handler returns is the output, and has the schema that the tool says."""
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "object"}}}}
    info = ToolInfo("mcp__db__query", "query", "query", {"type": "object"}, schema, category=Category.MCP)

    async def query(arguments: Mapping[str, Any], context: CallContext) -> Any:
        return {"rows": arguments["rows"], "next page": None}

    steps = [
        tool_step("q", info.name, rows="@input.rows"),
        {**tool_step("each", "echo", text="@item.name"), "forEach": {"ref": "@q.rows"}},
        a_step("z", "each", input=["@q.rows[1].name", '@q["next page"]', "@each[0].text"]),
    ]
    async with a_world(more_tools=[Tool(info, server=query, timeout_s=5)]) as world:
        told = await world.run(*steps, given={"rows": [{"name": "Ann"}, {"name": "Bo"}]})
        assert told["output"] == ["Bo", None, "Ann"]
        told = await world.run(*steps, given={"rows": ["Ann"]})
        assert told["steps"]["q"]["output"]["rows"] == ["Ann"]  # a server that breaks its promise has done its work
        assert told["error"]["code"] == "unresolved_ref"


async def test_the_user_who_knows_the_result_gives_what_the_tool_gave() -> None:
    async with a_world() as world:
        step = transformed("h", "hang", DOUBLE, text="ab", config={"timeoutMs": 100}) | {
            "outputSchema": {"type": "string"}
        }
        run = await world.start(step)
        (asked,) = (await world.settled(run.id))["interruptions"]
        assert (asked["kind"], asked["schema"]) == ("outcome", None)
        told = await world.answer(run, "submit", {"text": "cd"})
        assert (told["output"], told["steps"]["h"]["raw"]) == ("cdcd", {"text": "cd"})
        assert world.tools.notes == ["ab"]


async def test_what_sub_agents_report_is_transformed_and_a_retry_begins_none_again() -> None:
    async with a_world() as world:
        good = "export default (raw) => `${raw.status}: ${raw.text}`"
        told = await world.run(transformed("n", "spawn_agent", good, prompt="say 2 words"))
        assert told["output"] == "completed: a workflow"
        config = {"maxAttempts": 2, "backoffMs": 100}
        told = await world.run(transformed("n", "spawn_agent", NOPE, prompt="say 2 words", config=config))
        assert (told["status"], told["steps"]["n"]["attempts"], len(told["sub_agents"])) == ("error", 2, 1)
        assert told["steps"]["n"]["error"]["message"] == "transformCode: TypeError: no a workflow"
