"""Copies of a store's rows: what is read page by page, written as lines and loaded elsewhere is the same."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import StorageFailed
from core.persistence import dump
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.row_lines import decode_row, encode_row
from core.persistence.statements import Statement

KEYS: list[Any] = ["", "a", "`quoted`⟩", "é", -1, 7, ["r", 1], ["r", 2, "step"], ["r", ["nested"], -1], []]
VALUES: dict[str, Any] = {
    "text": "\u2028 \x00 \x1b 🙂",
    "empty": "",
    "number": -(2**63),
    "half": 0.5,
    "whole": 2.0,
    "flag": False,
    "bytes": b"\xed\xa0\x80\x00",
    "list": [None, [], {}, {"deep": [b"x"]}],
    "object": {"$bytes": "not bytes", "plain": {"$object": {}}},
    "record": RecordID("run", ["r", 1]),
}


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[Connection]:
    connection = await dump.create_store(tmp_path / "source")
    yield connection
    await connection.close()


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[Connection]:
    connection = await dump.create_store(tmp_path / "target")
    yield connection
    await connection.close()


async def insert(connection: Connection, rows: list[dict[str, Any]]) -> None:
    await connection.commit([Statement("INSERT $argument RETURN NONE", rows)])


async def test_a_copy_has_the_same_rows(source: Connection, target: Connection) -> None:
    await insert(source, [{"id": RecordID("fact", key), **VALUES} for key in KEYS])
    await insert(source, [{"id": RecordID("run", str(number)), "place": str(number)} for number in range(450)])

    digests = await dump.load_pages(target, dump.read_pages(source))

    await dump.verify(target, digests)
    assert digests.tables["fact"].rows == len(KEYS)
    assert digests.tables["run"].rows == 450
    for table in ("fact", "run"):
        assert await target.read(f"SELECT * FROM {table}") == await source.read(f"SELECT * FROM {table}")


async def test_pages_are_short_in_rows_and_in_bytes(source: Connection) -> None:
    await insert(source, [{"id": RecordID("run", str(number))} for number in range(450)])
    for number in range(6):
        length = dump.PAGE_BYTES // 3 if number != 4 else 3 * dump.PAGE_BYTES
        await insert(source, [{"id": RecordID("fact", ["r", number]), "data": "x" * length}])

    pages = [(table, len(rows)) async for table, rows in dump.read_pages(source, ["fact", "run"])]

    assert pages == [("fact", 2), ("fact", 2), ("fact", 1), ("fact", 1), ("run", 200), ("run", 200), ("run", 50)]


async def test_a_lost_or_changed_row_is_found(source: Connection, target: Connection) -> None:
    await insert(source, [{"id": RecordID("run", "a"), "n": 1}, {"id": RecordID("agent", "b"), "n": 1}])
    digests = await dump.load_pages(target, dump.read_pages(source))
    await target.commit([Statement("UPDATE run:a SET n = 2 RETURN NONE", None)])
    await target.commit([Statement("DELETE agent RETURN NONE", None)])

    with pytest.raises(StorageFailed, match="agent, run") as failed:
        await dump.verify(target, digests)

    assert failed.value.code == "store_doubtful"


async def test_a_table_that_the_store_does_not_have_is_refused(target: Connection) -> None:
    async def pages() -> AsyncIterator[dump.Page]:
        yield "run; REMOVE TABLE run", [{"id": RecordID("x", "a")}]

    with pytest.raises(StorageFailed, match="no table"):
        await dump.load_pages(target, pages())


async def test_an_older_version_has_only_its_tables(tmp_path: Path) -> None:
    connection = await dump.create_store(tmp_path / "old", version=3)
    names = await dump.table_names(connection)
    await connection.close()

    assert "interruption" in names
    assert "agent" not in names


async def test_a_folder_with_files_is_not_made_a_store(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("mine")

    with pytest.raises(StorageFailed, match="not empty"):
        await dump.create_store(tmp_path)

    assert letter.read_text() == "mine"
    assert not (tmp_path / "LOCK").exists()


@pytest.mark.parametrize("key", KEYS)
def test_a_line_reads_back(key: Any) -> None:
    row = {"id": RecordID("fact", key), **VALUES}

    line = encode_row(row)

    assert "\n" not in line
    assert decode_row(line) == ("fact", row)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        '["run","a"]',
        '["run","a",[]]',
        '[1,"a",{}]',
        '["run",null,{}]',
        '["run",true,{}]',
        '["run",1.5,{}]',
        '["run","a",{"x":{"$run":1}}]',
        '["run","a",{"x":{"$bytes":"*"}}]',
        '["run","a",{"x":{"$record":["run",null]}}]',
        '["run","a",{"x":NaN}]',
        '["run","a",' + '{"x":[' * 50_000,
    ],
)
def test_what_is_no_row_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not the text of a row"):
        decode_row(line)


def test_a_value_that_no_row_has_is_refused() -> None:
    with pytest.raises(StorageFailed, match="cannot be copied"):
        encode_row({"id": RecordID("run", "a"), "x": object()})
