"""Rebuilding a store: what is deleted is gone from its files, what is live is there, and runs go on meanwhile."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.errors import StorageFailed
from core.persistence import replacement, statements
from core.persistence.dump import digests_of
from core.persistence.keys import record_id
from core.persistence.rebuild import live_bytes
from core.persistence.surreal import SurrealStorage
from core.persistence.upkeep import StoreUpkeep
from core.ports import PutMessage, PutSetting, UpkeepNote
from core.threads.files import total_bytes
from tests.contracts.rows import W, a_message
from tests.persistence.processes import run
from tests.support.waiting import until

PHRASE = "phrase that was deleted"
# One point of so many is tried; 1 takes all.
KILL_EVERY = int(os.environ.get("METIER_KILL_EVERY", "4"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store"


@pytest.fixture
async def storage(store: Path) -> AsyncIterator[SurrealStorage]:
    opened = await SurrealStorage.open(store)
    yield opened
    await opened.close()


def holds(folder: Path, phrase: str) -> list[str]:
    """Return the files below the folder whose bytes have the phrase."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and phrase.encode() in path.read_bytes()]


async def fill(storage: SurrealStorage, first: int, count: int, *, text: str = "kept") -> None:
    for number in range(first, first + count):
        long = f"{text} {number} " * (400 if number % 3 == 0 else 5)
        await storage.commit([PutMessage(a_message(f"m{number:05}", number, text=long)), PutSetting(f"s{number}", "1")])


async def test_deleted_texts_are_gone_from_the_files_and_live_rows_are_there(
    storage: SurrealStorage, store: Path
) -> None:
    await fill(storage, 0, 60)
    await fill(storage, 60, 60, text=PHRASE)
    await storage.connection.commit([statement_to_delete(range(60, 120))])
    assert holds(store.parent, PHRASE)
    live = (await digests_of(storage.connection)).tables
    progress: list[dict[str, Any]] = []
    await storage.rebuild(progress.append)
    assert not holds(store.parent, PHRASE)
    assert sorted(path.name for path in store.parent.iterdir()) == ["store", "store.lock", "store.watch"]
    assert progress[-1]["rows"] == progress[-1]["of"]
    after = (await digests_of(storage.connection)).tables
    assert {name: digest for name, digest in live.items() if name != "meta"} == {
        name: digest for name, digest in after.items() if name != "meta"
    }
    assert total_bytes(store) <= 1.5 * await live_bytes(storage.connection) + 100_000
    await fill(storage, 200, 3)
    await storage.close()
    again = await SurrealStorage.open(store)
    assert len(await again.messages.of_workflow(W)) == 63
    await again.close()


def statement_to_delete(numbers: range) -> Any:
    (statement,) = statements.delete_statements(record_id("message", f"m{number:05}") for number in numbers)
    return statement


async def test_what_is_written_during_a_rebuild_is_in_the_new_store(storage: SurrealStorage, store: Path) -> None:
    await fill(storage, 0, 200)
    ended = asyncio.Event()
    written = 200

    async def write_on() -> None:
        nonlocal written
        while not ended.is_set():
            await fill(storage, written, 1)
            written += 1
            assert len(await storage.messages.of_workflow(W)) >= written - 1
            await asyncio.sleep(0.005)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(write_on())
        before = written
        await storage.rebuild()
        ended.set()
    assert written > before
    await storage.close()
    again = await SurrealStorage.open(store)
    assert len(await again.messages.of_workflow(W)) == written
    assert len(await again.settings.all()) == written
    await again.close()


async def test_a_rebuild_can_be_interrupted_and_done_later(storage: SurrealStorage, store: Path) -> None:
    await fill(storage, 0, 300)
    begun = asyncio.Event()
    task = asyncio.create_task(storage.rebuild(lambda progress: begun.set()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(path.name for path in store.parent.iterdir()) == ["store", "store.lock", "store.watch"]
    await fill(storage, 300, 1)
    await storage.rebuild()
    assert len(await storage.messages.of_workflow(W)) == 301


async def test_a_rebuild_that_cannot_keep_up_leaves_the_store(
    storage: SurrealStorage, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "MAX_RECORD_QUERIES", 3)
    await fill(storage, 0, 20)
    begun = asyncio.Event()
    task = asyncio.create_task(storage.rebuild(lambda progress: begun.set()))
    await until(lambda: storage.connection._record is not None)
    await fill(storage, 20, 10)
    with pytest.raises(StorageFailed) as failed:
        await task
    assert failed.value.code == "storage_busy"
    assert len(await storage.messages.of_workflow(W)) == 30


async def test_an_exchange_that_fails_leaves_the_old_store_open(
    storage: SurrealStorage, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(storage, 0, 20)

    def refuse(*arguments: Any) -> None:
        raise PermissionError(13, "denied")

    with monkeypatch.context() as broken:
        broken.setattr(replacement, "replace", refuse)
        with pytest.raises(StorageFailed) as failed:
            await storage.rebuild()
    assert failed.value.code == "storage_not_writable"
    await fill(storage, 20, 1)
    assert len(await storage.messages.of_workflow(W)) == 21
    await storage.close()
    again = await SurrealStorage.open(store)
    assert len(await again.messages.of_workflow(W)) == 21
    await again.close()


# Kills itself before the change of a name number `at` after the new store was built; 0 never does.
MORTAL = """
from core.persistence import rebuild

at, passed = int(sys.argv[2]), -1

def hook(event, arguments):
    global passed
    if passed >= 0 and event in ("os.rename", "os.rmdir", "os.mkdir"):
        passed += 1
        if passed == at:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(hook)

async def main():
    global passed
    storage = await SurrealStorage.open(STORE)
    exchange = storage.connection.exchange
    async def begin(finish):
        global passed
        passed = 0
        await exchange(finish)
    storage.connection.exchange = begin
    for number in range(12):
        await storage.commit([PutSetting(f"s{number}", f"{number}")])
    await storage.rebuild()
    await storage.commit([PutSetting("after", "1")])
    say(passed)
    await storage.close()
"""


def test_a_process_killed_at_any_step_of_the_exchange_has_all_its_rows(tmp_path: Path) -> None:
    changes = int(run(MORTAL, tmp_path / "0" / "store", 0)[-1])
    assert changes > 3

    async def look(path: Path) -> None:
        storage = await SurrealStorage.open(path)
        assert len(await storage.settings.all()) in (12, 13)
        await storage.close()

    for at in range(1, changes + 1, KILL_EVERY):
        path = tmp_path / str(at) / "store"
        run(MORTAL, path, at, code=-signal.SIGKILL)
        asyncio.run(look(path))
        assert not {entry.name for entry in path.parent.iterdir()} - {"store", "store.watch"}


async def test_a_deletion_is_noted_until_the_store_is_rebuilt(storage: SurrealStorage, store: Path) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    await fill(storage, 0, 10)
    assert await StoreUpkeep(storage.connection).note() == UpkeepNote()
    await storage.connection.commit([statement_to_delete(range(5))])
    await storage.close()
    again = await SurrealStorage.open(store)
    upkeep = StoreUpkeep(again.connection)
    assert (await upkeep.note()).has_deleted
    await upkeep.rebuild(now, lambda progress: None)
    note = await upkeep.note()
    assert (note.has_deleted, note.rebuilt_at) == (False, now)
    assert note.rebuilt_bytes > 0
    await again.connection.commit([statement_to_delete(range(5, 6))])
    assert (await upkeep.note()).has_deleted
    await again.close()
