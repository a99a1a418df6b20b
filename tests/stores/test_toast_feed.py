"""Which facts become toasts."""

import pytest

from core.bus import WorkflowChanged, WorkflowDeleted
from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.toast import BRIEF_S, VIEWED_S, ToastType
from core.domain.workflow import Workflow
from tests.stores.rig import START, Desk

A = WorkflowId("wf_a")


def seen(desk: Desk) -> list[tuple[str, str]]:
    return [(toast.type.value, toast.title) for toast in desk.toasts.visible]


@pytest.mark.parametrize("viewed", [A, None])
def test_a_finished_run_has_a_toast_with_its_name_viewed_or_not(viewed: WorkflowId | None) -> None:
    desk = Desk()
    desk.background.set_viewed(viewed)
    desk.background.register(A, "Ada", "Letters")
    desk.tell(desk.start("a").finished())
    assert seen(desk) == [("success", "Letters")]


def test_a_failed_run_has_an_error_toast_with_its_message() -> None:
    desk = Desk()
    desk.tell(desk.start("a").finished(RunStatus.ERROR, {"code": "timeout", "message": "too slow"}))
    assert seen(desk) == [("error", "wf_a")]
    assert desk.toasts.visible[0].message == "too slow"


def test_a_run_that_the_user_cancelled_has_no_toast() -> None:
    desk = Desk()
    desk.tell(desk.start("a").finished(RunStatus.CANCELLED))
    assert seen(desk) == []


def test_a_repeated_end_is_a_single_toast() -> None:
    desk = Desk()
    run = desk.start("a")
    ended = run.finished()
    desk.tell(ended, ended)
    assert [toast.repeated for toast in desk.toasts.visible] == [1]


def test_the_name_is_the_current_name_of_the_workflow() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.bus.publish(WorkflowChanged(Workflow(A, "Renamed", "Ada", START, START)))
    desk.tell(run.finished())
    assert seen(desk) == [("success", "Renamed")]


def test_a_question_closes_with_its_run_however_that_ends() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.toasts.add_user_question(A, "A", "Which?")
    desk.tell(run.finished(RunStatus.CANCELLED))
    assert seen(desk) == []


def test_questions_of_other_workflows_stay() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.toasts.add_user_question(WorkflowId("wf_b"), "B", "Which?")
    desk.tell(run.finished())
    assert seen(desk) == [(ToastType.USER_QUESTION.value, "B"), ("success", "wf_a")]


def test_the_toasts_of_a_deleted_workflow_go_with_it() -> None:
    desk = Desk()
    desk.tell(desk.start("a").finished())
    desk.bus.publish(WorkflowDeleted(A))
    assert seen(desk) == []


def test_the_end_of_an_unknown_run_has_no_toast() -> None:
    desk = Desk()
    run = desk.teller("a")
    run.created()
    desk.tell(run.finished())
    assert seen(desk) == []


def test_a_run_that_ends_before_the_users_eyes_has_a_short_toast() -> None:
    desk = Desk()
    desk.background.set_window_active(True)
    desk.background.set_viewed(A)
    desk.tell(desk.start("a").finished())
    (toast,) = desk.toasts.visible
    assert (toast.is_viewed, toast.duration_s) == (True, VIEWED_S)
    desk.background.set_window_active(False)
    desk.tell(desk.start("b", A).finished())
    (toast,) = desk.toasts.visible
    assert (toast.is_viewed, toast.duration_s) == (False, BRIEF_S)


@pytest.mark.parametrize("status", [RunStatus.SUCCESS, RunStatus.ERROR])
def test_the_toast_of_a_turn_goes_when_the_next_begins(status: RunStatus) -> None:
    desk = Desk()
    first = desk.start("a")
    desk.tell(first.finished(status))
    desk.tell(desk.start("b").finished())
    child = desk.teller("c", first.workflow_id)
    desk.tell(child.created_below(first))
    assert len(seen(desk)) == 2, "a run below another is no new turn"
    desk.start("d", A)
    assert seen(desk) == [("success", "wf_b")]


def test_what_the_user_comes_to_look_at_needs_no_toast() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(desk.start("b").finished(), run.asks(prompt="Which?"))
    assert seen(desk) == [("success", "wf_b"), ("user-question", "wf_a")]
    desk.background.set_viewed(A)
    assert len(seen(desk)) == 2, "the window is not active"
    desk.background.set_window_active(True)
    assert seen(desk) == [("success", "wf_b")]
    desk.background.set_viewed(WorkflowId("wf_b"))
    assert seen(desk) == []


def test_a_closed_feed_adds_nothing() -> None:
    desk = Desk()
    desk.feed.close()
    desk.tell(desk.start("a").finished())
    assert seen(desk) == []
