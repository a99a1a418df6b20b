"""Finding runs: by status, by workflow, page by page, and unreadable runs."""

from dataclasses import replace

import pytest

from core.domain.ids import RunId
from core.domain.run import ErrorInfo, Run, RunStatus
from core.errors import StorageFailed
from core.ports import ChangeRun, CreateRun, MarkUnreadable, Storage, Write
from tests.contracts.conftest import Store
from tests.contracts.rows import (
    R2,
    W2,
    R,
    W,
    a_run,
    a_snapshot,
    appended,
    at,
    created,
    ended,
    finished,
    numbered_events,
)

R3 = RunId("run_3")
COUNT = 450
STATUSES = [RunStatus.SUCCESS, RunStatus.ENQUEUED, RunStatus.RUNNING, RunStatus.WAITING, RunStatus.ERROR]


def many_runs() -> list[Run]:
    """Return 450 runs of all statuses in two workflows; three share each time."""
    return [
        a_run(
            RunId(f"run_{(number * 7) % COUNT}"),
            number // 3,
            status=STATUSES[number % 5],
            workflow_id=W if number % 2 else W2,
        )
        for number in range(COUNT)
    ]


async def stored(storage: Storage, runs: list[Run]) -> None:
    await storage.commit([CreateRun(run, a_snapshot()) for run in runs])


async def walk(storage: Storage, limit: int, **where: object) -> list[RunId]:
    ids: list[RunId] = []
    while page := await storage.runs.page(limit=limit, before=ids[-1] if ids else None, **where):  # type: ignore[arg-type]
        assert len(page) <= min(limit, 200)
        ids.extend(run.id for run in page)
    return ids


async def test_runs_come_newest_first_whatever_the_page(storage: Storage) -> None:
    runs = many_runs()
    await stored(storage, runs)
    newest = [run.id for run in reversed(runs)]
    assert await walk(storage, 200) == newest
    assert await walk(storage, 77) == newest
    assert [run.id for run in await storage.runs.page()] == newest[:50]
    assert [run.id for run in await storage.runs.page(limit=1000)] == newest[:200]
    assert await storage.runs.page(limit=0) == []
    assert await walk(storage, 200, status=RunStatus.WAITING) == [
        run.id for run in reversed(runs) if run.status is RunStatus.WAITING
    ]
    assert await walk(storage, 60, workflow_id=W) == [run.id for run in reversed(runs) if run.workflow_id == W]
    assert await walk(storage, 7, workflow_id=W2, status=RunStatus.ERROR) == [
        run.id for run in reversed(runs) if run.workflow_id == W2 and run.status is RunStatus.ERROR
    ]


async def test_unfinished_runs_come_oldest_first(storage: Storage) -> None:
    runs = many_runs()
    await stored(storage, runs)
    assert await storage.runs.unfinished() == [run for run in runs if not run.status.is_final]


async def test_runs_are_found_by_when_they_ended(storage: Storage) -> None:
    await storage.commit([created(), created(R2, 1), created(RunId("run_3"), 2)])
    expected = frozenset({RunStatus.RUNNING})
    for run_id, ended_at in ((R, at(10)), (R2, at(20))):
        await storage.commit([ChangeRun(run_id, expected, RunStatus.SUCCESS, finished_at=ended_at)])
    assert set(await storage.runs.ended_since(at(10))) == {R, R2}
    assert await storage.runs.ended_since(at(10.5)) == [R2]
    assert await storage.runs.ended_since(at(21)) == []


async def test_a_page_before_an_unknown_run_is_empty(storage: Storage) -> None:
    await storage.commit([created()])
    assert await storage.runs.page(before=R2) == []


async def test_a_run_is_listed_by_the_status_it_has_now(storage: Storage) -> None:
    await storage.commit([created(), created(R2, 1)])
    await storage.commit([ended()])
    assert [run.id for run in await storage.runs.page(status=RunStatus.RUNNING)] == [R2]
    assert [run.id for run in await storage.runs.page(status=RunStatus.SUCCESS)] == [R]
    assert [run.id for run in await storage.runs.unfinished()] == [R2]


async def test_a_marked_run_is_shown_as_unreadable_and_stays_as_it_is(storage: Storage) -> None:
    runs = [a_run(R, 0), a_run(R2, 1, status=RunStatus.ERROR), a_run(R3, 2)]
    await stored(storage, runs)
    marks: list[Write] = [MarkUnreadable(R, "first"), MarkUnreadable(R, "its steps are broken")]
    assert await storage.commit(marks) == frozenset()
    error = ErrorInfo("unreadable", "its steps are broken", failed_during="storage")
    shown = replace(runs[0], status=RunStatus.ERROR, error=error)
    assert await storage.runs.get(R) == shown
    assert await storage.runs.page() == [runs[2], runs[1], shown]
    assert await storage.runs.page(status=RunStatus.RUNNING) == [runs[2]]
    assert await storage.runs.page(status=RunStatus.ERROR) == [runs[1], shown]
    assert await storage.runs.page(status=RunStatus.ERROR, limit=1) == [runs[1]]
    assert await storage.runs.page(status=RunStatus.ERROR, before=R2) == [shown]
    assert await storage.runs.page(status=RunStatus.ERROR, workflow_id=W2) == []
    assert await storage.runs.unfinished() == [runs[2]]
    assert await storage.snapshots.of_run(R) == a_snapshot()
    assert await storage.commit([ended()]) == frozenset()


async def test_a_mark_of_no_run_shows_nothing(storage: Storage) -> None:
    await storage.commit([MarkUnreadable(R, "gone")])
    assert await storage.runs.get(R) is None
    assert await storage.runs.page(status=RunStatus.ERROR) == []


async def test_a_broken_row_breaks_no_listing(store: Store) -> None:
    storage, runs = store.port, [a_run(R, 0), a_run(R2, 1), a_run(R3, 2)]
    await stored(storage, runs)
    await store.spoil("row", R2)
    broken = await storage.runs.get(R2)
    assert broken is not None
    assert (broken.status, broken.workflow_id, broken.message_id) == (RunStatus.ERROR, W, runs[1].message_id)
    assert broken.created_at == runs[1].created_at
    assert broken.error is not None
    assert broken.error.code == "unreadable"
    assert await storage.runs.page() == [runs[2], broken, runs[0]]
    assert await storage.runs.page(status=RunStatus.RUNNING) == [runs[2], runs[0]]
    assert await storage.runs.page(status=RunStatus.RUNNING, limit=2) == [runs[2], runs[0]]
    assert await storage.runs.page(status=RunStatus.ERROR) == []
    assert await storage.runs.unfinished() == [runs[0], runs[2]]
    await storage.commit([MarkUnreadable(R2, "why")])
    [listed] = await storage.runs.page(status=RunStatus.ERROR)
    assert listed == await storage.runs.get(R2)
    assert listed.error == ErrorInfo("unreadable", "why", failed_during="storage")


async def test_a_broken_definition_is_unreadable(store: Store) -> None:
    await store.port.commit([created(), created(R2)])
    await store.spoil("snapshot", R)
    for run_id in (R, R3):
        with pytest.raises(StorageFailed) as failed:
            await store.port.snapshots.of_run(run_id)
        assert failed.value.code == "unreadable"
        assert failed.value.parameters == {"run_id": run_id}
    assert await store.port.snapshots.of_run(R2) == a_snapshot()
    assert await store.port.runs.get(R) == a_run()


async def test_broken_events_are_unreadable(store: Store) -> None:
    other = numbered_events(finished(), run_id=R2)
    await store.port.commit([created(), created(R2), appended(numbered_events(finished())), appended(other, R2)])
    await store.spoil("events", R)
    with pytest.raises(StorageFailed) as failed:
        await store.port.events.of_run(R)
    assert failed.value.code == "unreadable"
    assert await store.port.events.of_run(R2) == other
