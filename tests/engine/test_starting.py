"""Starting: keys, the two limits, one active run a workflow, the queue."""

import asyncio
import gc
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from core.domain.events import Event, RunCreated, RunStarted
from core.domain.ids import RunId, WorkflowId, id_from_key
from core.domain.messages import MessageState
from core.domain.run import RunStatus
from core.domain.settings import Settings
from core.domain.template import ValidationMode
from core.domain.tool import ToolInfo
from core.domain.workflow import Workflow
from core.errors import Refused
from core.ports import CallContext, PutSetting, Write
from core.services.outcome import Ok
from core.threads.system_clock import SystemClock
from core.tools.registry import Tool
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import a_step, a_world, tool_step


async def test_the_same_key_gives_one_run_also_twice_at_once_and_after_a_restart() -> None:
    """Double click on Run (start-01)."""
    async with a_world() as world:
        one, two = await asyncio.gather(*(world.start(tool_step("n", "note"), key="k") for _ in range(2)))
        assert one.id == two.id
        await world.core.engine.wait(one.id)
        assert world.tools.notes == [None]
        storage = world.storage
    async with a_world(storage) as world:
        assert (await world.start(tool_step("n", "note"), key="k")).id == one.id
        assert world.tools.notes == []
        assert len(await storage.runs.page()) == 1


@pytest.mark.parametrize(
    ("mode", "limit"), [(ValidationMode.AUTO, 3), (ValidationMode.MANUAL, 1), (ValidationMode.SELECTIVE, 1)]
)
async def test_starts_of_one_tick_cannot_all_take_the_last_place(mode: ValidationMode, limit: int) -> None:
    async with a_world() as world:
        starts = [world.start(tool_step("h", "hold"), gated=True, mode=mode) for _ in range(4)]
        ends = await asyncio.gather(*starts, return_exceptions=True)
        refused = [end for end in ends if isinstance(end, Refused)]
        assert len(refused) == 4 - limit
        assert {(end.code, end.message) for end in refused} == {
            ("limit_reached", f"Maximum concurrent workflows ({limit}) reached")
        }
        assert refused[0].parameters == {"mode": mode, "limit": limit}
        assert len(await world.storage.runs.page()) == limit
        assert len(await world.storage.workflows.all()) == limit
        world.tools.release.set()


async def test_the_gate_looks_at_the_mode_of_the_run_to_be_started() -> None:
    async with a_world() as world:
        await world.start(tool_step("h", "hold"), gated=True)
        with pytest.raises(Refused):
            await world.start(tool_step("h", "hold"), gated=True, mode=ValidationMode.MANUAL)
        await world.start(tool_step("h", "hold"))  # not by the user in the window: capacity alone
        world.tools.release.set()


async def test_a_run_that_only_waits_for_the_user_leaves_the_place_to_another() -> None:
    async with a_world() as world:
        asking = await world.start(
            {**tool_step("q", "note"), "interrupt": {"kind": "approval"}}, gated=True, mode=ValidationMode.SELECTIVE
        )
        assert (await world.settled(asking.id))["status"] == "waiting"
        await world.start(tool_step("h", "hold"), gated=True, mode=ValidationMode.SELECTIVE)
        with pytest.raises(Refused, match="Maximum concurrent workflows"):
            await world.start(tool_step("h", "hold"), gated=True, mode=ValidationMode.SELECTIVE)
        world.tools.release.set()


async def test_a_fork_takes_a_place_at_the_gate_in_the_stricter_mode() -> None:
    async with a_world() as world:
        source = await world.start(tool_step("n", "note"), mode=ValidationMode.AUTO)
        await world.core.engine.wait(source.id)
        holding = await world.start(tool_step("h", "hold"), gated=True)
        with pytest.raises(Refused) as refused:
            await world.core.engine.fork(source.id, "n", mode=ValidationMode.SELECTIVE, gated=True)
        assert refused.value.parameters == {"mode": ValidationMode.SELECTIVE, "limit": 1}
        assert len(await world.storage.runs.page()) == 2
        fork = await world.core.engine.fork(source.id, "n", mode=ValidationMode.SELECTIVE, gated=True, queued=True)
        world.tools.release.set()
        await world.core.engine.wait(holding.id)
        assert (await world.core.engine.wait(fork.id)).status is RunStatus.SUCCESS
        assert (await world.storage.snapshots.of_run(fork.id)).mode is ValidationMode.SELECTIVE


async def test_more_than_the_capacity_wait_and_start_first_in_first_out() -> None:
    storage = InMemoryStorage()
    await storage.commit([PutSetting("max_running_runs", "2")])
    async with a_world(storage) as world:
        runs = [await world.start(tool_step("h", "hold")) for _ in range(5)]
        await asyncio.sleep(0.05)
        assert world.tools.in_flight == 2
        assert [run.status for run in await storage.runs.page()].count(RunStatus.ENQUEUED) == 3
        world.tools.release.set()
        for run in runs:
            assert (await world.core.engine.wait(run.id)).status is RunStatus.SUCCESS
        started = [event.run_id for event in world.events if isinstance(event.fact, RunStarted)]
        assert started == [run.id for run in runs]


async def test_of_thirty_starts_at_once_twenty_run_and_each_end_lets_the_next_one_in() -> None:
    async with a_world() as world:
        begun: asyncio.Queue[RunId] = asyncio.Queue()
        world.core.bus.subscribe(
            Event, lambda event: begun.put_nowait(event.run_id) if isinstance(event.fact, RunStarted) else None
        )
        runs = await asyncio.gather(*(world.start(tool_step("h", "hold")) for _ in range(30)))
        order = [event.run_id for event in world.events if isinstance(event.fact, RunCreated)]
        assert sorted(order) == sorted(run.id for run in runs)
        assert [await begun.get() for _ in range(20)] == order[:20]
        for ended, next_one in zip(order[:10], order[20:], strict=True):
            assert begun.empty()
            assert [run.status for run in await world.storage.runs.page()].count(RunStatus.RUNNING) == 20
            await world.core.engine.cancel(ended)
            assert await begun.get() == next_one
        world.tools.release.set()
        ends = [(await world.core.engine.wait(run_id)).status for run_id in order]
        assert ends == [RunStatus.CANCELLED] * 10 + [RunStatus.SUCCESS] * 20


async def test_a_workflow_has_one_active_run() -> None:
    now = SystemClock().now()
    workflow = Workflow(WorkflowId("w"), "W", "offline", now, now)
    async with a_world() as world:
        first = await world.start(tool_step("h", "hold"), workflow=workflow)
        with pytest.raises(Refused) as refusal:
            await world.start(a_step("a"), workflow=workflow)
        assert refusal.value.code == "workflow_busy"
        world.tools.release.set()
        await world.core.engine.wait(first.id)
        assert (await world.run(a_step("a"), workflow=workflow))["status"] == "success"


async def test_a_waiting_run_can_be_cancelled_before_it_has_a_place() -> None:
    storage = InMemoryStorage()
    await storage.commit([PutSetting("max_running_runs", "1")])
    async with a_world(storage) as world:
        await world.start(tool_step("h", "hold"))
        queued = await world.start(tool_step("n", "note"))
        assert (await world.core.engine.cancel(queued.id)).status is RunStatus.CANCELLED
        world.tools.release.set()
        assert (await world.core.engine.cancel(queued.id)).status is RunStatus.CANCELLED
        (message,) = await storage.messages.of_workflow(queued.workflow_id)
        assert message.state is MessageState.INTERRUPTED
    assert world.tools.notes == []


async def test_a_waiting_run_can_be_cancelled_twice_at_once() -> None:
    """Two clicks on Stop, while the first one is written down."""
    storage = InMemoryStorage()
    await storage.commit([PutSetting("max_running_runs", "1")])
    async with a_world(storage) as world:
        await world.start(tool_step("h", "hold"))
        queued = await world.start(tool_step("n", "note"))
        ends = await asyncio.gather(*(world.core.engine.cancel(queued.id) for _ in range(2)))
        assert [end.status for end in ends] == [RunStatus.CANCELLED] * 2
        world.tools.release.set()
    assert world.tools.notes == []


async def test_a_run_can_be_cancelled_while_it_is_written_down() -> None:
    async with a_world() as world:
        commit, is_asked, may_go_on = world.storage.commit, asyncio.Event(), asyncio.Event()

        async def slowly(writes: Sequence[Write]) -> frozenset[int]:
            is_asked.set()
            await may_go_on.wait()
            return await commit(writes)

        world.storage.commit = slowly  # type: ignore[method-assign]
        starting = asyncio.create_task(world.start(tool_step("n", "note"), key="k"))
        await is_asked.wait()
        run_id = RunId(id_from_key("run", "k"))
        cancelling = asyncio.create_task(world.core.engine.cancel(run_id))
        await asyncio.sleep(0)
        may_go_on.set()
        assert (await cancelling).status is RunStatus.CANCELLED
        assert (await starting).id == run_id
        assert not world.core.engine.is_at_work
    assert world.tools.notes == []


async def test_cancel_reaches_the_work_and_says_so() -> None:
    async with a_world() as world:
        run = await world.start(tool_step("hang", "hang", text="x"), a_step("after", "hang"))
        await asyncio.sleep(0.05)
        async with asyncio.timeout(1):
            await world.core.engine.cancel(run.id)
        described = await world.describe(run.id)
        assert described["status"] == "cancelled"
        assert described["steps"]["hang"]["status"] == "cancelled"
        assert described["steps"]["after"]["status"] == "pending"
        assert (await world.core.engine.cancel(run.id)).status is RunStatus.CANCELLED


async def test_the_engine_keeps_its_runs_alive() -> None:
    """Two hundred runs whose only awaits are futures without another reference (leak-01)."""
    futures: weakref.WeakSet[asyncio.Future[None]] = weakref.WeakSet()

    async def wait_weakly(arguments: Mapping[str, Any], context: CallContext) -> Any:
        future = asyncio.get_running_loop().create_future()
        futures.add(future)
        await future
        return {}

    tool = Tool(ToolInfo("weak", "weak", "weak", {"type": "object"}), server=wait_weakly, read_only=True)
    storage = InMemoryStorage()
    await storage.commit([PutSetting("max_running_runs", "100")])
    gc.freeze()  # what was there before is no matter, and most of what a collection would look at
    try:
        async with a_world(storage, [tool]) as world:
            runs = [await world.start(tool_step("w", "weak")) for _ in range(200)]
            while world.core.engine.is_at_work:
                await asyncio.sleep(0.01)
                gc.collect()
                for future in list(futures):
                    if not future.done():
                        future.set_result(None)
            ended = [await world.core.engine.wait(run.id) for run in runs]
            assert {run.status for run in ended} == {RunStatus.SUCCESS}
    finally:
        gc.unfreeze()


def test_limits_come_from_the_settings() -> None:
    settings = Settings(max_workflows_auto=5)
    assert settings.max_workflows(ValidationMode.AUTO) == 5
    assert settings.max_workflows(ValidationMode.SELECTIVE) == 1


async def test_a_queued_start_waits_for_the_gate_and_begins_by_itself() -> None:
    async with a_world() as world:
        held = [await world.start(tool_step("h", "hold"), gated=True) for _ in range(3)]
        queued = [await world.start(tool_step("n", "note", text=n), gated=True, queued=True) for n in range(2)]
        await asyncio.sleep(0.05)
        assert world.tools.notes == []
        await world.core.engine.cancel(held[0].id)
        for run in queued:
            await world.core.engine.wait(run.id)
        assert world.tools.notes == [0, 1]
        world.tools.release.set()


async def test_a_queued_start_waits_for_the_gate_after_a_restart_too() -> None:
    async with a_world() as world:
        for _ in range(3):
            await world.start(tool_step("h", "hold"), gated=True)
        await world.start(tool_step("n", "note", text="queued"), gated=True, queued=True)
        await asyncio.sleep(0.1)
        storage = world.storage
        assert isinstance(storage, InMemoryStorage)
        copy = storage.copy()
        world.tools.release.set()
    async with a_world(copy) as world:
        recovered = await world.core.engine.recover()
        await asyncio.sleep(0.05)
        assert world.tools.notes == []
        world.tools.release.set()
        for run_id in recovered:
            await world.core.engine.wait(run_id)
        assert world.tools.notes == ["queued"]


async def test_a_higher_limit_lets_the_queue_in() -> None:
    async with a_world() as world:
        for _ in range(3):
            await world.start(tool_step("h", "hold"), gated=True)
        queued = await world.start(tool_step("n", "note"), gated=True, queued=True)
        assert isinstance(await world.core.settings.change(max_workflows_auto=4), Ok)
        await world.core.engine.wait(queued.id)
        assert world.tools.notes == [None]
        world.tools.release.set()
