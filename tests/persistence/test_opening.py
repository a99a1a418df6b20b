"""Opening the embedded store: by whom, where, and with which tables."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.keys import record_id
from core.persistence.schema import MIGRATIONS, VERSION, Migration, migrate, version
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.ports import PutMessage, PutSetting, PutWorkflow
from tests.contracts.rows import a_message, a_workflow
from tests.persistence.processes import run, start

STATEMENTS = [statement for migration in MIGRATIONS for statement in migration.statements]
REMOVED = {statement.split()[2] for statement in STATEMENTS if statement.startswith("REMOVE TABLE")}
TABLES = [
    statement.split()[2]
    for statement in STATEMENTS
    if statement.startswith("DEFINE TABLE") and statement.split()[2] not in REMOVED
]
HOLD = """
async def main():
    storage = await SurrealStorage.open(STORE)
    await storage.commit([PutSetting("held", "1")])
    say("open")
    await asyncio.sleep(60)
"""
OPEN_AND_CLOSE = """
async def main():
    storage = await SurrealStorage.open(STORE)
    await storage.commit([PutSetting("opened", "1")])
    await storage.close()
"""


async def refusal(path: Path) -> StorageFailed:
    """Return the failure of opening a store there."""
    with pytest.raises(StorageFailed) as failed:
        await SurrealStorage.open(path)
    return failed.value


async def dump(path: Path) -> dict[str, Sequence[object]]:
    """Return all rows of the store, by table."""
    connection = await Connection.open(path)
    tables = (await connection.read("INFO FOR DB"))["tables"]
    rows = {table: await connection.read("SELECT * FROM type::table($table)", {"table": table}) for table in tables}
    await connection.close()
    return rows


async def write_version(path: Path, note: object) -> None:
    """Write another version into the store."""
    connection = await Connection.open(path)
    await connection.commit(
        [Statement("UPSERT $argument.id CONTENT $argument.note", {"id": record_id("meta", "schema"), "note": note})]
    )
    await connection.close()


async def test_a_store_in_use_is_refused_until_its_holder_is_dead(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with start(HOLD, path) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "open\n"
            assert (await refusal(path)).code == "in_use"
        finally:
            holder.kill()
    storage = await SurrealStorage.open(path)
    assert await storage.settings.all() == {"held": 1}
    await storage.close()


async def test_a_store_cannot_be_opened_twice_in_a_process(tmp_path: Path) -> None:
    storage = await SurrealStorage.open(tmp_path / "store")
    assert (await refusal(tmp_path / "store")).code == "in_use"
    await storage.close()
    again = await SurrealStorage.open(tmp_path / "store")
    await again.close()


@pytest.mark.parametrize("name", ["plain", "with space", "é€\U0001f600", "a#b%20c", "deep/er/than that"])
async def test_a_store_can_lie_in_any_folder(tmp_path: Path, name: str) -> None:
    for expected in ({}, {"a": 1}):
        storage = await SurrealStorage.open(tmp_path / name)
        assert await storage.settings.all() == expected
        await storage.commit([PutSetting("a", "1")])
        await storage.close()
    assert (tmp_path / name / "LOCK").exists()


async def test_a_question_mark_in_the_path_is_refused(tmp_path: Path) -> None:
    failed = await refusal(tmp_path / "what?sync=never")
    assert failed.code == "storage_not_writable"
    assert modes(tmp_path) == {0o700}


@pytest.mark.parametrize("below", ["", "store", "deep/store"])
async def test_a_file_in_place_of_a_folder_is_not_writable(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    assert (await refusal(tmp_path / "file" / below)).code == "storage_not_writable"
    assert (tmp_path / "file").read_text() == "mine"


async def test_a_part_that_cannot_be_written_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "store" / "LOCK").mkdir(parents=True)
    assert (await refusal(tmp_path / "store")).code == "storage_not_writable"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind root")
@pytest.mark.parametrize("mode", [0o500, 0o000])
async def test_a_folder_without_permission_is_told_from_one_that_cannot_be_read(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "store"
    path.mkdir()
    path.chmod(mode)
    try:
        failed = await refusal(path)
        assert failed.code == ("storage_not_writable" if mode else "storage_not_readable")
        assert str(path) in failed.message
        assert stat.S_IMODE(path.stat().st_mode) == mode
    finally:
        path.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that takes no files")
async def test_a_file_system_that_takes_no_files_is_not_writable() -> None:
    assert (await refusal(Path("/proc/self/store"))).code == "storage_not_writable"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
async def test_the_folder_and_its_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "made" / "store"
    before = os.umask(0o022)
    try:
        storage = await SurrealStorage.open(path)
        await storage.commit([PutMessage(a_message("m", text="x" * 100_000))])
        assert modes(path) == {0o700, 0o600}
        await storage.close()
        assert modes(path) == {0o700, 0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        for entry in path.rglob("*"):
            entry.chmod(0o755 if entry.is_dir() else 0o644)
        path.chmod(0o755)
        await (await SurrealStorage.open(path)).close()
        assert modes(path) == {0o700, 0o600}
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


def modes(path: Path) -> set[int]:
    """Return the file modes without the type bits."""
    all_modes = {stat.S_IMODE(entry.stat().st_mode) for entry in [path, *path.rglob("*")]}
    assert all(stat.S_IMODE(entry.stat().st_mode) == 0o700 for entry in path.rglob("*") if entry.is_dir())
    return all_modes


async def test_a_new_store_has_every_table_and_its_version(tmp_path: Path) -> None:
    await (await SurrealStorage.open(tmp_path)).close()
    rows = await dump(tmp_path)
    assert set(rows) == set(TABLES)
    checkpoint = {"id": record_id("meta", "checkpoint"), "commit": len(MIGRATIONS) + 1}
    last = {"id": record_id("meta", "commit"), "commit": len(MIGRATIONS)}
    versioned = {"id": record_id("meta", "schema"), "version": VERSION}
    assert [row for table in TABLES for row in rows[table]] == [checkpoint, last, versioned]


@pytest.mark.parametrize("note", [{"version": VERSION + 1}, {"version": "1"}, {}, {"other": 1}])
async def test_a_store_of_another_version_is_doubtful_and_stays_as_it_is(tmp_path: Path, note: object) -> None:
    storage = await SurrealStorage.open(tmp_path)
    await storage.commit([PutWorkflow(a_workflow()), PutMessage(a_message("m", text="\ud800"))])
    await storage.close()
    await write_version(tmp_path, note)
    before = await dump(tmp_path)
    assert (await refusal(tmp_path)).code == "store_doubtful"
    assert await dump(tmp_path) == before


async def test_migrations_run_once_each_and_in_order(tmp_path: Path) -> None:
    connection = await Connection.open(tmp_path)
    await migrate(connection)
    count = "UPSERT meta:count SET runs = (runs ?? []) + [{}]"
    more = [*MIGRATIONS, Migration(VERSION + 1, [count.format(2)]), Migration(VERSION + 2, [count.format(3)])]
    for migrations in (more[:-1], more[:-1], more, more):
        await migrate(connection, migrations)
    assert await version(connection) == VERSION + 2
    assert (await connection.read("SELECT runs FROM ONLY meta:count"))["runs"] == [2, 3]
    await connection.close()


async def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    storage = await SurrealStorage.open(tmp_path)
    await storage.close()
    before = await dump(tmp_path)
    connection = await Connection.open(tmp_path)
    broken = Migration(VERSION + 1, ["DEFINE TABLE fresh", "CREATE meta:fresh", "THROW 'no'"])
    with pytest.raises(StorageFailed, match="no"):
        await migrate(connection, [*MIGRATIONS, broken])
    await connection.close()
    assert await dump(tmp_path) == before


def test_opening_and_closing_ends_cleanly_ten_times(tmp_path: Path) -> None:
    """Three times in a new interpreter, then in forks: each has threads of the driver to end."""
    for number in range(10):
        run(OPEN_AND_CLOSE, tmp_path / "store", afresh=number < 3)
