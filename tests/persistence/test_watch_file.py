"""The numbers of commits, and the file beside the store that holds the last one."""

from pathlib import Path

import pytest

from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.keys import record_id
from core.persistence.statements import Statement
from core.persistence.store_watch import StoreWatch
from core.persistence.surreal import SurrealStorage
from core.persistence.watch_file import MARK_BYTES, DamagedWatchFile, Mark, Picture, SeenFile, WatchFile
from core.ports import PutSetting

FACTS = "INSERT INTO fact (SELECT *, $commit AS commit FROM $argument) RETURN NONE"


async def watched(path: Path) -> Connection:
    """Open a store with a watch file and a table of facts."""
    watch = StoreWatch(path, WatchFile(path), Picture())
    watch.begin()
    connection = await Connection.open(path, watch=watch)
    await connection.commit([Statement("DEFINE TABLE fact", None), Statement("DEFINE TABLE meta", None)])
    return connection


async def test_a_commit_has_a_number_in_its_rows_and_in_the_watch_file(tmp_path: Path) -> None:
    connection = await watched(tmp_path / "store")
    for count in (1, 2):
        rows = [{"id": ["run", count * 10 + n], "data": "x"} for n in range(count)]
        await connection.commit([Statement(FACTS, rows, carrier=("fact", rows[0]["id"]))])
    _, mark = WatchFile(tmp_path / "store").read()
    assert mark == Mark(3, ("fact", ["run", 20]))
    numbers = await connection.read("SELECT VALUE commit FROM fact")
    assert numbers == [2, 3, 3]
    await connection.close()


async def test_a_commit_without_such_rows_carries_its_number_in_one_row(tmp_path: Path) -> None:
    storage = await SurrealStorage.open(tmp_path / "store")
    for number in range(3):
        await storage.commit([PutSetting("a", f"{number}")])
    _, mark = WatchFile(tmp_path / "store").read()
    assert mark.row == ("meta", "commit")
    row = await storage.connection.read("SELECT * FROM ONLY $id", {"id": record_id("meta", "commit")})
    assert row["commit"] == mark.number
    await storage.close()


async def test_a_commit_that_fails_has_its_number_alone(tmp_path: Path) -> None:
    connection = await watched(tmp_path / "store")
    rows = [{"id": ["run", 1]}]
    await connection.commit([Statement(FACTS, rows, carrier=("fact", ["run", 1]))])
    with pytest.raises(StorageFailed):
        await connection.commit([Statement(FACTS, rows, carrier=("fact", ["run", 1]))])
    assert WatchFile(tmp_path / "store").read()[1].number == 2
    await connection.commit([Statement("DEFINE TABLE other", None)])
    assert WatchFile(tmp_path / "store").read()[1].number == 4
    await connection.close()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    watch = WatchFile(tmp_path / "store")
    picture = Picture(3, "engine", is_clean=True, files={"a/é": SeenFile(5, ("x",), (1, 2))}, counters={"runs": 3})
    watch.write(picture)
    watch.note_commit(7, ("fact", ["run", 1]))
    read, mark = WatchFile(tmp_path / "store").read()
    assert (read, mark) == (picture, Mark(7, ("fact", ["run", 1])))
    watch.note_commit(8, ("fact", ["r" * 1000, 1]))
    assert watch.read()[1] == Mark(8)
    watch.write(Picture())
    assert watch.read() == (Picture(), Mark(8))
    watch.close()


@pytest.mark.parametrize("at", [0, 5, MARK_BYTES - 1, MARK_BYTES, MARK_BYTES + 40, -3])
@pytest.mark.parametrize("harm", ["cut", "flip"])
def test_a_damaged_watch_file_is_noticed(tmp_path: Path, at: int, harm: str) -> None:
    watch = WatchFile(tmp_path / "store")
    watch.write(Picture(3, "engine"))
    watch.close()
    data = bytearray(watch.path.read_bytes())
    if harm == "cut":
        del data[at:]
    else:
        data[at] ^= 0x10
    watch.path.write_bytes(data)
    with pytest.raises(DamagedWatchFile):
        watch.read()
