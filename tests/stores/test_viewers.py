"""Viewing a run: the snapshot, the batches, and what is released without viewers."""

import pytest

from core.domain.ids import RunId
from core.domain.run import RunStatus
from core.errors import NotFound
from core.stores.watched_runs import Batch
from tests.stores.rig import Desk, Received, Teller, text_of


def watch(desk: Desk, run: Teller) -> Received:
    return Received(desk.background.attach(run.run_id))


# Batches


def test_a_batch_closes_at_ten_events() -> None:
    desk = Desk()
    run = desk.start("a")
    received = watch(desk, run)
    for number in range(25):
        desk.tell(run.stream(f"{number} "))
    assert received.sizes == [10, 10]
    assert desk.time.timers == 1


def test_a_batch_closes_a_tenth_of_a_second_after_its_first_event() -> None:
    desk = Desk()
    run = desk.start("a")
    received = watch(desk, run)
    desk.tell(run.stream("one "))
    desk.time.advance(0.05)
    desk.tell(run.stream("two"))
    desk.time.advance(0.048)
    assert received.sizes == []
    desk.time.advance(0.002)
    assert received.sizes == [2]
    assert desk.time.timers == 0
    assert desk.background.cleanup(desk.time.monotonic()).released == 0


@pytest.mark.parametrize("status", [RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.CANCELLED])
def test_the_end_of_a_run_flushes_at_once_and_leaves_no_batch_timer(status: RunStatus) -> None:
    desk = Desk()
    run = desk.start("a")
    received = watch(desk, run)
    desk.tell(run.stream("text"), run.finished(status))
    assert received.sizes == [2]
    desk.toasts.clear()
    assert desk.time.timers == 1  # the sweep of the lately finished
    desk.tell(run.step_done())
    assert received.sizes == [2, 1]


def test_the_end_of_a_lost_run_flushes_too() -> None:
    desk = Desk()
    run = desk.start("a")
    received = watch(desk, run)
    desk.tell(run.stream("text"))
    desk.background.mark_complete(run.workflow_id, RunStatus.ERROR)
    assert received.text == "text"


def test_the_time_of_a_batch_begins_anew_after_a_full_batch() -> None:
    desk = Desk()
    run = desk.start("a")
    received = watch(desk, run)
    desk.tell(*(run.stream("x") for _ in range(10)))
    desk.time.advance(0.06)
    desk.tell(run.stream("y"))
    desk.time.advance(0.06)
    assert received.sizes == [10]
    desk.time.advance(0.05)
    assert received.sizes == [10, 1]


def test_a_batch_is_on_time_whatever_else_is_due_later() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(desk.start("b").finished())
    received = watch(desk, run)
    desk.tell(run.stream("text"))
    desk.time.advance(0.1)
    assert received.text == "text"


def test_every_viewer_gets_the_same_batches() -> None:
    desk = Desk()
    run = desk.start("a")
    first, second = watch(desk, run), watch(desk, run)
    for number in range(17):
        desk.tell(run.stream(f"{number} "))
    desk.time.advance(1)
    assert first.batches == second.batches
    assert first.sizes == [10, 7]


def test_an_event_that_changes_nothing_is_in_no_batch() -> None:
    desk = Desk()
    run = desk.start("a")
    received = watch(desk, run)
    token = run.stream("text")
    desk.tell(token, token)
    desk.time.advance(1)
    assert received.sizes == [1]


def test_without_viewers_no_batch_is_kept() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("text"))
    assert desk.time.timers == 0


# The seam


@pytest.mark.parametrize("joined_at", range(0, 25, 4))
def test_the_state_at_the_time_of_joining_and_the_batches_make_the_whole_text(joined_at: int) -> None:
    desk = Desk()
    run = desk.start("a")
    early = watch(desk, run)
    words = [f"{number} " for number in range(25)]
    desk.tell(*(run.stream(word) for word in words[:joined_at]))
    viewer = desk.background.attach(run.run_id)
    snapshot, late = viewer.run.content, Received(viewer)
    desk.tell(*(run.stream(word) for word in words[joined_at:]))
    desk.time.advance(1)
    assert snapshot + late.text == "".join(words) == early.text
    assert early.batches[len(early.batches) - len(late.batches) :] == late.batches


def test_a_viewer_that_joins_during_a_delivery_misses_nothing_and_gets_nothing_twice() -> None:
    desk = Desk()
    run = desk.start("a")
    first = desk.background.attach(run.run_id)
    joined: list[tuple[str, Received]] = []

    def join(batch: Batch) -> None:
        if not joined:
            viewer = desk.background.attach(run.run_id)
            joined.append((viewer.run.content, Received(viewer)))

    first.batch.connect(join)
    for number in range(30):
        desk.tell(run.stream(f"{number} "))
    desk.time.advance(1)
    snapshot, late = joined[0]
    assert snapshot + late.text == text_of(desk, run)


# Coming and going


def test_viewers_are_counted_and_leave_the_count_at_once() -> None:
    desk = Desk()
    run = desk.start("a")
    viewer = desk.background.attach(run.run_id)
    with desk.background.attach(run.run_id):
        assert desk.background.viewer_count(run.run_id) == 2
    assert desk.background.viewer_count(run.run_id) == 1
    viewer.close()
    viewer.close()
    assert desk.background.viewer_count(run.run_id) == 0


def test_a_closed_viewer_receives_nothing_more_and_holds_no_timer() -> None:
    desk = Desk()
    run = desk.start("a")
    viewer = desk.background.attach(run.run_id)
    received = Received(viewer)
    desk.tell(run.stream("text"))
    viewer.close()
    assert desk.time.timers == 0
    desk.tell(run.stream("more"), run.finished())
    assert received.batches == []
    assert len(viewer.batch) == 0


def test_a_viewer_may_close_another_during_a_delivery() -> None:
    desk = Desk()
    run = desk.start("a")
    first, second = desk.background.attach(run.run_id), desk.background.attach(run.run_id)
    received = Received(second)
    closing = [second]

    def close(batch: Batch) -> None:
        closing[0].close()

    first.batch.connect(close)
    desk.tell(run.finished())
    assert received.batches == []


def test_a_viewer_that_fails_does_not_cost_the_others_their_batch() -> None:
    desk = Desk()
    run = desk.start("a")

    def fail(batch: Batch) -> None:
        raise ValueError(batch.run_id)

    desk.background.attach(run.run_id).batch.connect(fail)
    received = watch(desk, run)
    desk.tell(run.finished())
    assert received.sizes == [1]
    assert desk.recent == ["wf_a"]


def test_a_run_that_is_not_held_cannot_be_watched() -> None:
    desk = Desk()
    with pytest.raises(NotFound):
        desk.background.attach(RunId("run_unknown"))


# Letting go


def test_a_finished_run_without_viewers_is_released_within_thirty_seconds() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("text"), run.finished())
    assert text_of(desk, run) == "text"
    desk.time.advance(30)
    execution = desk.background.get_execution(run.workflow_id)
    assert execution is not None
    assert execution.content == ""
    assert (execution.status, execution.workflow_name) == (RunStatus.SUCCESS, "wf_a")
    with pytest.raises(NotFound):
        desk.background.attach(run.run_id)


def test_a_finished_run_is_held_as_long_as_it_has_viewers_even_after_its_row_left() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("text"))
    viewer = desk.background.attach(run.run_id)
    desk.tell(run.finished())
    desk.time.advance(1000)
    assert desk.recent == []
    assert viewer.run.content == "text"
    viewer.close()
    desk.time.advance(30)
    assert viewer.run.content == ""
    assert desk.time.timers == 0


def test_who_comes_back_in_time_finds_everything() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("text"), run.finished())
    desk.time.advance(15)
    with desk.background.attach(run.run_id) as viewer:
        assert desk.background._runs.due is None
        desk.time.advance(60)
        assert viewer.run.content == "text"


def test_what_comes_after_the_end_does_not_put_the_release_off() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("text"), run.finished())
    desk.time.advance(15)
    desk.tell(run.step_done())
    desk.time.advance(15)
    assert text_of(desk, run) == ""


def test_a_lost_run_is_released_too() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("text"))
    desk.background.mark_complete(run.workflow_id, RunStatus.ERROR)
    desk.time.advance(30)
    assert text_of(desk, run) == ""


def test_an_active_run_is_never_released() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.stream("text"))
    desk.background.attach(run.run_id).close()
    desk.time.advance(10_000)
    assert text_of(desk, run) == "text"


def test_a_run_that_was_followed_by_another_is_released_and_forgotten() -> None:
    desk = Desk()
    first = desk.start("one", workflow="wf_a")
    desk.tell(first.stream("text"), first.finished())
    second = desk.start("two", workflow="wf_a")
    desk.time.advance(30)
    with pytest.raises(NotFound):
        desk.background.attach(first.run_id)
    assert desk.background.attach(second.run_id).is_open
