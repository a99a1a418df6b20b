"""The promises of a commit: all or nothing, a single winner, and harmless repetition."""

from dataclasses import replace

from core.domain.ids import RunId
from core.domain.messages import MessageState, Role
from core.domain.run import RunStatus, StepKey, StepStatus
from core.ports import (
    AppendChunk,
    ChangeRun,
    CreateRun,
    PutMessage,
    PutToolCall,
    PutWorkflow,
    ReleaseClaim,
    Storage,
    Write,
)
from tests.contracts.conftest import Store
from tests.contracts.rows import (
    ERROR,
    R2,
    R,
    W,
    a_call,
    a_chunk,
    a_claim,
    a_message,
    a_result,
    a_run,
    a_snapshot,
    a_workflow,
    appended,
    at,
    created,
    creation_fact,
    ended,
    finished,
    numbered_events,
    said,
)

NONE: frozenset[int] = frozenset()


async def statuses(storage: Storage, run_id: RunId = R) -> dict[str, StepStatus]:
    return {str(result.key): result.status for result in await storage.step_results.of_run(run_id)}


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


async def test_a_step_is_claimed_once(storage: Storage) -> None:
    await storage.commit([created()])
    assert await storage.commit([a_claim()]) == NONE
    assert await storage.commit([a_claim(attempt=2), a_claim("b")]) == {0}
    assert await storage.step_results.of_run(R) == [a_claim().result, a_claim("b").result]


async def test_a_claim_that_stands_as_written_is_won_again(storage: Storage) -> None:
    await storage.commit([created(), a_claim(active_ms=7), a_claim("b")])
    assert await storage.commit([a_claim(active_ms=7), a_claim("b", attempt=2), a_claim("c")]) == {1}


async def test_of_two_claims_in_a_commit_the_first_wins_unless_they_are_equal(storage: Storage) -> None:
    await storage.commit([created()])
    assert await storage.commit([a_claim(), a_claim(attempt=2), a_claim(), a_claim("b", 1), a_claim("b", 2)]) == {1}


async def test_a_claim_of_a_run_that_is_not_at_work_is_lost(storage: Storage) -> None:
    await storage.commit([created(status=RunStatus.ENQUEUED), created(R2)])
    nobody = RunId("nobody")
    claims = [a_claim(), a_claim(run_id=R2), a_claim(run_id=nobody)]
    assert await storage.commit(claims) == {0, 2}
    assert await statuses(storage) == await statuses(storage, nobody) == {}


async def test_no_step_is_claimed_after_the_end_of_its_run(storage: Storage) -> None:
    await storage.commit([created(), a_claim("before")])
    assert await storage.commit([a_claim("same commit"), ended()]) == {0}
    assert await storage.commit([a_claim("later"), a_claim("before")]) == {0, 1}
    assert await statuses(storage) == {"before": StepStatus.RUNNING}


async def test_a_run_can_be_claimed_with_its_first_steps(storage: Storage) -> None:
    start = ChangeRun(R, frozenset({RunStatus.ENQUEUED}), RunStatus.RUNNING)
    assert await storage.commit([created(status=RunStatus.ENQUEUED), a_claim(), start]) == NONE
    assert await statuses(storage) == {"a": StepStatus.RUNNING}


async def test_what_is_lost_in_a_group_leaves_the_rest(storage: Storage) -> None:
    await storage.commit([created(), created(R2), a_claim(), ended(R2)])
    group: list[Write] = [
        a_claim(attempt=2),
        a_claim("b"),
        a_result("pure", run_id=R2),
        ended(R2, RunStatus.CANCELLED),
        appended(numbered_events(finished("b", 1))),
        AppendChunk(a_chunk(0, "x")),
        PutToolCall(a_call()),
    ]
    assert await storage.commit(group) == {0, 3}
    assert await statuses(storage) == {"a": StepStatus.RUNNING, "b": StepStatus.RUNNING}
    assert await statuses(storage, R2) == {"pure": StepStatus.COMPLETED}
    assert await storage.events.of_run(R) == numbered_events(finished("b", 1))
    assert await storage.chunks.of_run(R) == [a_chunk(0, "x")]
    assert await storage.tool_calls.of_run(R) == [a_call()]


async def test_a_result_replaces_its_claim(storage: Storage) -> None:
    await storage.commit([created(), a_claim()])
    await storage.commit([a_result()])
    assert await storage.step_results.of_run(R) == [a_result().result]
    failed = a_result(status=StepStatus.ERROR, output_json=None, error=ERROR)
    await storage.commit([failed])
    assert await storage.step_results.of_run(R) == [failed.result]


async def test_a_result_wins_over_a_claim_of_the_same_commit(storage: Storage) -> None:
    await storage.commit([created()])
    assert await storage.commit([a_result(), a_claim()]) == NONE
    assert await statuses(storage) == {"a": StepStatus.COMPLETED}
    assert await storage.commit([a_claim(), a_result(output_json="2")]) == {0}
    assert [result.output_json for result in await storage.step_results.of_run(R)] == ["2"]


async def test_results_are_stored_after_the_end_of_a_run(storage: Storage) -> None:
    await storage.commit([created(), ended()])
    assert await storage.commit([a_result()]) == NONE
    assert await statuses(storage) == {"a": StepStatus.COMPLETED}


async def test_a_stale_claim_is_released_and_a_result_stays(storage: Storage) -> None:
    await storage.commit([created(), a_claim(), a_result("b"), a_claim("c", 3)])
    keys = [StepKey("a"), StepKey("b"), StepKey("c", 3), StepKey("none")]
    assert await storage.commit([ReleaseClaim(R, key) for key in keys]) == NONE
    assert await statuses(storage) == {"b": StepStatus.COMPLETED}


async def test_a_released_claim_can_be_taken_in_the_same_commit(storage: Storage) -> None:
    await storage.commit([created(), a_claim()])
    assert await storage.commit([a_claim(attempt=2), ReleaseClaim(R, StepKey("a"))]) == NONE
    assert await storage.step_results.of_run(R) == [a_claim(attempt=2).result]


async def test_a_repeated_commit_changes_nothing(storage: Storage) -> None:
    await storage.commit([created()])
    message = a_message("m", text="hi", run_id=R)
    writes: list[Write] = [
        PutWorkflow(a_workflow()),
        PutMessage(message),
        a_claim("a"),
        a_result("b"),
        PutToolCall(a_call()),
        appended(numbered_events(said(message), finished("b", 1))),
        AppendChunk(a_chunk(0, "x")),
    ]
    for _ in range(3):
        assert await storage.commit(writes) == NONE
    assert await storage.messages.of_workflow(W) == [message]
    assert await storage.step_results.of_run(R) == [a_claim("a").result, a_result("b").result]
    assert await storage.tool_calls.of_run(R) == [a_call()]
    assert await storage.events.of_run(R) == numbered_events(said(message), finished("b", 1))
    assert await storage.chunks.of_run(R) == [a_chunk(0, "x")]


async def test_a_repeated_commit_may_have_grown(storage: Storage) -> None:
    """A run's pending commit is retried together with later writes."""
    events = numbered_events(finished("a", 1), finished("b", 2), finished("c", 3))
    await storage.commit([appended(events[:2])])
    await storage.commit([appended(events[:1]), appended(events[1:])])
    assert await storage.events.of_run(R) == events
    await storage.commit([appended(events[1:])])
    assert await storage.events.of_run(R) == events


async def test_a_large_commit_is_stored_whole(storage: Storage) -> None:
    await storage.commit([created()])
    count = 450
    claims = [a_claim("claimed", number) for number in range(count)]
    results = [a_result("done", number, output_json=f"{number}") for number in range(count)]
    pieces = [AppendChunk(a_chunk(number, "x")) for number in range(count)]
    messages = [PutMessage(a_message(f"m{number}", number)) for number in range(count)]
    calls = [PutToolCall(a_call(f"c{number}", position=number)) for number in range(count)]
    events = numbered_events(*(finished("done", number, index=number) for number in range(count)))
    writes: list[Write] = [*claims, *results, *pieces, *messages, *calls, appended(events)]
    assert await storage.commit(writes) == NONE
    stored = await storage.step_results.of_run(R)
    assert stored == [claim.result for claim in claims] + [put.result for put in results]
    assert [len(piece.text) for piece in await storage.chunks.of_run(R)] == [1] * count
    assert [message.id for message in await storage.messages.of_workflow(W)] == [
        f"m{number}" for number in range(count)
    ]
    assert [call.position for call in await storage.tool_calls.of_run(R)] == list(range(count))
    assert await storage.events.of_run(R) == events
    again: list[Write] = [a_claim("claimed", number, attempt=2) for number in range(count)]
    assert await storage.commit([*again, a_claim("fresh")]) == frozenset(range(count))


async def test_many_rows_of_events_come_back_in_order(storage: Storage) -> None:
    events = numbered_events(*(finished("a", number, index=number) for number in range(450)))
    for start in range(0, 450, 90):
        await storage.commit([appended([event]) for event in events[start : start + 90]])
    assert await storage.events.of_run(R) == events
    alone = numbered_events(*(finished("a", number, index=number) for number in range(450)), first=451)
    for event in alone:
        await storage.commit([appended([event])])
    assert await storage.events.of_run(R) == [*events, *alone]


async def test_a_shorter_row_takes_no_events_away(storage: Storage) -> None:
    events = numbered_events(finished("a", 1), finished("b", 2), finished("c", 3))
    await storage.commit([appended(events)])
    await storage.commit([appended(events[:1])])
    assert await storage.events.of_run(R) == events


async def test_the_events_of_several_runs_are_read_together(store: Store) -> None:
    """Runs with few and many rows, with outputs and texts in other rows, an unreadable run and a missing run."""
    runs = [RunId(f"run_{number:02}") for number in range(25)]
    await store.port.commit([created(run_id) for run_id in runs])
    for number, run_id in enumerate(runs):
        message = a_message(f"m{number}", number, role=Role.ASSISTANT, state=MessageState.FINAL, run_id=run_id)
        events = numbered_events(said(message), finished("b", number), run_id=run_id)
        output = a_result("b", run_id=run_id, output_json=f"{number}")
        await store.port.commit([PutMessage(message), output, appended(events, run_id)])
    long = numbered_events(*(finished("a", number, index=number) for number in range(30)), first=3, run_id=runs[7])
    for event in long:
        await store.port.commit([appended([event], runs[7])])
    await store.spoil("events", runs[3])
    asked = [*reversed(runs), RunId("run_none")]
    by_run = await store.port.events.of_runs(asked)
    assert list(by_run) == [run_id for run_id in asked if run_id != runs[3]]
    assert by_run == {run_id: await store.port.events.of_run(run_id) for run_id in by_run}
    assert (len(by_run[runs[7]]), by_run[asked[-1]]) == (32, [])
    assert await store.port.events.of_runs([]) == {}
