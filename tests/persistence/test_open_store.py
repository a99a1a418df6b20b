"""A store in use: its log is renewed, its commits have a time limit, and its place is watched."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import StorageFailed
from core.persistence import engine_handle, manifest, open_store
from core.persistence.connection import Connection
from core.persistence.folder import wal_bytes
from core.persistence.keys import record_id
from core.persistence.manifest import is_merge_due, load_manifest
from core.persistence.open_store import Limits
from core.persistence.statements import Statement
from tests.persistence.processes import run
from tests.support.waiting import until

SHORT = Limits(log_bytes=100_000, commit_s=3)
KIB = "x" * 1000
USE = """
async def main():
    try:
        storage = await SurrealStorage.open(STORE)
    except StorageFailed as failed:
        say(failed.code)
    else:
        say("open")
        await storage.close()
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store"


@pytest.fixture
async def connection(store: Path) -> AsyncIterator[Connection]:
    opened = await Connection.open(store, SHORT)
    await opened.commit([Statement("DEFINE TABLE row", None)])
    yield opened
    await opened.close()


async def add(connection: Connection, *numbers: int, text: str = "") -> None:
    """Insert a row per number; rows that exist stay."""
    rows = [{"id": record_id("row", [number]), "text": text} for number in numbers]
    await connection.commit([Statement("INSERT IGNORE INTO row $argument RETURN NONE", rows)])


async def rows_of(connection: Connection) -> list[int]:
    return [id_.id[0] for id_ in await connection.read("SELECT VALUE id FROM row")]


async def rows_at(store: Path) -> list[int]:
    connection = await Connection.open(store)
    try:
        return await rows_of(connection)
    finally:
        await connection.close()


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_the_log_is_renewed_without_a_pause(connection: Connection, store: Path) -> None:
    longest = 0
    for number in range(600):
        await add(connection, number, text=KIB)
        longest = max(longest, wal_bytes(store))
    assert longest < 300_000
    assert await rows_of(connection) == list(range(600))
    await connection.close()
    assert await rows_at(store) == list(range(600))


async def test_readers_and_writers_wait_for_a_renewal_and_miss_nothing(connection: Connection) -> None:
    async def read_on() -> None:
        while not done.is_set():
            known = written
            assert len(await rows_of(connection)) >= known
            await asyncio.sleep(0.01)

    done, written = asyncio.Event(), 0
    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(read_on())
        for number in range(0, 400, 4):
            await asyncio.gather(*(add(connection, number + part, text=KIB) for part in range(4)))
            written = number + 4
        done.set()
    assert await rows_of(connection) == list(range(400))


async def test_tables_are_merged_by_another_process_before_the_store_is_opened(
    connection: Connection, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "MERGE_BYTES", 0)
    renewals, due_at_opening, begin = 0, [], engine_handle.open_with_empty_log

    async def note(path: Path, tries: int) -> Any:
        nonlocal renewals
        renewals += 1
        due_at_opening.append(is_merge_due(path))
        return await begin(path, tries)

    monkeypatch.setattr(open_store, "open_with_empty_log", note)
    number = 0
    while renewals < 6:
        await add(connection, number, text=KIB)
        number += 1
    assert not any(due_at_opening)
    await connection.close()
    assert await rows_at(store) == list(range(number))


async def test_a_manifest_of_another_form_is_left_to_the_engine(store: Path) -> None:
    assert not is_merge_due(store)
    (store / "manifest").mkdir(parents=True)
    for data in (b"", b"\0\1", b"\0\2" + bytes(60), b"\0\1" + bytes(24) + b"\6\0\0\0\4"):
        (store / "manifest" / f"{0:020}.manifest").write_bytes(data)
        assert not is_merge_due(store)
        with pytest.raises(ValueError, match="manifest"):
            load_manifest(store)


async def test_a_log_that_cannot_be_renewed_grows_up_to_a_limit(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise OSError(28, "No space left on device")

    async def fill() -> None:
        for number in range(1000):
            await add(connection, number, text=KIB)
            added.append(number)

    connection = await Connection.open(store, Limits(log_bytes=50_000, max_log_bytes=200_000))
    await connection.commit([Statement("DEFINE TABLE row", None)])
    usage, added = shutil.disk_usage(store), list[int]()
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
        full.setattr(open_store, "check_free_space", refuse)
        with pytest.raises(StorageFailed) as failed:
            await fill()
        assert failed.value.code == "storage_full"
        assert 150_000 < wal_bytes(store) < 300_000
        assert await rows_of(connection) == added
    await add(connection, len(added))
    assert wal_bytes(store) < 1000
    assert await rows_of(connection) == [*added, len(added)]
    await connection.close()


async def test_a_commit_that_does_not_return_is_reported_and_the_store_goes_on(connection: Connection) -> None:
    await add(connection, 1)
    with pytest.raises(StorageFailed) as failed:
        await connection.commit([Statement("{ SLEEP 90s; INSERT INTO row {id: [2]} }", None)])
    assert failed.value.code == "storage_stalled"
    await add(connection, 3)
    assert await rows_of(connection) == [1, 3]


async def test_all_who_wait_behind_a_commit_that_does_not_return_go_on_after_it(connection: Connection) -> None:
    stuck = asyncio.create_task(connection.commit([Statement("SLEEP 90s", None)]))
    await asyncio.sleep(0.01)
    await asyncio.gather(*(add(connection, number) for number in range(5)))
    with pytest.raises(StorageFailed):
        await stuck
    assert await rows_of(connection) == list(range(5))


class Stuck:
    """A handle that never returns."""

    async def query_raw(self, text: str, variables: dict[str, Any]) -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self) -> None:
        await asyncio.Event().wait()


async def test_an_engine_that_cannot_be_closed_is_reported_at_once_and_left(store: Path) -> None:
    connection = await Connection.open(store, Limits(commit_s=0.2, read_s=0.2, close_s=0.2))
    handle, connection._store.handle = connection._store.handle, Stuck()
    for _ in range(3):
        with pytest.raises(StorageFailed) as failed:
            await connection.commit([Statement("RETURN 1", None)])
        assert failed.value.code == "storage_stalled"
    with pytest.raises(StorageFailed):
        await connection.read("RETURN 1")
    async with asyncio.timeout(20):
        await connection.close()
    await handle.close()


async def test_a_store_that_was_moved_away_goes_on_when_it_is_back(connection: Connection, store: Path) -> None:
    await add(connection, 1)
    away = store.with_name("away")
    store.rename(away)
    for number in (2, 3):
        with pytest.raises(StorageFailed) as failed:
            await add(connection, number)
        assert failed.value.code == "storage_moved"
        assert failed.value.parameters["path"] == str(store)
    assert await rows_of(connection) == [1, 2]  # what was open can still be read
    assert not store.exists()
    away.rename(store)
    await add(connection, 2, 3)
    assert await rows_of(connection) == [1, 2, 3]
    await connection.close()
    assert await rows_at(store) == [1, 2, 3]


async def test_the_whole_data_folder_may_be_moved_and_come_back(connection: Connection, store: Path) -> None:
    away = store.parent.with_name("away")
    store.parent.rename(away)
    with pytest.raises(StorageFailed, match="no longer where it was opened"):
        await add(connection, 1)
    away.rename(store.parent)
    await add(connection, 1)
    await connection.close()
    assert await rows_at(store) == [1]


async def test_what_is_put_in_the_place_of_a_store_is_not_touched(connection: Connection, store: Path) -> None:
    """Neither by a commit nor by closing; and the store itself has all that was acknowledged, wherever it is."""
    await add(connection, 1)
    away, other = store.with_name("away"), store.with_name("other")
    opened = await Connection.open(other)
    await opened.commit([Statement("DEFINE TABLE row", None)])
    await add(opened, 7)
    await opened.close()
    store.rename(away)
    other.rename(store)
    before = snapshot(store)
    with pytest.raises(StorageFailed) as failed:
        await add(connection, 2)
    assert failed.value.code == "storage_moved"
    await connection.close()
    assert snapshot(store) == before
    assert await rows_at(store) == [7]
    shutil.copytree(away, store.with_name("copy"))  # the folder itself is locked until this process ends
    assert await rows_at(store.with_name("copy")) == [1, 2]


@pytest.mark.parametrize("remains", [False, True], ids=["folder removed", "folder emptied"])
async def test_no_result_is_reported_that_is_nowhere(connection: Connection, store: Path, remains: bool) -> None:
    await add(connection, 1)
    shutil.rmtree(store)
    if remains:
        store.mkdir()
    for _ in range(2):
        with pytest.raises(StorageFailed) as failed:
            await add(connection, 2)
        assert failed.value.code == "storage_moved"
    await connection.close()
    assert store.exists() == remains
    assert not remains or not list(store.iterdir())


def remove_log(store: Path) -> None:
    shutil.rmtree(store / "wal")


def replace_log(store: Path) -> None:
    (log,) = (store / "wal").iterdir()
    content = log.read_bytes()
    log.unlink()
    log.write_bytes(content[:100])


def replace_lock(store: Path) -> None:
    (store / "LOCK").unlink()
    (store / "LOCK").write_text("1\n")


@pytest.mark.parametrize("change", [remove_log, replace_log, replace_lock])
async def test_a_lost_log_or_lock_costs_nothing(
    connection: Connection, store: Path, change: Callable[[Path], None]
) -> None:
    await add(connection, 1)
    change(store)
    await add(connection, 2)
    assert wal_bytes(store) < 1000  # written to the tables before it was acknowledged
    await add(connection, 3)
    await connection.close()
    assert await rows_at(store) == [1, 2, 3]


async def test_a_store_whose_tables_are_gone_is_not_closed_over_them(connection: Connection, store: Path) -> None:
    await add(connection, *range(200), text=KIB)
    await until(lambda: wal_bytes(store) < 1000)
    await add(connection, 200)
    shutil.move(store / "sstables", store.with_name("tables"))
    replace_lock(store)
    with pytest.raises(StorageFailed) as failed:
        await add(connection, 201)
    assert failed.value.code == "storage_moved"
    shutil.move(store.with_name("tables"), store / "sstables")
    await add(connection, 201)
    await connection.close()
    assert await rows_at(store) == list(range(202))


async def test_no_other_process_gets_in_while_the_store_is_closed_for_a_moment(
    connection: Connection, store: Path
) -> None:
    async with connection._writer:
        await connection._store.close()
        assert await asyncio.to_thread(run, USE, store) == ["in_use"]
        await connection._store.open(40)
    replace_lock(store)
    assert await asyncio.to_thread(run, USE, store) == ["in_use"]


async def test_a_removed_lock_is_taken_again(connection: Connection, store: Path) -> None:
    lock = store.with_name("store.lock")
    lock.unlink()
    await add(connection, 1)
    assert lock.exists()
    assert await asyncio.to_thread(run, USE, store) == ["in_use"]


async def test_a_store_that_lost_both_locks_is_left_alone(connection: Connection, store: Path) -> None:
    store.with_name("store.lock").unlink()
    replace_lock(store)
    with pytest.raises(StorageFailed) as failed:
        await add(connection, 1)
    assert failed.value.code == "storage_moved"
