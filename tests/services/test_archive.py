"""Workflows that are archived and restored, and deleted so that it can be undone."""

import asyncio

from core.domain.run import RunStatus
from core.services.outcome import Failed, Ok
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import a_step, a_world, tool_step


async def test_archiving_stops_what_runs_and_leaves_the_lists() -> None:
    async with a_world() as world:
        run = await world.start(tool_step("h", "hang"))
        await asyncio.sleep(0.05)
        assert isinstance(await world.core.workflows.archive(run.workflow_id), Ok)
        stores = world.core.stores
        assert stores.workflows.rows == []
        assert [row.status for row in stores.workflows.archived] == [RunStatus.CANCELLED]
        assert stores.background.running_workflows == stores.background.recently_completed_workflows == []
        shown = [one.id async for one in world.core.runs.newest(9, is_archived=False)]
        put_away = [one.id async for one in world.core.runs.newest(9, is_archived=True)]
        assert (shown, put_away) == ([], [run.id])
        assert [one.id async for one in world.core.runs.newest(9)] == [run.id]
        assert isinstance(await world.core.workflows.restore(run.workflow_id), Ok)
        assert [row.workflow.id for row in stores.workflows.rows] == [run.workflow_id]


async def test_a_message_in_an_archived_workflow_restores_it() -> None:
    async with a_world() as world:
        sent = await world.core.chat.send("say 2 words")
        assert isinstance(sent, Ok)
        await world.core.engine.wait(sent.data.id)
        await world.core.workflows.archive(sent.data.workflow_id)
        again = await world.core.chat.send("say 2 words", sent.data.workflow_id)
        assert isinstance(again, Ok)
        assert world.core.stores.workflows.archived == []
        assert await world.storage.workflows.archived() == set()
        await world.core.engine.wait(again.data.id)


async def test_a_discarded_workflow_comes_back_whole_and_only_until_it_is_deleted() -> None:
    async with a_world() as world:
        run = await world.start(tool_step("h", "hang"))
        await asyncio.sleep(0.05)
        trash, workflow_id = world.core.trash, run.workflow_id
        assert isinstance(await trash.discard(workflow_id), Ok)
        assert world.core.stores.workflows.rows == []
        assert [one async for one in world.core.runs.newest(9)] == []
        refused = await world.core.chat.send("still there?", workflow_id)
        assert isinstance(refused, Failed)
        assert refused.code == "not_found"
        assert isinstance(await trash.restore(workflow_id), Ok)
        assert [row.status for row in world.core.stores.workflows.rows] == [RunStatus.CANCELLED]
        assert isinstance(await trash.delete(workflow_id), Ok)
        assert await world.storage.runs.get(run.id) is not None
        await trash.discard(workflow_id)
        await trash.delete(workflow_id)
        assert await world.storage.runs.get(run.id) is None
        late = await trash.restore(workflow_id)
        assert isinstance(late, Failed)
        assert late.code == "not_found"


async def test_the_end_of_the_app_deletes_what_was_discarded() -> None:
    storage = InMemoryStorage()
    async with a_world(storage=storage) as world:
        kept, gone = [await world.run(a_step("a")) for _ in range(2)]
        await world.core.trash.discard(gone["workflow_id"])
    assert await storage.workflows.discarded() == []
    assert [run.workflow_id for run in await storage.runs.page()] == [kept["workflow_id"]]


async def test_after_a_crash_what_was_discarded_goes_and_what_was_brought_back_stays() -> None:
    storage = InMemoryStorage()
    async with a_world(storage=storage) as world:
        kept, gone = [await world.run(a_step("a")) for _ in range(2)]
        for run in (kept, gone):
            await world.core.trash.discard(run["workflow_id"])
        await world.core.trash.restore(kept["workflow_id"])
        crashed = storage.copy()
    async with run_core(crashed) as core:
        assert [one.workflow_id async for one in core.runs.newest(9)] == [kept["workflow_id"]]
    assert [run.workflow_id for run in await crashed.runs.page()] == [kept["workflow_id"]]


async def test_a_title_is_a_single_line_that_reorders_nothing() -> None:
    async with a_world() as world:
        run = await world.run(a_step("a"))
        renamed = await world.core.workflows.rename(run["workflow_id"], "a\x00\nb\u202ec \u05d0👨‍👩‍👧 \u2066d\u2069")
        assert isinstance(renamed, Ok)
        assert renamed.data.title == "a bc \u05d0👨‍👩‍👧 d"
        for nothing in ("\u202e\x07", "\n \t", "\u200b\u2060 \ufe0f", "\u3164\u2800", "\ud800"):
            assert isinstance(await world.core.workflows.rename(run["workflow_id"], nothing), Failed)
        for seen in ("\U0001fae8", "\U0001fadf\u200d", "\u05d0"):  # the first two may be newer than Python's tables
            assert isinstance(await world.core.workflows.rename(run["workflow_id"], seen), Ok)
