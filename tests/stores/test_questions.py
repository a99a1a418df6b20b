"""What waits for the user is open in a single place, and everything else is derived from there."""

import pytest

from core.bus import WorkflowDeleted
from core.domain.events import RootChanged
from core.domain.ids import WorkflowId
from core.domain.interruption import InterruptionKind, InterruptionStatus
from core.domain.run import RunStatus
from core.domain.toast import ToastType
from tests.stores.rig import Desk, Teller

A, B = WorkflowId("wf_a"), WorkflowId("wf_b")


def asked(desk: Desk, workflow_id: WorkflowId = A) -> list[str | None]:
    """The prompts that are open in a workflow."""
    return [one.asked.prompt for one in desk.questions.get_questions_for_workflow(workflow_id)]


def toasts(desk: Desk) -> list[str]:
    return [toast.message for toast in desk.toasts.visible if toast.type is ToastType.USER_QUESTION]


def heard(desk: Desk) -> list[str]:
    told: list[str] = []
    desk.questions.changed.connect(told.append)
    return told


def part_of(desk: Desk, root: Teller) -> Teller:
    """A run at work below another."""
    part = desk.teller("part", root.workflow_id)
    desk.tell(part.created_below(root, "Part"), part.started())
    return part


def test_questions_stand_in_the_order_of_asking_until_each_is_closed() -> None:
    desk = Desk()
    run = desk.start("a")
    told = heard(desk)
    desk.tell(run.asks("one", prompt="First?"), run.asks("two", prompt="Second?"))
    assert asked(desk) == ["First?", "Second?"]
    assert desk.questions.count(A) == 2
    desk.tell(run.closes("one"))
    assert asked(desk) == ["Second?"]
    assert told == [A, A, A]
    desk.tell(run.stream("text"), run.step_done())
    assert told == [A, A, A]


def test_what_a_run_below_asks_stands_in_the_workflow_of_its_root() -> None:
    desk = Desk()
    root = desk.start("a")
    part = part_of(desk, root)
    desk.tell(part.asks(prompt="Below?"), root.asks(prompt="Above?"))
    assert asked(desk) == ["Below?", "Above?"]
    below, above = desk.questions.get_questions_for_workflow(A)
    assert (below.run_id, below.below, above.run_id, above.below) == (part.run_id, "Part", root.run_id, None)
    desk.tell(part.finished(RunStatus.CANCELLED))
    assert asked(desk) == ["Above?"]
    assert toasts(desk) == ["Above?"]


def test_a_run_below_that_outlives_its_root_still_asks() -> None:
    desk = Desk()
    root = desk.start("a")
    part = part_of(desk, root)
    desk.tell(root.finished(), part.asks(prompt="Below?"))
    desk.time.advance(1000)
    assert (asked(desk), desk.questions.workflows) == (["Below?"], [A])
    desk.tell(part.closes())
    desk.time.advance(100)
    assert (asked(desk), desk.recent) == ([], [])


def test_a_run_on_its_own_still_asks_where_its_workflow_begins_another() -> None:
    desk = Desk()
    root = desk.start("a")
    part = part_of(desk, root)
    leaf, late = (desk.teller(name, root.workflow_id) for name in ("leaf", "late"))
    desk.tell(leaf.created_below(root), leaf.started(), root.finished(), part.say(RootChanged()))
    desk.tell(leaf.say(RootChanged(root_run_id=part.run_id)), part.asks(prompt="Part?"))
    other = desk.teller("b", root.workflow_id)
    desk.tell(other.created(), other.started(), leaf.asks(prompt="Leaf?"))
    desk.tell(late.created_below(part), late.asks(prompt="Late?"))
    assert (asked(desk), desk.running) == (["Part?", "Leaf?", "Late?"], [A])
    desk.tell(leaf.finished(), late.finished(), part.closes(), part.finished())
    execution = desk.background.get_execution(A)
    assert execution is not None
    assert (asked(desk), execution.below) == ([], [])


@pytest.mark.parametrize("status", [RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.CANCELLED])
def test_nothing_is_asked_by_a_run_that_has_ended(status: RunStatus) -> None:
    desk = Desk()
    run = desk.start("a")
    told = heard(desk)
    desk.tell(run.asks(prompt="Which?"), run.finished(status))
    assert (asked(desk), toasts(desk), told) == ([], [], [A, A])


def test_a_deleted_workflow_asks_nothing_any_more() -> None:
    desk = Desk()
    run = desk.start("a")
    told = heard(desk)
    desk.tell(run.asks(prompt="Which?"))
    desk.bus.publish(WorkflowDeleted(A))
    assert (asked(desk), toasts(desk), told) == ([], [], [A, A])


def test_workflows_stand_in_the_order_of_their_oldest_question() -> None:
    desk = Desk()
    first, second = desk.start("a"), desk.start("b")
    desk.tell(second.asks(), first.asks("x"), first.asks("y"))
    assert desk.questions.workflows == [B, A]
    desk.tell(second.closes())
    assert desk.questions.workflows == [A]


def test_the_time_that_is_left_is_known() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.asks(expires_at="2026-01-01T00:05:00.000Z"))
    (one,) = desk.questions.get_questions_for_workflow(A)
    assert one.expires_at is not None
    assert one.expires_at.minute == 5


# Its toast


def test_a_question_has_a_toast_with_its_text_until_it_is_closed() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.asks(prompt="Publish it?"))
    (toast,) = desk.toasts.visible
    assert (toast.type, toast.title, toast.message, toast.persistent) == (
        ToastType.USER_QUESTION,
        "wf_a",
        "Publish it?",
        True,
    )
    desk.time.advance(100_000)
    assert toasts(desk) == ["Publish it?"]
    desk.tell(run.closes(status=InterruptionStatus.EXPIRED))
    assert (toasts(desk), desk.toasts.history) == ([], ())


def test_without_words_of_its_own_the_toast_knows_what_is_asked() -> None:
    desk = Desk()
    desk.tell(desk.start("a").asks(kind=InterruptionKind.OUTCOME, step="send"))
    assert dict(desk.toasts.visible[0].parameters) == {"kind": "outcome", "step": "Ada"}


@pytest.mark.parametrize(
    ("viewed", "is_active", "told"),
    [(A, True, []), (A, False, ["Which?"]), (B, True, ["Which?"]), (None, True, ["Which?"])],
)
def test_a_question_that_is_not_seen_has_a_toast(viewed: WorkflowId | None, is_active: bool, told: list[str]) -> None:
    desk = Desk()
    run = desk.start("a")
    desk.background.set_viewed(viewed)
    desk.background.set_window_active(is_active)
    desk.tell(run.asks(prompt="Which?"))
    assert toasts(desk) == told


def test_two_questions_of_the_same_text_share_a_toast_until_both_are_closed() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.asks("one", prompt="Go on?"), run.asks("two", prompt="Go on?"))
    assert [toast.repeated for toast in desk.toasts.visible] == [2]
    desk.tell(run.closes("two"))
    assert toasts(desk) == ["Go on?"]
    desk.tell(run.closes("one"))
    assert toasts(desk) == []


def test_a_dismissed_toast_leaves_the_history_with_its_question() -> None:
    desk = Desk()
    run = desk.start("a")
    desk.tell(run.asks(prompt="Which?"))
    desk.toasts.dismiss(desk.toasts.visible[0].id)
    assert [toast.message for toast in desk.toasts.history] == ["Which?"]
    desk.tell(run.closes())
    assert desk.toasts.history == ()


def test_the_end_of_a_run_below_leaves_the_questions_of_its_root() -> None:
    desk = Desk()
    root = desk.start("a")
    part = part_of(desk, root)
    desk.tell(root.asks(prompt="Which?"), part.finished())
    assert toasts(desk) == ["Which?"]


def test_repeated_events_after_a_restart_leave_open_questions_open() -> None:
    before = Desk()
    run = before.teller("a")
    events = [run.created(), run.started(), run.asks("one", prompt="Old?"), run.closes("one"), run.asks(prompt="Now?")]
    after = Desk()
    after.tell(*events)
    after.tell(*events)
    assert (asked(after), toasts(after), after.toasts.history) == (["Now?"], ["Now?"], ())
    assert [toast.repeated for toast in after.toasts.visible] == [1]
