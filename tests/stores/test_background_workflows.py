"""Receiving events: every run is folded, and its row changes."""

import pytest

from core.bus import WorkflowChanged, WorkflowDeleted
from core.domain.events import RunContinued, RunPaused, StepFinished, StepStarted
from core.domain.ids import WorkflowId
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.workflow import Workflow
from core.stores.background_workflows import PROGRESS_INTERVAL_S
from tests.stores.rig import START, Desk, heard, text_of

A, B, C = (WorkflowId(f"wf_{name}") for name in "abc")


def test_every_run_is_folded_whether_it_is_viewed_or_not() -> None:
    desk = Desk()
    first, second = desk.start("a"), desk.start("b")
    desk.background.set_viewed(A)
    desk.tell(first.stream("one"), second.stream("two"))
    assert (text_of(desk, first), text_of(desk, second)) == ("one", "two")


def test_a_live_state_has_what_its_row_shows() -> None:
    desk = Desk()
    run = desk.teller("a")
    desk.tell(run.created("fetch", "sum", "write", kind=RunKind.WORKFLOW))
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.started_at == desk.time.now()
    desk.tell(run.started(), run.step_done("fetch"))
    assert execution.progress == (1, 3)
    desk.tell(run.stream("text", "write"), run.called("c1"))
    assert (execution.content, execution.tokens_received) == ("text", 1)
    assert [call.tool for call in execution.tools] == ["wait"]
    desk.time.advance(5)
    assert execution.elapsed_s(desk.time.now()) == pytest.approx(5, abs=0.01)
    desk.tell(run.finished(RunStatus.ERROR, {"code": "failed", "message": "no"}))
    desk.time.advance(5)
    assert execution.elapsed_s(desk.time.now()) == pytest.approx(5, abs=0.01)
    assert execution.error == {"code": "failed", "message": "no"}
    assert execution.completed_at is not None


def test_a_chat_has_no_count_of_steps() -> None:
    desk = Desk()
    desk.start("a")
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.progress is None


def test_events_of_a_run_whose_creation_was_missed_are_dropped() -> None:
    desk = Desk()
    run = desk.teller("a")
    run.created()
    desk.tell(run.started(), run.stream("text"))
    assert desk.running == []


def test_stop_then_retry_shows_only_the_second_answer() -> None:
    desk = Desk()
    first = desk.start("one", workflow="wf_a")
    desk.tell(first.stream("First "))
    late = [first.stream(f"late {number} ") for number in range(10)]
    desk.tell(first.finished(RunStatus.CANCELLED))
    second = desk.start("two", workflow="wf_a")
    for event in late:
        desk.tell(event, second.stream("Second "))
    assert text_of(desk, second) == "Second " * 10
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.run is not None
    assert execution.run.run_id == second.run_id


def test_a_repeated_creation_does_not_restore_a_forgotten_run() -> None:
    desk = Desk()
    run = desk.teller("a")
    created = run.created()
    desk.tell(created, run.started(), run.finished())
    desk.time.advance(700)
    desk.tell(created)
    assert desk.running == desk.recent == []


def test_steps_that_end_together_are_emitted_once_and_their_state_is_current_at_once() -> None:
    desk = Desk()
    run = desk.teller("a")
    desk.tell(run.created("one", "two", "three", kind=RunKind.WORKFLOW), run.started())
    told = heard(desk)
    desk.tell(run.step_done("one"), run.step_done("two"))
    execution = desk.background.get_execution(run.workflow_id)
    assert execution is not None
    assert (execution.progress, told) == ((2, 3), [])
    desk.time.advance(PROGRESS_INTERVAL_S)
    assert told == ["wf_a"]
    desk.tell(run.step_done("three"), run.finished())
    assert told == ["wf_a"] * 2
    desk.background.close()
    desk.time.advance(PROGRESS_INTERVAL_S)
    assert told == ["wf_a"] * 2


def test_a_row_changes_at_most_once_for_an_event_and_never_for_a_token() -> None:
    desk = Desk()
    run = desk.teller("a")
    told = heard(desk)
    for count, event in enumerate([run.created(), run.started(), run.step_done(), run.finished()], 1):
        desk.tell(event, event)
        desk.time.advance(PROGRESS_INTERVAL_S)
        assert told == ["wf_a"] * count
    other = desk.start("b")
    told.clear()
    desk.tell(other.stream("text"), other.say(StepStarted(step="each", total=2)))
    desk.tell(other.say(StepFinished(step="each", index=0, status=StepStatus.COMPLETED)))
    assert told == []


def test_a_listener_that_fails_harms_neither_the_store_nor_the_publisher(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()

    def fail(workflow_id: WorkflowId) -> None:
        raise ValueError(workflow_id)

    desk.background.changed.connect(fail)
    run = desk.start("a")
    desk.tell(run.finished())
    assert desk.recent == ["wf_a"]
    assert desk.errors == []
    assert "a listener of changed failed" in caplog.text


def test_a_badge_goes_with_the_answer_or_with_the_run() -> None:
    desk = Desk()
    first, second = desk.start("a"), desk.start("b")
    told = heard(desk)
    desk.tell(first.asks(), second.asks())
    assert told == [A, B]
    assert all(one.has_pending_question for one in desk.background.running_workflows)
    desk.tell(first.closes())
    assert [one.has_pending_question for one in desk.background.running_workflows] == [False, True]
    desk.tell(second.finished(), first.finished())
    assert not any(one.has_pending_question for one in desk.background.recently_completed_workflows)
    desk.tell(second.asks("late"))
    assert not any(one.has_pending_question for one in desk.background.recently_completed_workflows)


def test_the_name_on_the_row_follows_a_rename_and_is_known_to_later_runs() -> None:
    desk = Desk()
    desk.background.register(A, "Ada", "Letters")
    run = desk.start("one", workflow="wf_a")
    told = heard(desk)
    for workflow_id in (A, A, B):
        desk.bus.publish(WorkflowChanged(Workflow(workflow_id, "Mail", "Ada", START, START)))
    assert (told, desk.errors) == ([A], [])
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.workflow_name == "Mail"
    desk.tell(run.finished(), desk.teller("two", workflow="wf_a").created(title="chat"))
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.workflow_name == "Mail"


def test_a_deleted_workflow_is_gone_with_its_number_its_viewers_and_the_view() -> None:
    desk = Desk()
    desk.background.register(A, "Ada", "Letters")
    run = desk.start("a")
    desk.background.set_viewed(A)
    viewer = desk.background.attach(run.run_id)
    desk.tell(run.finished(RunStatus.CANCELLED))
    desk.bus.publish(WorkflowDeleted(A))
    assert desk.running == desk.recent == []
    assert desk.background.workflow_at(1) is None
    assert desk.background.viewed_workflow_id is None
    assert not viewer.is_open
    desk.tell(desk.teller("two", workflow="wf_a").created(title="New"))
    assert [execution.workflow_name for execution in desk.background.running_workflows] == ["New"]
    assert desk.time.timers == 0


def test_one_workflow_is_viewed_or_none() -> None:
    desk = Desk()
    desk.background.set_viewed(A)
    assert [desk.background.is_viewed(workflow_id) for workflow_id in (A, B)] == [True, False]
    desk.background.set_viewed(None)
    assert not desk.background.is_viewed(A)
    assert desk.background.viewed_execution is None


def test_a_paused_run_is_shown_as_such_until_the_store_can_be_written() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.say(RunPaused(reason="storage_full")))
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert execution.status is RunStatus.PAUSED
    desk.tell(run.say(RunContinued()))
    assert str(execution.status) == "running"


def test_a_closed_store_receives_nothing_and_leaves_no_timer() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(desk.start("b").finished(RunStatus.CANCELLED))
    viewer = desk.background.attach(run.run_id)
    desk.tell(run.stream("text"))
    desk.background.close()
    desk.start("c")
    assert desk.background.get_execution(C) is None
    assert not viewer.is_open
    assert desk.time.timers == 0
