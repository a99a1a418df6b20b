"""Which facts become toasts."""

import pytest

from core.bus import WorkflowChanged, WorkflowDeleted
from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.toast import ToastType
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


def test_a_closed_feed_adds_nothing() -> None:
    desk = Desk()
    desk.feed.close()
    desk.tell(desk.start("a").finished())
    assert seen(desk) == []
