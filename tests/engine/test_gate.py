"""The workflow gate as the product uses it: a start takes its place in the store before its first event (ENGINE §9)."""

import asyncio
from collections.abc import Sequence

import pytest

from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.workflow import Workflow
from core.errors import Refused, StorageFailed
from core.ports import CreateRun, Write
from core.threads.system_clock import SystemClock
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import World, a_world, tool_step

WORKFLOW = WorkflowId("wf_gate")


class SlowCreation(InMemoryStorage):
    """Writes a new run only once `may_write` is set, and fails if `is_full`."""

    def __init__(self) -> None:
        super().__init__()
        self.may_write = asyncio.Event()
        self.is_full = False

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        if any(isinstance(write, CreateRun) for write in writes):
            await self.may_write.wait()
            if self.is_full:
                raise StorageFailed("storage_full", "the disk is full")
        return await super().commit(writes)


def workflow() -> Workflow:
    now = SystemClock().now()
    return Workflow(WORKFLOW, "Letters", "offline", now, now)


def running(world: World) -> list[WorkflowId]:
    return [execution.workflow_id for execution in world.core.stores.background.running_workflows]


async def test_a_start_is_shown_before_it_is_written() -> None:
    storage = SlowCreation()
    async with a_world(storage) as world:
        start = asyncio.create_task(world.start(tool_step("n", "note"), gated=True, workflow=workflow()))
        await asyncio.sleep(0.01)
        execution = world.core.stores.background.get_execution(WORKFLOW)
        assert execution is not None
        assert (execution.run, execution.status, execution.workflow_name) == (None, RunStatus.ENQUEUED, "Letters")
        storage.may_write.set()
        run = await start
        assert execution.run is not None
        assert execution.run.run_id == run.id
        await world.core.engine.wait(run.id)
        assert running(world) == []


async def test_a_start_that_cannot_be_written_gives_its_place_back() -> None:
    storage = SlowCreation()
    storage.may_write.set()
    storage.is_full = True
    async with a_world(storage) as world:
        with pytest.raises(StorageFailed):
            await world.start(tool_step("n", "note"), gated=True, workflow=workflow())
        assert running(world) == []
        assert world.core.stores.background.get_execution(WORKFLOW) is None
        storage.is_full = False
        await world.core.engine.wait((await world.start(tool_step("n", "note"), gated=True, workflow=workflow())).id)


async def test_what_the_store_refuses_leaves_nothing_in_the_engine() -> None:
    async with a_world() as world:
        world.core.stores.background.register(WorkflowId("wf_other"), "offline", "Other")
        with pytest.raises(Refused, match="Maximum concurrent workflows") as refused:
            await world.start(tool_step("n", "note"), gated=True, mode=world.core.settings.current.validation_mode)
        assert refused.value.code == "limit_reached"
        assert await world.storage.runs.page() == []
        assert running(world) == [WorkflowId("wf_other")]


async def test_a_start_that_is_not_gated_takes_no_place_before_its_event() -> None:
    storage = SlowCreation()
    async with a_world(storage) as world:
        start = asyncio.create_task(world.start(tool_step("n", "note"), workflow=workflow()))
        await asyncio.sleep(0.01)
        assert running(world) == []
        storage.may_write.set()
        await world.core.engine.wait((await start).id)
