"""Whatever is at work in a sub-agent ends when the agent above it is stopped: code, runs, calls that do not listen."""

import asyncio
from collections.abc import Mapping
from typing import Any

from core.domain.events import RunFinished, ToolEndedLate, ToolStarted
from core.domain.ids import RunId
from core.domain.run import Run
from core.domain.tool import ToolInfo
from core.ports import CallContext
from core.tools.registry import Tool
from tests.engine.test_children import store
from tests.engine.test_sub_agents import call, count, tasks, until
from tests.support.asking import agent
from tests.support.world import World, a_world, tool_step

ENDLESS = "export default function () { for (;;) {} }"


class Deaf:
    """A tool that leaves a trace, and does not hear that it is to stop."""

    def __init__(self, *, timeout_s: float) -> None:
        self.traces = 0
        self.may_end = asyncio.Event()
        self.tool = Tool(ToolInfo("deaf", "deaf", "deaf", {"type": "object"}), server=self._call, timeout_s=timeout_s)

    async def _call(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        while not self.may_end.is_set():
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                continue
        self.traces += 1
        return "late"


async def stop(world: World, run: Run) -> Any:
    """Cancel the run, which takes a second at most; the limit is for a machine that has other things to do."""
    async with asyncio.timeout(4):
        await world.core.engine.cancel(run.id)
    return await world.describe(run.id)


async def test_the_process_that_runs_code_is_ended_with_it() -> None:
    async with a_world() as world:
        endless = call("run_code", code=ENDLESS)
        run = await world.start(agent("ask", tasks(endless, endless)))  # all the processes there may be
        await until(world, lambda: count(world, ToolStarted) == 3)
        await asyncio.sleep(0.3)
        assert (await stop(world, run))["status"] == "cancelled"
        async with asyncio.timeout(8):  # less than the time limit of what was stopped
            told = await world.run({"name": "c", "action": {"code": "export default () => 42"}})
        assert (told["status"], told["output"]) == ("success", 42)


async def test_runs_that_a_sub_agent_began_end_with_it_down_to_the_last() -> None:
    async with a_world() as world:
        slow = tool_step("slow", "echo", seconds=0.4)
        lowest = await store(world, "Lowest", slow, tool_step("n", "note", "slow", text="lowest"))
        below = {"name": "b", "action": {"workflow": {"templateId": lowest}}}
        middle = await store(world, "Middle", below, tool_step("n", "note", "b", text="middle"))
        create = call("COLLECTION_WORKFLOW_EXECUTION_CREATE", workflow_collection_id=middle, wait=True)
        run = await world.start(agent("ask", call("spawn_agent", prompt=create)))
        await until(world, lambda: len({event.run_id for event in world.events}) == 3 and bool(world.tools.echoes))
        assert (await stop(world, run))["status"] == "cancelled"
        ids = {event.run_id for event in world.events}
        statuses = {(await world.describe(RunId(each)))["status"] for each in ids}
        assert (len(ids), statuses, count(world, RunFinished)) == (3, {"cancelled"}, 3)
        await asyncio.sleep(0.5)
        assert world.tools.notes == []


async def test_a_call_that_does_not_listen_is_given_up_and_its_sub_agent_is_closed() -> None:
    deaf = Deaf(timeout_s=60)
    async with a_world(more_tools=[deaf.tool]) as world:
        run = await world.start(agent("ask", tasks(call("deaf"), "say 5000 words")))
        await until(world, lambda: count(world, ToolStarted) == 2)
        told = await stop(world, run)
        assert told["status"] == "cancelled"
        assert [each["status"] for each in told["sub_agents"]] == ["cancelled", "cancelled"]
        assert {each["status"] for each in told["tool_calls"]} == {"cancelled"}
        deaf.may_end.set()
        assert await world.describe(run.id) == told


async def test_a_timeout_within_a_sub_agent_reaches_it_and_the_call_is_not_repeated() -> None:
    deaf = Deaf(timeout_s=0.1)
    async with a_world(more_tools=[deaf.tool]) as world:
        run = await world.start(agent("ask", call("spawn_agent", prompt=call("deaf"))))
        told = await world.settled(run.id)
        (inner,) = [each for each in told["tool_calls"] if each["name"] == "deaf"]
        assert (told["status"], inner["error"]["code"]) == ("success", "timeout")
        assert "may have happened" in told["sub_agents"][0]["text"]
        deaf.may_end.set()
        await world.heard(ToolEndedLate)
        assert deaf.traces == 1
        (inner,) = [each for each in (await world.describe(run.id))["tool_calls"] if each["name"] == "deaf"]
        assert (inner["status"], inner["late"]["status"]) == ("error", "completed")
