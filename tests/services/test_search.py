"""The index follows the store: what is written is found, what is deleted is not, what was missed is caught up with."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from core.app import Core
from core.bus import WorkflowChanged
from core.domain.ids import WorkflowId
from core.persistence.search.index import FileSearchIndex
from core.ports import Hit, HitGroup, HitKind
from core.services.outcome import Ok
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.waiting import until
from tests.support.world import a_world, tool_step


async def groups(core: Core, query: str) -> list[HitGroup]:
    found = await core.search.find(query)
    assert isinstance(found, Ok), found
    return list(found.data.groups)


async def until_found(core: Core, query: str, count: int = 1) -> list[HitGroup]:
    """Return the workflows once there are so many: the index follows in its own time."""
    found: list[HitGroup] = []

    async def is_found() -> bool:
        nonlocal found
        found = await groups(core, query)
        return len(found) == count

    await until(is_found)
    return found


@asynccontextmanager
async def a_core(storage: InMemoryStorage, index: Path) -> AsyncIterator[Core]:
    async with run_core(storage, index=FileSearchIndex(index)) as core:
        yield core


async def say(core: Core, text: str) -> WorkflowId:
    sent = await core.chat.send(text)
    assert isinstance(sent, Ok), sent
    await core.engine.wait(sent.data.id)
    return sent.data.workflow_id


async def test_messages_calls_and_outputs_are_found(tmp_path: Path) -> None:
    async with a_core(InMemoryStorage(), tmp_path / "search.db") as core:
        core.search.start()
        workflow_id = await say(core, '/tool calculator {"expression": "1234 * 2"}')
        (group,) = await until_found(core, "2468")
        assert group.workflow_id == workflow_id
        assert {hit.kind for hit in group.hits} >= {HitKind.TOOL}
        opened = await core.workflows.open(workflow_id)
        assert isinstance(opened, Ok)
        (prompt,) = [hit for hit in (await groups(core, "expression"))[0].hits if hit.kind is HitKind.USER]
        assert prompt.message_id == opened.data.messages[0].id


async def test_a_template_is_found_by_its_title_and_what_its_steps_put_out() -> None:
    async with a_world() as world:
        world.core.search.start()
        run = await world.run(tool_step("colours", "echo", shade="Vermilion", n=42))
        (group,) = await until_found(world.core, "vermil")
        assert group.workflow_id == run["workflow_id"]
        assert (HitKind.STEP, "colours") in [(hit.kind, hit.label) for hit in group.hits]
        renamed = await world.core.workflows.rename(group.workflow_id, "Périwinkle")
        assert isinstance(renamed, Ok)
        (found,) = await until_found(world.core, "periwinkle")
        assert found.hits[0].kind is HitKind.TITLE


async def test_what_was_written_without_an_indexer_is_caught_up_with(tmp_path: Path) -> None:
    storage = InMemoryStorage()
    async with a_core(storage, tmp_path / "search.db") as core:
        first = await say(core, "the first needle")  # as the command line does: it indexes nothing
    async with a_core(storage, tmp_path / "search.db") as core:
        core.search.start()
        await until_found(core, "needle")
        second = await say(core, "the second needle")
        await until_found(core, "needle", 2)
        assert not core.search.state.is_behind
    async with a_core(storage, tmp_path / "search.db") as core:
        assert [group.workflow_id for group in await groups(core, "needle")] == [second, first]


async def test_a_deleted_workflow_is_not_found_at_once_and_never_again(tmp_path: Path) -> None:
    storage = InMemoryStorage()
    async with a_core(storage, tmp_path / "search.db") as core:
        core.search.start()
        kept, gone = await say(core, "a needle to keep"), await say(core, "a needle to lose")
        await until_found(core, "needle", 2)
        assert isinstance(await core.workflows.delete(gone), Ok)
        assert [group.workflow_id for group in await groups(core, "needle")] == [kept]
    await storage.delete_workflow(kept)  # as if the process had died before the index was told
    async with a_core(storage, tmp_path / "search.db") as core:
        core.search.start()
        await until_found(core, "needle", 0)


async def test_a_workflow_that_comes_back_is_found_again(tmp_path: Path) -> None:
    storage = InMemoryStorage()
    async with a_core(storage, tmp_path / "search.db") as core:
        core.search.start()
        workflow_id = await say(core, "a needle")
        await until_found(core, "needle")
        workflow, kept = await storage.workflows.get(workflow_id), storage.copy()
        assert workflow is not None
        assert isinstance(await core.workflows.delete(workflow_id), Ok)
        await until_found(core, "needle", 0)
        storage._tables = kept._tables
        core.bus.publish(WorkflowChanged(workflow))
        (group,) = await until_found(core, "needle")
        assert {hit.kind for hit in (await until_hits(core, group.workflow_id, "needle"))} >= {HitKind.USER}


async def until_hits(core: Core, workflow_id: WorkflowId, query: str) -> Sequence[Hit]:
    """Come back when more than its title has it."""
    hits: Sequence[Hit] = ()

    async def are_there() -> bool:
        nonlocal hits
        found = await core.search.find_in(workflow_id, query)
        hits = found.data if isinstance(found, Ok) else ()
        return any(hit.kind is not HitKind.TITLE for hit in hits)

    await until(are_there)
    return hits


async def test_a_run_that_the_store_has_otherwise_is_indexed_again(tmp_path: Path) -> None:
    """As where a backup was put back: the index knows what the store does not."""
    storage = InMemoryStorage()
    async with a_core(storage, tmp_path / "search.db") as core:
        core.search.start()
        await say(core, "before the backup")
        await until_found(core, "backup")
        backup = storage.copy()
        await say(core, "after the backup")
        await until_found(core, "backup", 2)
    async with a_core(backup, tmp_path / "search.db") as core:
        core.search.start()
        await until_found(core, "backup", 1)


async def test_an_index_that_is_gone_or_of_another_version_is_made_anew(tmp_path: Path) -> None:
    storage, file = InMemoryStorage(), tmp_path / "search.db"
    async with a_core(storage, file) as core:
        core.search.start()
        await say(core, "a needle")
        await until_found(core, "needle")
    with closing(sqlite3.connect(file)) as other:
        other.execute("PRAGMA user_version = 999")
    async with a_core(storage, file) as core:
        core.search.start()
        await until_found(core, "needle")
    file.unlink()
    async with a_core(storage, file) as core:
        core.search.start()
        await until_found(core, "needle")


async def test_damage_that_a_search_meets_is_mended(tmp_path: Path) -> None:
    storage, file = InMemoryStorage(), tmp_path / "search.db"
    async with a_core(storage, file) as core:
        core.search.start()
        await say(core, "a needle")
        await until_found(core, "needle")
    with closing(sqlite3.connect(file)) as other:
        other.execute("DELETE FROM words_data WHERE id > 10")
        other.commit()
    async with a_core(storage, file) as core:
        core.search.start()

        async def is_mended() -> bool:
            found = await core.search.find("needle")
            return isinstance(found, Ok) and len(found.data.groups) == 1

        await until(is_mended)


async def test_catching_up_can_be_stopped_and_gone_on_with(tmp_path: Path) -> None:
    storage = InMemoryStorage()
    async with a_core(storage, tmp_path / "other.db") as core:
        for n in range(3):
            await say(core, f"needle {n}")
    async with a_core(storage, tmp_path / "search.db") as core:

        def stop() -> None:
            if core.search.state.is_behind and not core.search.state.is_stopped:
                core.search.stop_indexing()

        core.search.changed.connect(stop)
        core.search.start()

        async def is_stopped() -> bool:
            return core.search.state.is_stopped

        await until(is_stopped)
        core.search.changed.disconnect(stop)
        stopped = core.search.state
        assert (stopped.total, stopped.is_behind) == (3, True)
        await say(core, "a new needle")
        await until_found(core, "new")
        core.search.resume_indexing()

        async def is_done() -> bool:
            return not core.search.state.is_behind

        await until(is_done)
        assert {hit.kind for group in await groups(core, "needle") for hit in group.hits} >= {HitKind.USER}
        assert len(await groups(core, "needle")) == 4


async def test_a_place_that_cannot_be_written_harms_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    async with a_core(InMemoryStorage(), tmp_path / "file" / "search.db") as core:
        core.search.start()
        await say(core, "a needle")

        async def is_told() -> bool:
            return core.search.state.problem is not None

        await until(is_told)
        found = await core.search.find("needle")
        assert not isinstance(found, Ok)
        assert (found.code, found.retryable) == ("search_unavailable", True)


@pytest.mark.parametrize("query", ["", '"', "\0", "\ud800", "*", "a" * 100_000, "NEAR(", "x AND", "🙂"])
async def test_no_query_is_an_error(query: str) -> None:
    async with a_world() as world:
        assert await groups(world.core, query) == []
