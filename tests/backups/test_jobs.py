"""Writing a backup of a store's copy and loading it into a new store."""

import gzip
import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.backups import backup_file, jobs
from core.backups.backup_file import BackupFile, BackupWriter
from core.domain.backup import BackupReason
from core.errors import MetierError, Refused, StorageFailed
from core.persistence import dump, schema
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.statements import Statement
from core.persistence.worker import Report
from tests.backups.test_backup_file import AT

Rows = list[dict[str, Any]]


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def ignore(progress: dict[str, Any]) -> None:
    pass


async def make_store(folder: Path, rows: Rows, version: int | None = None) -> Path:
    connection = await dump.create_store(folder, version)
    await connection.commit([Statement("INSERT $argument RETURN NONE", rows)])
    await connection.close()
    return folder


async def digests_of(folder: Path) -> dump.Digests:
    connection = await Connection.open(folder)
    digests = await dump.digests_of(connection)
    await connection.close()
    return digests


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def back_up(folder: Path, file: Path, report: Report = ignore) -> BackupFile:
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    await write_backup(copy, file, report)
    return BackupFile(file)


async def write_backup(folder: Path, file: Path, report: Report = ignore) -> None:
    await jobs.write_backup(report, folder=str(folder), file=str(file), reason="daily", created_at=AT.isoformat())


async def load_backup(tmp_path: Path) -> None:
    await jobs.load_backup(ignore, file=str(tmp_path / "file"), folder=str(tmp_path / "new"))


ROWS: Rows = [
    *({"id": RecordID("run", f"r{number}"), "place": str(number)} for number in range(500)),
    {"id": RecordID("run", "child"), "root": "r1"},
    {"id": RecordID("workflow", "w1"), "title": "Kept"},
    {"id": RecordID("workflow", "w2"), "title": "Gone", "discarded_at": 1},
    {"id": RecordID("task", ["r1", 1]), "data": "é" * 300_000, "bytes": b"\xff"},
]


async def test_a_restored_store_has_the_same_rows(tmp_path: Path) -> None:
    store = await make_store(tmp_path / "store", ROWS)

    backup = await back_up(store, tmp_path / "file")
    await load_backup(tmp_path)

    assert await digests_of(tmp_path / "new") == await digests_of(store)
    assert (backup.info.workflows, backup.info.runs, backup.info.schema) == (1, 500, schema.VERSION)
    assert names(tmp_path) == ["copy", "file", "new", "store"]


async def test_a_run_that_was_at_work_is_marked_so_that_it_does_not_go_on(tmp_path: Path) -> None:
    rows: Rows = [
        {"id": RecordID("run", name), "status": name} for name in ("running", "enqueued", "waiting", "success")
    ]
    await back_up(await make_store(tmp_path / "store", rows), tmp_path / "file")

    await load_backup(tmp_path)

    connection = await Connection.open(tmp_path / "new")
    marked = await connection.read("SELECT VALUE status FROM run WHERE unclean_ends = -1 ORDER BY status")
    await connection.close()
    assert marked == ["enqueued", "running"]


async def test_progress_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "REPORT_S", 0)
    store, reports = await make_store(tmp_path / "store", ROWS), list[dict[str, Any]]()

    await back_up(store, tmp_path / "file", reports.append)

    assert [report["rows"] for report in reports] == sorted(report["rows"] for report in reports)
    assert reports[-1]["rows"] == reports[-1]["of"] > len(ROWS)


async def test_an_older_store_is_restored_and_brought_to_the_current_version(tmp_path: Path) -> None:
    store = await make_store(tmp_path / "store", [{"id": RecordID("run", "a")}], version=5)

    backup = await back_up(store, tmp_path / "file")
    await load_backup(tmp_path)

    assert backup.info.schema == 5
    connection = await Connection.open(tmp_path / "new")
    assert await schema.version(connection) == schema.VERSION
    assert len(await connection.read("SELECT * FROM run")) == 1
    await connection.close()


async def test_a_previous_file_stays_if_the_store_cannot_be_read(tmp_path: Path) -> None:
    file, copy = tmp_path / "file", tmp_path / "copy"
    file.write_text("the previous one")
    copy.mkdir()

    with pytest.raises(StorageFailed):
        await write_backup(copy, file)

    assert file.read_text() == "the previous one"
    assert names(tmp_path) == ["copy", "file"]


async def test_a_backup_that_reads_back_differently_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await make_store(tmp_path / "store", ROWS)
    honest = BackupWriter.add

    def forgetful(self: BackupWriter, lines: Iterable[str]) -> None:
        honest(self, [line for line in lines if '"r77"' not in line])

    monkeypatch.setattr(BackupWriter, "add", forgetful)

    with pytest.raises(StorageFailed, match="run"):
        await back_up(store, tmp_path / "file")
    assert names(tmp_path) == ["copy", "store"]


def write_file(path: Path, rows: Rows, version: int = schema.VERSION) -> Path:
    writer, digests = BackupWriter(path, BackupReason.DAILY, AT, version, "3", "0"), dump.Digests()
    for row in [{"id": RecordID("meta", "schema"), "version": version}, *rows]:
        writer.add(digests.add(row["id"].table_name, [row]))
    writer.finish(digests, 0, 0)
    return path


@pytest.mark.parametrize(
    ("rows", "version", "reason"),
    [
        ([], schema.VERSION + 1, "newer"),
        ([], 10**6, "newer"),
        ([], 0, "changed"),
        ([], -1, "changed"),
        ([{"id": RecordID("stranger", "a")}], schema.VERSION, "changed"),
        ([{"id": RecordID("run; REMOVE TABLE run", "a")}], schema.VERSION, "changed"),
        ([{"id": RecordID("meta", "schema"), "version": 1}], schema.VERSION, "changed"),
        ([{"id": RecordID("run", "a"), "n": 1}, {"id": RecordID("run", "a"), "n": 2}], schema.VERSION, "changed"),
    ],
)
async def test_what_does_not_fit_is_refused(tmp_path: Path, rows: Rows, version: int, reason: str) -> None:
    write_file(tmp_path / "file", rows, version)

    with pytest.raises(MetierError) as failed:
        await load_backup(tmp_path)

    assert (failed.value.code, failed.value.parameters["reason"]) == ("bad_backup", reason)


async def test_a_backup_that_unpacks_to_more_than_is_free_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_file(tmp_path / "file", [{"id": RecordID("task", "a"), "data": "x" * 20_000_000}])
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10**9, 0, 20_000_000))

    with pytest.raises(StorageFailed) as failed:
        await load_backup(tmp_path)

    assert failed.value.code == "storage_full"
    assert names(tmp_path) == [file.name]


async def test_rows_that_are_not_announced_are_refused(tmp_path: Path) -> None:
    file = write_file(tmp_path / "file", [{"id": RecordID("run", "a")}])
    *lines, summary = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    packed = gzip.compress(b"".join(lines))
    forged = {**json.loads(summary), "tables": {}, "sha256": hashlib.sha256(packed).hexdigest()}
    file.write_bytes(packed + backup_file.stored_member(json.dumps(forged).encode()))

    with pytest.raises(Refused, match="announces"):
        await load_backup(tmp_path)
