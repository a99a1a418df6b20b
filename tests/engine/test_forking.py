"""Running again from a step (ENGINE §8)."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.events import RunFinished, StepFinished, ToolStarted
from core.domain.tool import ToolInfo
from core.errors import NotFound, Refused, StorageFailed
from core.ports import CallContext
from core.tools.registry import Tool
from tests.support.failing_storage import FailingMemory, Trouble
from tests.support.world import World, a_step, a_world, tool_step


async def _give_back(arguments: Mapping[str, Any], context: CallContext) -> Any:
    return arguments["n"]


NUMBER = Tool(
    ToolInfo("number", "number", "number", {"type": "object", "properties": {"n": {"type": "integer"}}}),
    server=_give_back,
    read_only=True,
)


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


def started(world: World, run_id: str) -> list[str]:
    """The steps of the run whose tools were called."""
    return [event.fact.step for event in world.events if event.run_id == run_id and isinstance(event.fact, ToolStarted)]


async def test_what_ended_after_its_run_is_taken_over() -> None:
    async with a_world() as world:
        told = await world.run(tool_step("late", "echo", seconds=0.01), tool_step("f", "fail"))
        assert told["steps"]["late"]["status"] == "completed"
        again = await forked(world, told, "f")
        assert again["steps"]["late"]["output"] == {"seconds": 0.01}
        assert started(world, again["run_id"]) == ["f"]


async def test_a_fork_waits_for_what_is_in_flight_at_the_end() -> None:
    async with a_world() as world:
        run = await world.start(tool_step("h", "hold"), tool_step("f", "fail"))
        await world.heard(RunFinished)
        forking = asyncio.create_task(world.core.engine.fork(run.id, "f"))
        await asyncio.sleep(0.01)
        assert not forking.done()
        world.tools.release.set()
        again = await world.settled((await forking).id)
        assert again["steps"]["h"]["status"] == "completed"
        assert started(world, again["run_id"]) == ["f"]


async def test_a_rejection_is_not_taken_over_whatever_on_error_says() -> None:
    async with a_world() as world:
        gate = {
            **tool_step("g", "note", text="g"),
            "interrupt": {"kind": "approval"},
            "config": {"onError": "continue"},
        }
        run = await world.start(tool_step("n", "note", text="n"), gate)
        await world.settled(run.id)
        assert (await world.answer(run, "reject"))["error"]["code"] == "rejected"
        again = await world.core.engine.fork(run.id, "n")
        assert (await world.settled(again.id))["status"] == "waiting"
        assert (await world.answer(again, "approve"))["status"] == "success"
        assert world.tools.notes == ["n", "n", "g"]


async def test_a_failure_that_a_run_goes_on_with_is_taken_over() -> None:
    async with a_world() as world:
        failing = {**tool_step("f", "fail"), "config": {"onError": "continue"}}
        told = await world.run(failing, a_step("z", "f", input="@f?"))
        again = await forked(world, told, "z")
        assert (again["status"], again["output"], started(world, again["run_id"])) == ("success", None, [])
        assert again["steps"]["f"]["error"] == told["steps"]["f"]["error"]


async def test_iterations_that_are_taken_over_are_counted() -> None:
    async with a_world(more_tools=[NUMBER]) as world:
        each = {**tool_step("each", "number", n="@item"), "forEach": {"ref": "@input.items"}}
        told = await world.run(each, a_step("z", "each"), given={"items": [1, "two", 3]})
        again = await forked(world, told, "z")
        assert again["steps"]["each"]["iterations"] == {"total": 3, "completed": 2, "failed": 1}
        assert again["steps"]["each"]["errors"] == told["steps"]["each"]["errors"]


async def test_of_a_list_that_was_not_finished_what_went_well_is_taken_over_and_counted() -> None:
    async with a_world(more_tools=[NUMBER]) as world:
        each = {**tool_step("each", "number", n="@item"), "forEach": {"ref": "@input.items"}}
        each["config"] = {"onError": "fail"}
        told = await world.run(a_step("a"), each, given={"items": [1, 2, "three", 4]})
        assert told["status"] == "error"
        again = await forked(world, told, "a")
        assert again["steps"]["each"]["iterations"] == {"total": 4, "completed": 2, "failed": 1}
        ends = [event.fact for event in world.events if event.run_id == again["run_id"]]
        assert [end.index for end in ends if isinstance(end, StepFinished) and end.index is not None] == [2]
        assert len(started(world, again["run_id"])) == 1


async def test_a_fork_that_cannot_read_what_it_takes_over_leaves_nothing() -> None:
    storage = FailingMemory()
    storage.trouble = Trouble(at=3, reads=True)
    async with a_world(storage) as world:
        told = await world.run(tool_step("n", "note", text=1), a_step("z", "n"))
        storage.trouble.is_on = True
        with pytest.raises(StorageFailed):
            await world.core.engine.fork(told["run_id"], "z")
        assert not world.core.engine.is_at_work
        assert (await forked(world, told, "z"))["status"] == "success"


async def test_an_effect_whose_end_is_unknown_is_asked_about_and_not_repeated() -> None:
    posted = []

    async def post(arguments: Mapping[str, Any], context: CallContext) -> Any:
        posted.append(context.run_id)
        await asyncio.Event().wait()

    slow = Tool(ToolInfo("post", "post", "post", {"type": "object"}), server=post)
    async with a_world(more_tools=[slow]) as world:
        each = {**tool_step("each", "post"), "forEach": {"ref": "@input.items"}}
        steps = [tool_step("p", "post"), each, tool_step("n", "note", text="n")]
        run = await world.start(*steps, given={"items": [1]})
        await world.heard(StepFinished)
        await world.core.engine.cancel(run.id)
        assert (await world.settled(run.id))["steps"]["p"]["status"] == "cancelled"
        again = await world.core.engine.fork(run.id, "n")
        waiting = await world.settled(again.id)
        asked = {toast["step"]: toast["kind"] for toast in waiting["interruptions"]}
        assert asked == {"p": "outcome", "each": "outcome"}
        await world.answer(again, "submit", "it was done", step="p")
        done = await world.answer(again, "submit", "it was done", step="each")
        assert (done["status"], done["output"]["p"]) == ("success", "it was done")
        assert done["output"]["each"] == ["it was done"]
        assert set(posted) == {run.id}
