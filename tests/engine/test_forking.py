"""Running again from a step (ENGINE §8)."""

from typing import Any

import pytest

from core.errors import NotFound, Refused
from tests.support.world import World, a_step, a_world, tool_step


async def forked(world: World, told: Any, step: str, given: Any = None) -> Any:
    run = await world.core.engine.fork(told["run_id"], step, given)
    return await world.settled(run.id)


async def test_what_does_not_depend_on_the_step_is_taken_over() -> None:
    async with a_world() as world:
        steps = [
            tool_step("a", "note", text="a"),
            tool_step("b", "note", "a", text="b"),
            tool_step("c", "note", "b", text="@input.what"),
            tool_step("other", "note", text="other"),
        ]
        told = await world.run(*steps, given={"what": "first"})
        world.tools.notes.clear()
        again = await forked(world, told, "b", {"what": "second"})
        assert again["status"] == "success"
        assert world.tools.notes == ["b", "second"]
        assert again["run_id"] != told["run_id"]
        assert again["workflow_id"] != told["workflow_id"]
        assert again["steps"]["a"] == {**told["steps"]["a"], "started_at": None, "attempts": 0} | {
            "finished_at": again["steps"]["a"]["finished_at"]
        }
        assert again["output"]["other"] == {"text": "other"}


async def test_a_failed_run_goes_on_behind_what_had_worked() -> None:
    async with a_world() as world:
        told = await world.run(tool_step("n", "note", text=1), tool_step("f", "fail", "n"))
        assert told["status"] == "error"
        again = await forked(world, told, "f")
        assert (again["status"], world.tools.notes) == ("error", [1])


async def test_iterations_and_skipped_steps_are_taken_over_too() -> None:
    async with a_world() as world:
        each = {**tool_step("each", "note", text="@item"), "forEach": {"ref": "@input.items"}}
        skipped = {**tool_step("never", "note", text="never"), "when": {"ref": "@input.no"}}
        given = {"items": [1, 2], "no": False}
        told = await world.run(each, skipped, {**a_step("z", "never"), "input": "@each"}, given=given)
        world.tools.notes.clear()
        again = await forked(world, told, "z")
        assert (again["output"], world.tools.notes) == ([{"text": 1}, {"text": 2}], [])
        assert again["steps"]["never"]["skipped"]


async def test_a_waiting_run_can_be_forked_and_waits_on() -> None:
    async with a_world() as world:
        gate = {**tool_step("g", "note", "s", text="@s"), "interrupt": {"kind": "approval"}}
        run = await world.start({**a_step("s"), "input": "@input.v"}, gate, given={"v": 1})
        told = await world.settled(run.id)
        again = await world.core.engine.fork(run.id, "s", {"v": 2})
        assert (await world.settled(again.id))["status"] == "waiting"
        await world.answer(again, "approve")
        assert world.tools.notes == [2]
        assert (await world.describe(told["run_id"]))["status"] == "waiting"
        await world.answer(run, "approve")
        assert world.tools.notes == [2, 1]


async def test_a_return_does_not_end_the_new_run() -> None:
    async with a_world() as world:
        back = {"name": "back", "action": {"return": True}, "input": "@input.v", "dependsOn": ["n"]}
        told = await world.run(tool_step("n", "note", text=1), back, given={"v": 1})
        again = await forked(world, told, "back", {"v": 2})
        assert (again["output"], world.tools.notes) == (2, [1])


async def test_what_cannot_be_forked_is_refused() -> None:
    async with a_world() as world:
        run = await world.start(tool_step("h", "hold"))
        with pytest.raises(Refused, match=r"running|enqueued"):
            await world.core.engine.fork(run.id, "h")
        world.tools.release.set()
        await world.settled(run.id)
        with pytest.raises(NotFound):
            await world.core.engine.fork(run.id, "nobody")
