"""The promises of a commit: all or nothing, a single winner, and harmless repetition."""

from dataclasses import replace

import pytest

from core.domain.events import StepFinished, StepStarted
from core.domain.ids import RunId
from core.domain.messages import MessageState, Role
from core.domain.run import RunStatus
from core.errors import StorageFailed
from core.ports import (
    AppendChunk,
    ChangeRun,
    CreateRun,
    PutMessage,
    PutSetting,
    PutWorkflow,
    Storage,
    Write,
)
from tests.contracts.conftest import Store
from tests.contracts.rows import (
    ERROR,
    R2,
    R,
    W,
    a_chunk,
    a_claim,
    a_message,
    a_run,
    a_snapshot,
    a_workflow,
    an_interruption,
    appended,
    asked,
    at,
    created,
    creation_fact,
    ended,
    finished,
    numbered_events,
    said,
)

NONE: frozenset[int] = frozenset()


async def claimed_steps(storage: Storage, run_id: RunId = R) -> list[str]:
    facts = [event.fact for event in await storage.events.of_run(run_id)]
    return [fact.step for fact in facts if isinstance(fact, StepStarted) and fact.claimed]


async def refused(storage: Storage, writes: list[Write]) -> None:
    """Commit writes that the store refuses."""
    with pytest.raises(StorageFailed) as failed:
        await storage.commit(writes)
    assert failed.value.code == "events_refused"


async def test_a_run_is_created_once(storage: Storage) -> None:
    asked, answer = a_message("m1", run_id=R), a_message("m2", role=Role.ASSISTANT, run_id=R)
    first: list[Write] = [
        created(title="first"),
        PutMessage(asked),
        PutMessage(answer),
        appended(numbered_events(creation_fact())),
    ]
    assert await storage.commit(first) == NONE
    stray = a_message("m3", run_id=R, text="second")
    second: list[Write] = [
        PutWorkflow(a_workflow()),
        PutMessage(stray),
        PutMessage(a_message("m4")),
        CreateRun(a_run(title="second"), a_snapshot(input={"x": 2})),
        appended(numbered_events(said(stray), creation_fact(), creation_fact())),
    ]
    assert await storage.commit(second) == {1, 3, 4}
    run = await storage.runs.get(R)
    assert run is not None
    assert run.title == "first"
    assert await storage.snapshots.of_run(R) == a_snapshot()
    assert await storage.events.of_run(R) == numbered_events(creation_fact())
    assert [message.id for message in await storage.messages.of_workflow(W)] == ["m1", "m2", "m4"]


async def test_of_two_new_runs_with_the_same_id_in_a_commit_the_first_is_stored(storage: Storage) -> None:
    assert await storage.commit([created(title="first"), created(title="second"), created(R2)]) == {1}
    assert [run.title for run in await storage.runs.page()] == ["Run", "first"]


async def test_a_change_holds_only_while_the_status_is_expected(storage: Storage) -> None:
    await storage.commit([created(status=RunStatus.ENQUEUED)])
    start = ChangeRun(R, frozenset({RunStatus.ENQUEUED}), RunStatus.RUNNING, started_at=at(1), active_ms=3)
    assert await storage.commit([start]) == NONE
    assert await storage.commit([start]) == {0}
    assert await storage.runs.get(R) == a_run(started_at=at(1), active_ms=3)


async def test_what_a_change_does_not_name_stays(storage: Storage) -> None:
    started = a_run(started_at=at(1), active_ms=3, error=ERROR)
    await storage.commit([CreateRun(started, a_snapshot())])
    await storage.commit([ChangeRun(R, frozenset({RunStatus.RUNNING}), RunStatus.WAITING)])
    assert await storage.runs.get(R) == replace(started, status=RunStatus.WAITING)


async def test_unclean_ends_are_counted_by_changes(storage: Storage) -> None:
    await storage.commit([created()])
    recovery = ChangeRun(R, frozenset({RunStatus.RUNNING}), RunStatus.ENQUEUED, unclean_ends=2, results_then=7)
    assert await storage.commit([recovery]) == NONE
    assert await storage.runs.get(R) == a_run(status=RunStatus.ENQUEUED, unclean_ends=2, results_then=7)
    again = ChangeRun(R, frozenset({RunStatus.ENQUEUED}), RunStatus.RUNNING, unclean_ends=0)
    assert await storage.commit([again]) == NONE
    assert await storage.runs.get(R) == a_run(results_then=7)


async def test_the_first_end_of_a_run_wins(storage: Storage) -> None:
    await storage.commit([created()])
    assert await storage.commit([ended(output_json='"kept"'), ended(status=RunStatus.CANCELLED, error=ERROR)]) == {1}
    assert await storage.commit([ended(status=RunStatus.ERROR, output_json='"late"', error=ERROR)]) == {0}
    assert await storage.runs.get(R) == a_run(status=RunStatus.SUCCESS, finished_at=at(9), output_json='"kept"')


async def test_a_change_of_no_run_is_lost(storage: Storage) -> None:
    assert await storage.commit([ended(), ended(R2, output_json="1")]) == {0, 1}
    assert await storage.runs.get(R) is None


async def test_changes_take_effect_in_their_order(storage: Storage) -> None:
    back = ChangeRun(R, frozenset({RunStatus.RUNNING}), RunStatus.ENQUEUED)
    again = ChangeRun(R, frozenset({RunStatus.ENQUEUED}), RunStatus.RUNNING)
    assert await storage.commit([created(), again, back, again, again]) == {1, 4}


async def test_a_step_is_claimed_in_a_running_run(storage: Storage) -> None:
    await storage.commit([created()])
    assert await storage.commit(a_claim()) == NONE
    assert await claimed_steps(storage) == ["a"]


@pytest.mark.parametrize("status", [status for status in RunStatus if status is not RunStatus.RUNNING])
async def test_no_step_is_claimed_in_a_run_that_does_not_run(storage: Storage, status: RunStatus) -> None:
    await storage.commit([created(status=status), created(R2)])
    beside = appended(numbered_events(finished(), run_id=R2), R2)
    await refused(storage, [*a_claim(), beside, PutSetting("x", "1")])
    assert await storage.events.of_run(R2) == []
    assert await storage.settings.all() == {}


async def test_no_step_of_no_run_is_claimed(storage: Storage) -> None:
    await refused(storage, a_claim())


async def test_no_step_is_claimed_after_the_end_of_its_run(storage: Storage) -> None:
    await storage.commit([created()])
    await storage.commit(a_claim("before"))
    await refused(storage, [*a_claim("same commit", seq=2), ended()])
    assert await storage.commit([ended()]) == NONE
    await refused(storage, a_claim("later", seq=2))
    assert await claimed_steps(storage) == ["before"]


async def test_a_run_can_be_claimed_with_its_first_steps(storage: Storage) -> None:
    start = ChangeRun(R, frozenset({RunStatus.ENQUEUED}), RunStatus.RUNNING)
    assert await storage.commit([created(status=RunStatus.ENQUEUED), *a_claim(), start]) == NONE
    assert await claimed_steps(storage) == ["a"]


async def test_what_is_lost_in_a_group_leaves_the_rest(storage: Storage) -> None:
    await storage.commit([created(), created(R2), ended(R2)])
    group: list[Write] = [
        *a_claim(),
        appended(numbered_events(finished(), run_id=R2), R2),
        ended(R2, RunStatus.CANCELLED),
        AppendChunk(a_chunk(0, "x")),
    ]
    assert await storage.commit(group) == {3}
    assert await claimed_steps(storage) == ["a"]
    assert await storage.events.of_run(R2) == numbered_events(finished(), run_id=R2)
    assert await storage.chunks.of_run(R) == [a_chunk(0, "x")]


async def test_events_are_stored_after_the_end_of_a_run(storage: Storage) -> None:
    await storage.commit([created(), ended()])
    assert await storage.commit([appended(numbered_events(finished()))]) == NONE
    assert await storage.events.of_run(R) == numbered_events(finished())


async def test_events_are_written_once_and_a_repetition_writes_nothing_of_its_commit(storage: Storage) -> None:
    """Also not that of another run: the writer finds out which of them are on disk."""
    events = numbered_events(finished("a", 1), finished("b", 2), finished("c", 3))
    await storage.commit([created(), created(R2), appended(events[:2])])
    beside = appended(numbered_events(finished(), run_id=R2), R2)
    for again in (events[:2], events[:1], events):
        await refused(storage, [beside, appended(again), PutSetting("x", "1")])
    assert await storage.events.of_run(R) == events[:2]
    assert await storage.events.of_run(R2) == []
    assert await storage.settings.all() == {}
    assert (await storage.events.last_seq(R), await storage.events.last_seq(R2)) == (2, 0)
    assert await storage.commit([beside, appended(events[2:])]) == NONE
    assert await storage.events.of_run(R) == events
    assert (await storage.events.last_seq(R), await storage.events.last_seq(R2)) == (3, 1)


async def test_a_repeated_commit_without_events_changes_nothing(storage: Storage) -> None:
    await storage.commit([created()])
    message = a_message("m", text="hi", run_id=R)
    writes: list[Write] = [PutWorkflow(a_workflow()), PutMessage(message), AppendChunk(a_chunk(0, "x")), asked()]
    for _ in range(3):
        assert await storage.commit(writes) == NONE
    assert await storage.messages.of_workflow(W) == [message]
    assert await storage.chunks.of_run(R) == [a_chunk(0, "x")]
    assert await storage.interruptions.open() == [an_interruption()]


async def test_a_large_commit_is_stored_whole(storage: Storage) -> None:
    count = 450
    runs = [RunId(f"run_{number:03}") for number in range(count)]
    await storage.commit([created(), *(created(run_id, number) for number, run_id in enumerate(runs))])
    pieces = [AppendChunk(a_chunk(number, "x")) for number in range(count)]
    messages = [PutMessage(a_message(f"m{number}", number)) for number in range(count)]
    events = numbered_events(*(finished("done", number, index=number) for number in range(count)))
    claims = [write for run_id in runs for write in a_claim(run_id=run_id)]
    assert await storage.commit([*claims, *pieces, *messages, appended(events)]) == NONE
    assert [len(piece.text) for piece in await storage.chunks.of_run(R)] == [1] * count
    assert [message.id for message in await storage.messages.of_workflow(W)] == [
        f"m{number}" for number in range(count)
    ]
    assert await storage.events.of_run(R) == events
    assert [await claimed_steps(storage, run_id) for run_id in runs] == [["a"]] * count


async def test_many_rows_of_events_come_back_in_order(storage: Storage) -> None:
    events = numbered_events(*(finished("a", number, index=number) for number in range(450)))
    for start in range(0, 450, 90):
        await storage.commit([appended([event]) for event in events[start : start + 90]])
    assert await storage.events.of_run(R) == events
    alone = numbered_events(*(finished("a", number, index=number) for number in range(450)), first=451)
    for event in alone:
        await storage.commit([appended([event])])
    assert await storage.events.of_run(R) == [*events, *alone]


async def test_late_and_repeated_events_are_left_out(storage: Storage) -> None:
    first, second, third, fourth = numbered_events(*(finished("a", number, index=number) for number in range(4)))
    await storage.commit([appended([second]), appended([first, second]), appended([third])])
    await storage.commit([appended([third, fourth])])
    assert await storage.events.of_run(R) == [second, third, fourth]
    assert await storage.events.of_runs([R]) == {R: [second, third, fourth]}


async def test_the_events_of_several_runs_are_read_together(store: Store) -> None:
    """Runs with few and many rows, with outputs and texts in other rows, an unreadable run and a missing run."""
    runs = [RunId(f"run_{number:02}") for number in range(25)]
    await store.port.commit([created(run_id) for run_id in runs])
    for number, run_id in enumerate(runs):
        message = a_message(f"m{number}", number, role=Role.ASSISTANT, state=MessageState.FINAL, run_id=run_id)
        events = numbered_events(said(message), finished("b", number), finished("c", "x" * 5000), run_id=run_id)
        await store.port.commit([PutMessage(message), appended(events, run_id)])
    long = numbered_events(*(finished("a", number, index=number) for number in range(30)), first=4, run_id=runs[7])
    for event in long:
        await store.port.commit([appended([event], runs[7])])
    await store.spoil("events", runs[3])
    asked = [*reversed(runs), RunId("run_none")]
    by_run = await store.port.events.of_runs(asked)
    assert list(by_run) == [run_id for run_id in asked if run_id != runs[3]]
    assert by_run == {run_id: await store.port.events.of_run(run_id) for run_id in by_run}
    assert (len(by_run[runs[7]]), by_run[asked[-1]]) == (33, [])
    assert await store.port.events.of_runs([]) == {}
    finishes = await store.port.events.of_runs(asked, [StepFinished])
    assert finishes == {
        run_id: [event for event in events if isinstance(event.fact, StepFinished)] for run_id, events in by_run.items()
    }
