"""The store stays small and fast: large values are written once, and no query scans a table."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

import pytest

from core.domain.events import with_text
from core.domain.run import RunStatus
from core.persistence import interruptions, messages, runs
from core.persistence.connection import Connection
from core.persistence.keys import UNFINISHED
from core.persistence.schema import migrate
from core.persistence.surreal import SurrealStorage
from core.ports import ChangeRun, CreateRun, Write
from tests.contracts.rows import (
    R,
    a_call,
    a_run,
    a_snapshot,
    appended,
    asked,
    closed,
    ended,
    finished,
    numbered_events,
    settled,
)

LARGE = 500_000
TIMES = 20


def bytes_in(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


async def size_after(path: Path, history: list[list[Write]]) -> int:
    """Return the size on disk of a new store after these commits."""
    storage = await SurrealStorage.open(path)
    for writes in history:
        assert await storage.commit(writes) == frozenset()
    await storage.close()
    return bytes_in(path)


def back_and_forth() -> list[list[Write]]:
    running, waiting = frozenset({RunStatus.RUNNING}), frozenset({RunStatus.WAITING})
    turn: list[list[Write]] = [
        [ChangeRun(R, running, RunStatus.WAITING)],
        [ChangeRun(R, waiting, RunStatus.RUNNING)],
    ]
    return turn * TIMES


async def test_a_change_of_status_does_not_write_the_snapshot_again(tmp_path: Path) -> None:
    large: list[Write] = [CreateRun(a_run(), a_snapshot(input={"text": "x" * LARGE}))]
    size = await size_after(tmp_path / "store", [large, *back_and_forth()])
    assert LARGE < size < 2 * LARGE


async def test_a_change_of_status_does_not_write_the_output_again(tmp_path: Path) -> None:
    run = a_run(output_json='"' + "x" * LARGE + '"')
    size = await size_after(tmp_path / "store", [[CreateRun(run, a_snapshot())], *back_and_forth()])
    assert LARGE < size < 2 * LARGE


async def test_closing_an_interruption_does_not_rewrite_its_question(tmp_path: Path) -> None:
    end: list[Write] = [closed()]
    size = await size_after(tmp_path / "store", [[asked(input="x" * LARGE)], *[end] * TIMES])
    assert LARGE < size < 1.5 * LARGE


async def test_a_value_is_stored_once(tmp_path: Path) -> None:
    """The output of a run is its own: it is found without the events."""
    text = "x" * LARGE
    step: list[Write] = [appended(numbered_events(a_call(arguments=text), settled(result=1), finished(output=1)))]
    once = await size_after(tmp_path / "once", [[CreateRun(a_run(), a_snapshot())], step])
    assert LARGE < once < 1.5 * LARGE
    output = with_text(finished(output=text), f'"{text}"')
    ends: list[Write] = [appended(numbered_events(output)), ended(output_json=f'"{text}"')]
    twice = await size_after(tmp_path / "twice", [[CreateRun(a_run(), a_snapshot())], ends])
    assert twice < 2.5 * LARGE


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncIterator[Connection]:
    opened = await Connection.open(tmp_path / "store")
    await migrate(opened)
    yield opened
    await opened.close()


def operators(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the operators of a query plan with their attributes, innermost last."""
    attributes = {plan["operator"]: plan["attributes"]}
    for child in plan.get("children", ()):
        attributes |= operators(child)
    return attributes


@pytest.mark.parametrize(
    ("query", "index", "is_limited"),
    [
        (runs._PAGES[False, False], "run_by_root", True),
        (runs._PAGES[True, False], "run_by_status", True),
        (runs._PAGES[False, True], "run_by_workflow", True),
        (runs._PAGES[True, True], "run_by_workflow", False),
        (runs._UNFINISHED, "run_by_status", False),
        (runs._CHILDREN, "run_by_parent", True),
        (interruptions._OPEN, "interruption_by_place", True),
        (messages._OF_WORKFLOW, "message_by_workflow", True),
    ],
)
async def test_rows_are_found_by_an_index(connection: Connection, query: str, index: str, is_limited: bool) -> None:
    variables = {
        "place": "5",
        "limit": 50,
        "status": "running",
        "workflow": "w",
        "parent_run": "p",
        "statuses": UNFINISHED,
    }
    plan = operators(await connection.read(f"{query} EXPLAIN", variables))
    assert plan["IndexScan"]["index"] == index
    assert ("limit" in plan["IndexScan"]) is is_limited, "the index is read to its end"
    if is_limited:
        assert not any("Sort" in operator for operator in plan)


def test_each_kind_of_write_has_its_statements() -> None:
    """A commit asks only the repositories of the writes that it holds, so a kind that none names would be dropped."""
    storage = SurrealStorage(None)  # type: ignore[arg-type]  # nothing is read or written
    named = [kind for kinds, _ in storage._builders for kind in kinds]
    assert sorted(named, key=str) == sorted(get_args(Write), key=str)
