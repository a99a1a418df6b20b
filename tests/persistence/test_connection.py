"""A single writer, whole transactions, and cancelled callers."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import StorageFailed
from core.persistence import failures
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.folder import wal_bytes
from core.persistence.open_store import Limits, OpenStore, lock_folder
from core.persistence.statements import Query, Statement, batched, batched_statements, build_query
from core.persistence.surreal import SurrealStorage
from core.ports import PutMessage, PutSetting
from tests.contracts.rows import W, a_message, appended, created, finished, numbered_events
from tests.persistence.processes import run

COUNT = "UPSERT counter:one SET number = (number ?? 0) + $argument RETURN NONE"
SLOW_COUNT = f"{{ SLEEP 100ms; {COUNT} }}"


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncIterator[Connection]:
    opened = await Connection.open(tmp_path / "store")
    await opened.commit([Statement("DEFINE TABLE counter", None)])
    yield opened
    await opened.close()


async def number(connection: Connection) -> int:
    row = await connection.read("SELECT number FROM ONLY counter:one")
    return row["number"] if row else 0


class Scripted:
    """Answers queries with these problems, then with success."""

    def __init__(self, *problems: Any) -> None:
        self.problems = list(problems)
        self.asked = 0

    async def query_raw(self, text: str, variables: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        if not self.problems:
            return {"result": [{"status": "OK", "result": "done"}]}
        return {"result": [self.problems.pop(0)]}

    async def close(self) -> None:
        pass


CONFLICT = {"status": "ERR", "result": "conflict", "details": {"kind": "TransactionConflict"}}


async def test_nothing_of_a_failed_transaction_is_written(connection: Connection) -> None:
    statements = [Statement(COUNT, 1), Statement("THROW $argument", "no"), Statement(COUNT, 1)]
    with pytest.raises(StorageFailed, match="no") as failed:
        await connection.commit(statements)
    assert failed.value.code == "storage_failed"
    assert await number(connection) == 0


async def test_every_statement_has_its_result(connection: Connection) -> None:
    texts = ["$argument + 1", "{ LET $x = $argument; $x }", "UPSERT counter:two SET a = $argument RETURN VALUE a"]
    assert await connection.commit([Statement(text, n) for n, text in enumerate(texts)]) == [1, 1, [2]]
    assert await connection.commit([Statement(texts[1], 7)]) == [7]


async def test_a_statement_that_ends_its_transaction_early_does_not_pass_unnoticed(connection: Connection) -> None:
    with pytest.raises(StorageFailed, match="early"):
        await connection.commit([Statement("{ RETURN 1 }", None), Statement(COUNT, 1)])


async def test_a_query_that_is_no_query_fails(connection: Connection) -> None:
    with pytest.raises(StorageFailed, match=r"(?i)parse error"):
        await connection.read("SELECT FROM WHERE")


@pytest.mark.parametrize("value", ["\ud800", 2**70, object(), {1: 2}])
async def test_what_the_driver_cannot_take_is_a_failure_of_the_store(connection: Connection, value: object) -> None:
    with pytest.raises(StorageFailed, match="cannot be stored"):
        await connection.commit([Statement("RETURN $argument", value)])


async def test_a_value_that_is_no_json_is_a_failure_of_the_store(tmp_path: Path) -> None:
    storage = await SurrealStorage.open(tmp_path / "store")
    with pytest.raises(StorageFailed) as failed:
        await storage.commit([created(title=float("nan")), appended(numbered_events(finished()))])
    assert failed.value.code == "storage_failed"
    assert await storage.runs.page() == []
    await storage.close()


async def test_commits_of_many_tasks_lose_none(connection: Connection) -> None:
    async with asyncio.TaskGroup() as tasks:
        for _ in range(50):
            tasks.create_task(connection.commit([Statement(COUNT, 1)]))
    assert await number(connection) == 50


async def test_a_commit_goes_on_when_its_caller_is_cancelled(connection: Connection) -> None:
    caller = asyncio.create_task(connection.commit([Statement(SLOW_COUNT, 1)]))
    await asyncio.sleep(0.02)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await number(connection) == 0
    await connection.commit([Statement(COUNT, 10)])
    assert await number(connection) == 11


async def test_a_commit_that_waits_for_its_turn_goes_on_too(connection: Connection) -> None:
    first = asyncio.create_task(connection.commit([Statement(SLOW_COUNT, 1)]))
    second = asyncio.create_task(connection.commit([Statement(COUNT, 10)]))
    await asyncio.sleep(0.02)
    second.cancel()
    await first
    await connection.commit([Statement(COUNT, 100)])
    assert await number(connection) == 111


async def test_closing_waits_for_what_is_running(tmp_path: Path) -> None:
    connection = await Connection.open(tmp_path / "store")
    await connection.commit([Statement("DEFINE TABLE counter", None)])
    commits = [asyncio.create_task(connection.commit([Statement(SLOW_COUNT, 1)])) for _ in range(3)]
    reading = asyncio.create_task(connection.read("{ SLEEP 50ms; 5 }"))
    await asyncio.sleep(0.02)
    for task in (commits[1], reading):
        task.cancel()
    await connection.close()
    assert commits[0].done()
    assert wal_bytes(tmp_path / "store") == 0
    again = await Connection.open(tmp_path / "store")
    assert await number(again) == 3
    await again.close()


async def test_a_closed_store_refuses_and_closes_again(tmp_path: Path) -> None:
    connection = await Connection.open(tmp_path / "store")
    await connection.close()
    await connection.close()
    with pytest.raises(StorageFailed, match="closed"):
        await connection.read("RETURN 1")
    with pytest.raises(StorageFailed, match="closed"):
        await connection.commit([Statement("RETURN 1", None)])


async def test_a_conflict_is_tried_again_a_few_times(tmp_path: Path) -> None:
    store = OpenStore(tmp_path, await lock_folder(tmp_path), 1)
    connection = Connection(store)
    store.handle = handle = Scripted(CONFLICT, CONFLICT)
    assert await connection.commit([Statement("", None)]) == ["done"]
    assert handle.asked == 3
    store.handle = handle = Scripted(*[CONFLICT] * 100)
    with pytest.raises(StorageFailed) as failed:
        await connection.commit([Statement("", None)])
    assert failed.value.code == "storage_failed"
    assert handle.asked < 10


@pytest.mark.parametrize(
    ("report", "code"),
    [
        ("WAL error: IO error: kind=file too large, message=File too large (os error 27)", "storage_full"),
        ("WAL error: no storage space", "storage_full"),
        ("IO error: No space left on device (os error 28)", "storage_full"),
        ("IO error: Permission denied (os error 13)", "storage_not_writable"),
        ("IO error: Read-only file system (os error 30)", "storage_not_writable"),
        ("IO error: Input/output error (os error 5)", "storage_failed"),
        ("Database at x/LOCK is already locked by another process", "in_use"),
        ("checksum verification failed", "storage_failed"),
    ],
)
def test_the_cause_is_found_among_the_consequences(report: str, code: str) -> None:
    consequences = [
        "The query was not executed due to a failed transaction",
        f"Cannot COMMIT: There was a problem with a transaction: {report}",
    ]
    failed = failures.storage_failure(consequences)
    assert failed.code == code
    assert report in failed.message
    assert failures.storage_failure(["The query was not executed due to a failed transaction"]).code == "storage_failed"


def test_statements_become_a_single_query() -> None:
    assert build_query([Statement("A $argument", 1)]) == Query("A $argument0", {"argument0": 1})
    both = [Statement("A $argument.x", 1), Statement("B $input", 2)]
    assert build_query(both) == Query("BEGIN; A $argument0.x; B $input; COMMIT", {"argument0": 1, "argument1": 2})


def test_rows_are_sent_as_a_text_without_none() -> None:
    query = build_query([Statement("A $argument", [{"id": ["r", 1], "output": None, "text": "é\n"}])])
    assert query.text == "A (encoding::json::decode($argument0))"
    assert json.loads(query.variables["argument0"]) == [{"id": ["r", 1], "text": "é\n"}]


def test_bytes_records_and_long_texts_go_as_they_are() -> None:
    for value, is_long in ((b"x", False), (RecordID("run", "r"), False), ("x" * 20_000, True), (b"x" * 20_000, True)):
        rows = [{"id": "one", "value": value}]
        assert build_query([Statement("A $argument", rows)]) == Query("A $argument0", {"argument0": rows}, is_long)


async def test_short_and_long_rows_are_read_as_they_were_written(connection: Connection) -> None:
    texts = [
        "",
        "null",
        "run:one",
        "2026-01-01T00:00:00Z",
        '"\\ \x7f\u2028 😀',
        "1.5dec",
        "x" * 20_000,
        "é" * 3_000_000,
    ]
    rows = [{"id": ["t", number], "text": text, "number": 2**63 - 1} for number, text in enumerate(texts)]
    for row in rows:
        await connection.commit([Statement("INSERT INTO kept $argument RETURN NONE", [row])])
    rows = await connection.read("SELECT * FROM kept")
    assert [(row["text"], row["number"]) for row in rows] == [(text, 2**63 - 1) for text in texts]


def test_many_rows_become_statements_of_at_most_two_hundred() -> None:
    rows: list[dict[str, Any]] = [{"id": number} for number in range(450)]
    assert [len(statement.argument) for statement in batched_statements("A $argument", rows)] == [200, 200, 50]
    assert batched_statements("A $argument", []) == []
    assert list(batched([1, 2, 3], 2)) == [[1, 2], [3]]


def test_a_process_that_dies_leaves_a_log_and_the_next_process_starts_another(tmp_path: Path) -> None:
    store = tmp_path / "store"
    die = """
async def main():
    storage = await SurrealStorage.open(STORE)
    await storage.commit([PutMessage(a_message("m")), PutSetting("a", "1")])
    os.kill(os.getpid(), signal.SIGKILL)
"""
    run(die, store, code=-9)
    assert wal_bytes(store) > 0

    async def look() -> None:
        before = wal_bytes(store)
        storage = await SurrealStorage.open(store)
        assert wal_bytes(store) < before
        assert await storage.messages.of_workflow(W) == [a_message("m")]
        await storage.commit([PutMessage(a_message("m2", 1)), PutSetting("a", "2")])
        await storage.close()
        assert wal_bytes(store) == 0

    asyncio.run(look())


async def test_a_long_log_is_written_out_in_a_pause(tmp_path: Path) -> None:
    connection = await Connection.open(tmp_path / "store", limits=Limits(idle_s=0.05, idle_log_bytes=100_000))
    await connection.commit([Statement("DEFINE TABLE counter", None)])
    await connection.commit([Statement("UPSERT counter:long SET text = $argument RETURN NONE", "a" * 300_000)])
    assert wal_bytes(tmp_path / "store") > 100_000
    async with asyncio.timeout(20):
        while wal_bytes(tmp_path / "store") > 100_000:
            assert await number(connection) == 0  # whoever reads meanwhile gets an answer
            await asyncio.sleep(0.01)
    await asyncio.gather(*(connection.commit([Statement(COUNT, 1)]) for _ in range(10)))
    assert await number(connection) == 10
    await connection.close()


async def test_what_is_written_all_the_time_is_no_pause(tmp_path: Path) -> None:
    connection = await Connection.open(tmp_path / "store", limits=Limits(idle_s=0.3, idle_log_bytes=0))
    await connection.commit([Statement("DEFINE TABLE counter", None)])
    handle = connection._store.handle
    for _ in range(40):
        await connection.commit([Statement(COUNT, 1)])
        await asyncio.sleep(0.01)
    assert connection._store.handle is handle
    await connection.close()
