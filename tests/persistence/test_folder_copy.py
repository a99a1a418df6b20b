"""Copies of an open store's folder: one moment of it, and nothing that happens to the copy happens to the store."""

import asyncio
import errno
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.persistence.connection import Connection
from core.persistence.folder_copy import FolderCopy, copied_folder
from core.persistence.statements import Statement
from core.threads.pieces import in_thread

VALUE = "x" * 20_000


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Connection]:
    """A store with tables, value files and a log."""
    connection = await Connection.open(tmp_path / "store")
    await connection.commit([Statement("DEFINE TABLE counted SCHEMALESS", None)])
    for number in range(-2, 0):
        await insert(connection, number)
        await connection.close()
        connection = await Connection.open(tmp_path / "store")
    yield connection
    await connection.close()


async def insert(connection: Connection, number: int) -> None:
    row = {"id": number, "text": VALUE, "noise": os.urandom(3_000)}
    await connection.commit([Statement("INSERT INTO counted $argument RETURN NONE", [row])])


async def numbers(folder: Path) -> list[int]:
    """Open the copy, change it, and return the numbers that it had."""
    connection = await Connection.open(folder)
    found = [row.id for row in await connection.read("SELECT VALUE id FROM counted ORDER BY id")]
    await insert(connection, 1_000_000)
    await connection.close()
    return found


def hashes(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


async def test_a_copy_under_writes_holds_every_commit_up_to_one(store: Connection, tmp_path: Path) -> None:
    written = 0

    async def write() -> None:
        nonlocal written
        while True:
            await insert(store, written)
            written += 1

    writer = asyncio.create_task(write())
    try:
        for _ in range(4):
            before = written
            async with copied_folder(store, tmp_path / "copy") as copy:
                after = written
                found = await numbers(copy)
            assert found == list(range(-2, found[-1] + 1))
            assert before <= len(found) - 2 <= after + 1
    finally:
        writer.cancel()
        await asyncio.gather(writer, return_exceptions=True)
    assert not (tmp_path / "copy").exists()


async def test_what_happens_to_the_copy_does_not_happen_to_the_store(store: Connection, tmp_path: Path) -> None:
    await insert(store, 0)
    before = hashes(tmp_path / "store")

    async with copied_folder(store, tmp_path / "copy") as copy:
        assert await numbers(copy) == [-2, -1, 0]

    assert hashes(tmp_path / "store") == before
    rows = await store.read("SELECT VALUE id FROM counted")
    assert sorted(row.id for row in rows) == [-2, -1, 0]


async def test_a_copy_is_private_and_replaces_what_a_killed_process_left(store: Connection, tmp_path: Path) -> None:
    (tmp_path / "copy" / "wal").mkdir(parents=True)
    (tmp_path / "copy" / "wal" / "00000000000000000009.wal").write_bytes(b"old")

    async with copied_folder(store, tmp_path / "copy") as copy:
        names = set(hashes(copy))
        mode = copy.stat().st_mode & 0o777

    assert names == set(hashes(tmp_path / "store")) - {"LOCK"}
    assert os.name == "nt" or mode == 0o700


async def test_a_file_system_without_links_gets_copies(
    store: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)

    async with copied_folder(store, tmp_path / "copy") as copy:
        assert await numbers(copy) == [-2, -1]


async def test_a_file_that_was_replaced_is_copied_again(tmp_path: Path) -> None:
    log = tmp_path / "store" / "wal" / "1.wal"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"first, and longer")
    copy = FolderCopy(tmp_path / "store", tmp_path / "copy")
    assert await in_thread(copy.update())

    log.rename(log.with_name("2.wal"))
    log.write_bytes(b"second")
    assert await in_thread(copy.update())

    assert hashes(tmp_path / "copy") == hashes(tmp_path / "store")
