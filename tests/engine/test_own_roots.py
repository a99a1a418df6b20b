"""Runs that go on after the success of the one that began them, as roots of their own (ENGINE §12)."""

import asyncio
from typing import Any

import pytest

from core.domain.events import RootChanged
from core.domain.fold import replay
from core.domain.ids import RunId
from core.domain.live_run import LiveRun
from core.domain.run import ACTIVE_STATUSES, ErrorInfo, Run, RunStatus
from core.ports import ChangeRun, Storage
from core.services.outcome import Ok
from core.threads.system_clock import SystemClock
from tests.engine.test_children import starts, store
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import World, a_step, a_world, tool_step

ASKS = {**tool_step("g", "note", text="child"), "interrupt": {"kind": "approval"}}


async def stored(world: World, run_id: str) -> Run:
    run = await world.storage.runs.get(RunId(run_id))
    assert run is not None
    return run


async def listed(storage: Storage, **where: Any) -> list[str]:
    return [run.id for run in await storage.runs.page(**where)]


async def on_disk(world: World, run_id: str, status: RunStatus = RunStatus.RUNNING) -> Run:
    """The run, once it has no root there, and that status."""
    while (run := await stored(world, run_id)).root is not None or run.status is not status:  # noqa: ASYNC110  # the disk emits nothing
        await asyncio.sleep(0.005)
    return run


async def rebuilt(world: World, run_id: str) -> LiveRun:
    run = replay(await world.storage.events.of_run(RunId(run_id)))
    assert run is not None
    return run


async def test_a_run_that_is_not_awaited_is_listed_after_its_parents_success() -> None:
    async with a_world() as world:
        slow = await store(world, "Slow", tool_step("h", "hold"))
        told = await world.run(starts(slow))
        child_id = told["output"]["run_id"]
        child = await on_disk(world, child_id)
        assert (child.parent, child.depth) == (told["run_id"], 1)
        for where in ({}, {"workflow_id": child.workflow_id}):
            assert await listed(world.storage, **where) == [child_id, told["run_id"]]
        assert await listed(world.storage, status=RunStatus.RUNNING) == [child_id]
        workflows = await world.core.workflows.all()
        assert isinstance(workflows, Ok)
        assert [workflow.status for workflow in workflows.data.workflows] == [
            "success"
        ]  # that of what the user started
        world.tools.release.set()
        assert (await world.settled(child_id))["status"] == "success"
        assert [
            event.fact for event in world.events if event.run_id == child_id and isinstance(event.fact, RootChanged)
        ] == [RootChanged(root_run_id=None)]
        assert (await rebuilt(world, child_id)).root is None
        messages = await world.storage.messages.of_workflow(child.workflow_id)
        assert [message.run_id for message in messages] == [told["run_id"]]


async def test_one_that_ended_first_and_one_that_is_awaited_stay_children() -> None:
    async with a_world() as world:
        quick = await store(world, "Quick", a_step("d"))
        first = starts(quick)
        awaited = {**starts(quick, "s", wait=True), "name": "t"}
        told = await world.run(first, tool_step("e", "echo", "s", seconds=0.1), {**awaited, "dependsOn": ["e"]})
        assert told["status"] == "success"
        assert await listed(world.storage) == [told["run_id"]]
        children = await world.storage.runs.children(told["run_id"])
        assert [(child.root, child.awaited) for child in children] == [(told["run_id"], False), (told["run_id"], True)]


async def test_a_return_cancels_what_was_awaited_and_lets_the_others_go() -> None:
    async with a_world() as world:
        slow = await store(world, "Slow", tool_step("h", "hold"))
        awaits = {"name": "c", "action": {"workflow": {"title": "Slow"}}, "input": {}}
        back = {"name": "back", "action": {"return": True}, "input": "early", "dependsOn": ["s", "e"]}
        told = await world.run(starts(slow), awaits, tool_step("e", "echo", seconds=0.1), back)
        assert told["status"] == "success"
        own, below = told["steps"]["s"]["output"]["run_id"], told["steps"]["c"]["child_run_id"]
        assert (await world.settled(below))["status"] == "cancelled"
        await on_disk(world, own)
        assert await listed(world.storage) == [own, told["run_id"]]
        world.tools.release.set()
        assert (await world.settled(own))["status"] == "success"


async def test_what_is_below_one_gets_it_as_its_root() -> None:
    async with a_world() as world:
        await store(world, "Asks", ASKS)
        middle = await store(world, "Middle", {"name": "c", "action": {"workflow": {"title": "Asks"}}, "input": {}})
        told = await world.run(starts(middle))
        own = told["output"]["run_id"]
        assert (await world.settled(own))["status"] == "waiting"
        await on_disk(world, own, RunStatus.WAITING)
        (leaf,) = await world.storage.runs.children(RunId(own))
        assert (leaf.root, (await rebuilt(world, leaf.id)).root, leaf.depth) == (own, own, 2)
        assert await listed(world.storage, status=RunStatus.WAITING) == [own]
        assert (await world.describe(told["run_id"]))["interruptions"] == []
        (one,) = (await world.describe(own))["interruptions"]
        assert one["run_id"] == leaf.id
        assert (await world.answer(await stored(world, own), "approve"))["status"] == "success"
        assert world.tools.notes == ["child"]


async def test_what_it_begins_later_is_below_it_and_as_deep_as_before() -> None:
    async with a_world() as world:
        quick = await store(world, "Quick", a_step("d"))
        slow = await store(world, "Slow", tool_step("h", "hold"), starts(quick, "h", wait=True))
        own = (await world.run(starts(slow)))["output"]["run_id"]
        await on_disk(world, own)
        world.tools.release.set()
        assert (await world.settled(own))["status"] == "success"
        (leaf,) = await world.storage.runs.children(RunId(own))
        assert (leaf.root, leaf.depth) == (own, 2)


async def test_it_holds_a_place_of_its_own_and_its_workflow_is_free() -> None:
    async with a_world() as world:
        await world.core.settings.change(max_running_runs=1)
        slow = await store(world, "Slow", tool_step("h", "hold"))
        run = await world.start(starts(slow))
        own = (await world.settled(run.id))["output"]["run_id"]
        await on_disk(world, own)
        workflow = await world.storage.workflows.get(run.workflow_id)
        other = await world.start(tool_step("n", "note", text=1), workflow=workflow)
        await asyncio.sleep(0.05)
        assert ((await stored(world, other.id)).status, world.tools.notes) == (RunStatus.ENQUEUED, [])
        world.tools.release.set()
        assert (await world.settled(other.id))["status"] == "success"


async def test_its_parents_end_does_not_reach_it_and_a_cancel_of_its_own_does() -> None:
    async with a_world() as world:
        slow = await store(world, "Slow", tool_step("h", "hold"))
        told = await world.run(starts(slow))
        own = told["output"]["run_id"]
        await world.core.engine.cancel(RunId(told["run_id"]))
        assert (await on_disk(world, own)).status is RunStatus.RUNNING
        assert (await world.core.engine.cancel(RunId(own))).status is RunStatus.CANCELLED


async def test_it_is_taken_up_after_a_restart_as_any_root() -> None:
    async with a_world() as world:
        slow = await store(world, "Slow", tool_step("h", "hold"), tool_step("n", "note", "h", text="late"))
        own = (await world.run(starts(slow)))["output"]["run_id"]
        await on_disk(world, own)
    async with a_world(world.storage) as again:
        again.tools.release.set()
        assert await again.core.engine.recover() == [own]
        assert (await again.settled(own))["status"] == "success"
        assert again.tools.notes == ["late"]
        (message,) = await again.storage.messages.of_workflow((await stored(again, own)).workflow_id)
        assert message.run_id != own  # what its parent came to stays


async def left_behind(begins: str, end: RunStatus) -> tuple[InMemoryStorage, RunId]:
    """What a process leaves that died right after the end of a run: its child at work, and one below that.

    `begins`: how the child was begun, by a `step` that waits for it or by a `tool` that does not. Gives the child.
    """
    async with a_world() as world:
        await store(world, "Leaf", tool_step("h", "hold"), tool_step("n", "note", "h", text="leaf"))
        call = {"name": "c", "action": {"workflow": {"title": "Leaf"}}, "input": {}}
        middle = await store(world, "Middle", call, tool_step("n2", "note", "c", text="middle"))
        step = {"name": "s", "action": {"workflow": {"title": "Middle"}}, "input": {}}
        run = await world.start(starts(middle) if begins == "tool" else step, tool_step("h2", "hold"))
        while len(await world.storage.runs.unfinished()) < 3 or world.tools.in_flight < 2:  # noqa: ASYNC110  # likewise
            await asyncio.sleep(0.005)
        assert isinstance(world.storage, InMemoryStorage)
        left = world.storage.copy()
        world.tools.release.set()
        (child,) = await world.storage.runs.children(run.id)
        for one in (run.id, child.id):
            await world.settled(one)
    error = ErrorInfo("failed", "why") if end is RunStatus.ERROR else None
    await left.commit([ChangeRun(run.id, ACTIVE_STATUSES, end, finished_at=SystemClock().now(), error=error)])
    return left, child.id


async def test_one_that_a_crash_left_below_a_success_is_a_root_from_then_on() -> None:
    storage, own = await left_behind("tool", RunStatus.SUCCESS)
    async with a_world(storage) as world:
        assert await world.core.engine.recover() == [own]
        assert (await on_disk(world, own)).awaited is False
        (leaf,) = await storage.runs.children(own)
        assert leaf.root == own
        world.tools.release.set()
        assert (await world.settled(own))["status"] == "success"
        assert world.tools.notes == ["leaf", "middle"]
        assert (await rebuilt(world, own)).root is None


@pytest.mark.parametrize(
    ("begins", "end"),
    [("tool", RunStatus.ERROR), ("tool", RunStatus.CANCELLED), ("step", RunStatus.SUCCESS), ("step", RunStatus.ERROR)],
)
async def test_one_that_a_crash_left_below_another_end_is_cancelled(begins: str, end: RunStatus) -> None:
    storage, child = await left_behind(begins, end)
    async with a_world(storage) as world:
        world.tools.release.set()
        assert await world.core.engine.recover() == []
        (leaf,) = await storage.runs.children(child)
        for run_id in (child, leaf.id):
            assert (await world.settled(run_id))["status"] == "cancelled"
        assert await storage.runs.unfinished() == []
        assert world.tools.notes == []
        assert not world.core.engine.is_at_work
