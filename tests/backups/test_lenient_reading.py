"""Reading around damage: one damaged block costs its own rows, not those of the whole table."""

import os
from pathlib import Path
from typing import Any

import pytest

from core.backups import jobs
from core.backups.backup_file import BackupFile
from core.backups.lenient_reading import _middle_text, read_around_damage
from core.errors import StorageFailed
from core.persistence import dump
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.statements import Statement
from tests.backups.test_backup_file import AT

TABLES = ("run", "fact", "setting")


def rows_of(table: str) -> list[dict[str, Any]]:
    noise = [os.urandom(200).hex() for _ in range(300)]
    if table == "fact":
        return [{"id": RecordID(table, [f"run_01K{n // 10:04}", n % 10]), "data": text} for n, text in enumerate(noise)]
    return [{"id": RecordID(table, f"{table}_01K{n:04}"), "data": text} for n, text in enumerate(noise)]


async def read(connection: Connection, table: str) -> tuple[list[Any], list[str]]:
    lost = list[str]()
    keys = [row["id"].id async for rows in read_around_damage(connection, table, lost.append) for row in rows]
    return keys, lost


@pytest.mark.parametrize("place", [0.2, 0.5])
async def test_a_damaged_block_costs_its_own_rows(tmp_path: Path, place: float) -> None:
    connection = await dump.create_store(tmp_path / "store")
    for table in TABLES:
        await connection.commit([Statement("INSERT $argument RETURN NONE", rows_of(table))])
    await connection.close()
    table_file = max((tmp_path / "store" / "sstables").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(table_file.read_bytes())
    data[int(len(data) * place)] ^= 1
    table_file.write_bytes(data)

    connection = await Connection.open_copy(tmp_path / "store")
    read_keys = {table: await read(connection, table) for table in TABLES}
    with pytest.raises(StorageFailed):
        await dump.digests_of(connection)
    await connection.close()
    await jobs.write_backup(
        lambda progress: None,
        folder=str(tmp_path / "store"),
        file=str(tmp_path / "salvaged"),
        reason="salvage",
        created_at=AT.isoformat(),
    )
    saved = BackupFile(tmp_path / "salvaged").info

    missing = {table: 300 - len(keys) for table, (keys, _) in read_keys.items()}
    assert [count > 0 for count in missing.values()].count(True) == 1
    assert {table: saved.rows.get(table, 0) for table in TABLES} == {
        table: len(read_keys[table][0]) for table in TABLES
    }
    assert 0 < sum(missing.values()) < 200
    for table, (keys, lost) in read_keys.items():
        assert (len(lost) > 0) == (missing[table] > 0)
        assert len({repr(key) for key in keys}) == len(keys)
        assert {repr(key) for key in keys} <= {repr(row["id"].id) for row in rows_of(table)}


@pytest.mark.parametrize(
    ("low", "high"),
    [("", None), ("a", "b"), ("a", "a\x01"), ("run_01", "run_02"), ("é", None), ("\ud7ff", "\ue000"), ("abc", "abd")],
)
def test_a_middle_is_between_its_ends(low: str, high: str | None) -> None:
    middle = _middle_text(low, high)

    if middle is not None:
        assert low < middle
        assert high is None or middle < high
        middle.encode()


def test_nothing_is_between_neighbours() -> None:
    assert _middle_text("a", "a\0") is None
