"""Steps that run other templates (ENGINE §12)."""

import asyncio
from typing import Any

from core.domain.ids import TemplateId, new_id
from core.domain.run import RunStatus
from core.domain.text.json_text import encode
from core.ports import Put, StoredTemplate
from core.threads.system_clock import SystemClock
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import World, a_step, a_world, tool_step


async def store(world: World, title: str, *steps: dict[str, Any], **fields: Any) -> TemplateId:
    template_id = TemplateId(new_id("tpl"))
    text = encode({**template(*steps, **fields), "title": title})
    stored = StoredTemplate(template_id, 1, title, text, SystemClock().now())
    await world.storage.commit([Put(stored)])
    return template_id


def calls(name: str, title: str, *after: str, **given: Any) -> dict[str, Any]:
    return {"name": name, "action": {"workflow": {"title": title}}, "input": given, "dependsOn": list(after)}


async def test_a_childs_output_is_the_steps() -> None:
    async with a_world() as world:
        await store(world, "Double", {**a_step("d"), "input": {"twice": ["@input.n", "@input.n"]}})
        told = await world.run(calls("c", "double", n=4), {**a_step("z"), "input": "@c.twice"})
        assert (told["status"], told["output"]) == ("success", [4, 4])
        child = await world.storage.runs.get(told["steps"]["c"]["child_run_id"])
        assert child is not None
        assert (child.status, child.parent, child.root, child.depth) == (
            RunStatus.SUCCESS,
            told["run_id"],
            told["run_id"],
            1,
        )
        assert [run.id for run in await world.storage.runs.page()] == [told["run_id"]]
        assert [run.id for run in await world.storage.runs.children(told["run_id"])] == [child.id]
        assert len(await world.storage.messages.of_workflow(child.workflow_id)) == 1


async def test_a_failed_child_fails_its_step_with_its_error() -> None:
    async with a_world() as world:
        await store(world, "Fails", tool_step("f", "fail"))
        told = await world.run(calls("c", "Fails"))
        assert (told["error"]["code"], told["error"]["error"]["code"]) == ("child_failed", "failed")
        assert told["error"]["error"]["failed_step"] == "f"


async def test_a_child_that_is_not_there_and_an_input_that_misses_are_errors_of_the_step() -> None:
    async with a_world() as world:
        schema = {"type": "object", "required": ["n"]}
        await store(world, "Strict", a_step("d"), inputSchema=schema)
        assert (await world.run(calls("c", "Nobody")))["error"]["code"] == "not_found"
        assert (await world.run(calls("c", "Strict")))["error"]["code"] == "bad_input"


async def test_return_ends_the_child_alone() -> None:
    async with a_world() as world:
        back = {"name": "back", "action": {"return": True}, "input": "early"}
        await store(world, "Back", back, tool_step("late", "note", "back", text="never"))
        told = await world.run(calls("c", "Back"), a_step("z", "c"))
        assert (told["status"], told["steps"]["c"]["output"]) == ("success", "early")
        assert world.tools.notes == []


async def test_runs_that_start_themselves_end_at_the_limit() -> None:
    """agent-04."""
    async with a_world() as world:
        await world.core.settings.change(max_depth=5)
        await store(world, "Again", calls("c", "Again"))
        told = await world.run(calls("c", "Again"))
        assert told["status"] == "error"
        error = told["error"]
        while error["code"] == "child_failed":
            error = error["error"]
        assert error["code"] == "too_deep"


async def test_a_cancel_reaches_all_below() -> None:
    """Three deep (cancel-03)."""
    async with a_world() as world:
        slow = [tool_step(f"n{n}", "note", *([f"w{n}"]), text=n) for n in range(3)]
        waits = [tool_step(f"w{n}", "echo", *([f"n{n - 1}"] if n else []), seconds=0.2) for n in range(3)]
        await store(world, "Leaf", *waits, *slow)
        await store(world, "Middle", calls("c", "Leaf"))
        run = await world.start(calls("c", "Middle"))
        await asyncio.sleep(0.1)
        began = asyncio.get_running_loop().time()
        await world.core.engine.cancel(run.id)
        assert asyncio.get_running_loop().time() - began < 1
        await asyncio.sleep(0.5)
        assert len(world.tools.notes) <= 1
        (middle,) = await world.storage.runs.children(run.id)
        (leaf,) = await world.storage.runs.children(middle.id)
        assert [middle.status, leaf.status] == [RunStatus.CANCELLED, RunStatus.CANCELLED]
        assert not world.core.engine.is_at_work


async def test_a_child_that_waits_makes_its_parents_wait_and_is_answered_through_the_root() -> None:
    async with a_world() as world:
        gate = {**tool_step("g", "note", text="child"), "interrupt": {"kind": "approval"}}
        await store(world, "Asks", gate)
        await store(world, "Between", calls("c", "Asks"))
        run = await world.start(calls("c", "Between"), tool_step("n", "note", "c", text="parent"), timeoutMs=500)
        told = await world.settled(run.id)
        assert told["status"] == "waiting"
        (one,) = told["interruptions"]
        assert (one["step"], one["run_id"] != run.id) == ("g", True)
        await asyncio.sleep(0.6)  # no deadline runs down while the user is awaited
        told = await world.answer(run, "approve")
        assert told["status"] == "success", told["error"]
        assert world.tools.notes == ["child", "parent"]


async def test_a_parent_finds_its_child_again_after_a_crash() -> None:
    async with a_world() as world:
        await store(world, "Leaf", tool_step("n", "note", text=1), tool_step("h", "hold", "n"))
        run = await world.start(calls("c", "Leaf"))
        await asyncio.sleep(0.15)
        assert world.tools.notes == [1]
        assert isinstance(world.storage, InMemoryStorage)
        storage = world.storage.copy()
        world.tools.release.set()
        await world.settled(run.id)
    async with a_world(storage) as world:
        world.tools.release.set()
        assert await world.core.engine.recover() == [run.id]
        told = await world.settled(run.id)
        assert (told["status"], world.tools.notes) == ("success", [])
        assert len(await world.storage.runs.children(run.id)) == 1


async def test_a_child_of_a_waiting_run_can_be_answered_after_a_restart() -> None:
    async with a_world() as world:
        await store(world, "Asks", {**tool_step("g", "note", text="c"), "interrupt": {"kind": "approval"}})
        run = await world.start(calls("c", "Asks"))
        assert (await world.settled(run.id))["status"] == "waiting"
        storage = world.storage
    async with a_world(storage) as world:
        assert await world.core.engine.recover() == [run.id]
        assert (await world.settled(run.id))["status"] == "waiting"
        told = await world.answer(run, "approve")
        assert (told["status"], world.tools.notes) == ("success", ["c"])


def starts(template_id: str, *after: str, **more: Any) -> dict[str, Any]:
    return tool_step("s", "COLLECTION_WORKFLOW_EXECUTION_CREATE", *after, workflow_collection_id=template_id, **more)


async def test_a_tool_starts_a_run_and_does_not_wait_for_it() -> None:
    """It goes on after its parent's success."""
    async with a_world() as world:
        template_id = await store(world, "Slow", tool_step("h", "hold"))
        told = await world.run(starts(template_id))
        child = await world.storage.runs.get(told["output"]["run_id"])
        assert child is not None
        assert (told["status"], child.status, child.parent) == ("success", RunStatus.RUNNING, told["run_id"])
        world.tools.release.set()
        assert (await world.settled(child.id))["status"] == "success"


async def test_a_parent_that_fails_cancels_what_it_did_not_wait_for() -> None:
    async with a_world() as world:
        template_id = await store(world, "Slow", tool_step("h", "hold"))
        told = await world.run(starts(template_id), tool_step("f", "fail", "s", seconds=0.05))
        assert told["status"] == "error"
        assert (await world.settled(told["steps"]["s"]["output"]["run_id"]))["status"] == "cancelled"


async def test_a_tool_waits_for_its_run_if_it_is_asked_to() -> None:
    async with a_world() as world:
        template_id = await store(world, "Double", {**a_step("d"), "input": "@input.n"})
        told = await world.run(starts(template_id, input={"n": 2}, wait=True))
        assert (told["status"], told["output"]["output"]) == ("success", 2)
        failing = await store(world, "Fails", tool_step("f", "fail"))
        told = await world.run(starts(failing, wait=True))
        assert (told["error"]["code"], told["error"]["error"]["code"]) == ("child_failed", "failed")
        told = await world.run(starts("tpl_nobody"))
        assert told["error"]["code"] == "not_found"


async def test_a_tool_that_waits_for_a_run_that_waits_makes_its_own_run_wait() -> None:
    async with a_world() as world:
        asks = await store(world, "Asks", {**tool_step("g", "note", text="c"), "interrupt": {"kind": "approval"}})
        run = await world.start(starts(asks, wait=True), timeoutMs=400)
        assert (await world.settled(run.id))["status"] == "waiting"
        await asyncio.sleep(0.5)
        told = await world.answer(run, "approve")
        assert (told["status"], world.tools.notes) == ("success", ["c"])


async def test_deleting_a_workflow_ends_what_is_not_awaited_any_more() -> None:
    async with a_world() as world:
        slow = await store(world, "Slow", tool_step("h", "hold"), tool_step("n", "note", "h", text="late"))
        told = await world.run(starts(slow))
        await world.core.workflows.delete(told["workflow_id"])
        world.tools.release.set()
        await asyncio.sleep(0.1)
        assert world.tools.notes == []
        assert not world.core.engine.is_at_work
        assert await world.storage.runs.get(told["output"]["run_id"]) is None
