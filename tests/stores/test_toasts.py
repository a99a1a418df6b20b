"""The contents of toasts, what counts as a repetition, how they close, and their history."""

from typing import Any

import pytest

from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.toast import Toast, ToastType
from core.stores.toasts import Toasts
from tests.stores.rig import Pile
from tests.support.clock import FakeClock

A, B = WorkflowId("wf_a"), WorkflowId("wf_b")
INFO, ERROR, SUCCESS = ToastType.INFO, ToastType.ERROR, ToastType.SUCCESS


def test_the_same_again_counts_up_where_it_stands_and_has_its_time_anew() -> None:
    pile = Pile()
    first = pile.say("again")
    pile.say("other")
    pile.time.advance(4)
    assert pile.say("again").id == first.id
    assert pile.say("again").repeated == 3
    pile.time.advance(4)
    assert pile.seen == ["again"]
    pile.time.advance(1)
    assert pile.seen == []
    assert [toast.repeated for toast in pile.toasts.history] == [1, 3]


def test_a_repeated_toast_is_not_the_oldest_any_more() -> None:
    pile = Pile()
    for number in range(5):
        pile.say(str(number))
        pile.time.advance(0.1)
    pile.say("0")
    pile.say("5")
    assert pile.seen == ["0", "2", "3", "4", "5"]


@pytest.mark.parametrize("other", [{"message": "else"}, {"workflow_id": B}, {"parameters": [("limit", 3)]}])
def test_what_differs_in_a_word_is_not_the_same(other: dict[str, Any]) -> None:
    pile = Pile()
    pile.say("text", workflow_id=A)
    pile.say("text", **{"workflow_id": A, **other})
    assert [toast.repeated for toast in pile.toasts.visible] == [1, 1]


def test_the_same_again_is_counted_while_it_waits_too() -> None:
    pile = Pile()
    for number in range(6):
        pile.ask(f"q{number}")
    pile.ask("q5")
    assert [toast.repeated for toast in pile.toasts.waiting] == [2]


def test_a_dismissed_toast_is_added_anew() -> None:
    pile = Pile()
    pile.say("text")
    pile.time.advance(5)
    assert pile.say("text").repeated == 1


def test_a_finished_run_is_a_success_with_its_name() -> None:
    pile = Pile()
    pile.toasts.add_workflow_complete(A, "Letters", RunStatus.SUCCESS)
    toast = pile.toasts.visible[0]
    assert (toast.type, toast.code, toast.title) == (SUCCESS, "workflow_success", "Letters")
    assert (toast.workflow_id, toast.duration_s) == (A, 5)


def test_a_failed_run_is_an_error_that_stays_as_long_as_a_success() -> None:
    pile = Pile()
    pile.toasts.add_workflow_complete(A, "Letters", RunStatus.ERROR, {"code": "timeout", "message": "too slow"})
    toast = pile.toasts.visible[0]
    assert (toast.type, toast.title, toast.message) == (ERROR, "Letters", "too slow")
    assert (toast.parameters, toast.duration_s) == ((("error", "timeout"),), 5)


def test_a_failed_run_has_what_it_was_doing_and_the_http_status() -> None:
    pile = Pile()
    error = {"code": "provider_error", "message": "no", "failed_during": "model", "status": 429, "retry_after_s": 7}
    pile.toasts.add_workflow_complete(A, "Letters", RunStatus.ERROR, error)
    told = pile.toasts.visible[0].parameters
    assert told == (("error", "provider_error"), ("during", "model"), ("status", 429), ("retry_after_s", 7))


def test_a_cancelled_run_has_no_toast() -> None:
    pile = Pile()
    assert pile.toasts.add_workflow_complete(A, "Letters", RunStatus.CANCELLED) is None
    assert pile.seen == []


def test_a_question_names_its_workflow_and_stays() -> None:
    pile = Pile()
    pile.toasts.add_user_question(A, "Letters", "Which address?")
    toast = pile.toasts.visible[0]
    assert (toast.type, toast.title, toast.message) == (ToastType.USER_QUESTION, "Letters", "Which address?")
    assert (toast.workflow_id, toast.persistent) == (A, True)


def test_a_dismissed_toast_is_gone_and_kept_for_the_inbox() -> None:
    pile = Pile()
    toast = pile.say("text")
    pile.toasts.dismiss(toast.id)
    pile.toasts.dismiss(toast.id)
    assert (pile.seen, pile.history, pile.time.timers) == ([], ["text"], 0)


def test_a_workflow_takes_its_toasts_along_seen_and_waiting() -> None:
    pile = Pile()
    for number in range(6):
        pile.ask(f"q{number}", A if number % 2 else B)
    pile.toasts.dismiss_for_workflow(A)
    assert pile.seen == ["q0", "q2", "q4"]
    assert pile.waiting == []
    assert pile.history == ["q1", "q3", "q5"]


def test_one_kind_of_a_workflow_can_be_closed_alone() -> None:
    pile = Pile()
    pile.ask("question")
    pile.say("info", workflow_id=A)
    pile.toasts.dismiss_for_workflow(A, ToastType.USER_QUESTION)
    assert pile.seen == ["info"]


def test_the_history_is_bounded_and_goes_on_from_what_was_kept() -> None:
    time = FakeClock()
    old = Pile().say("old")
    toasts = Toasts(time, time.call_later, [old])
    assert toasts.history == (old,)
    for number in range(600):
        toasts.add(INFO, "said", title=str(number))
    assert len(toasts.history) == 500


def test_listeners_are_called_once_for_each_change() -> None:
    pile = Pile()
    changes: list[int] = []
    added: list[Toast] = []

    def note() -> None:
        changes.append(len(pile.seen))

    pile.toasts.changed.connect(note)
    pile.toasts.added.connect(added.append)
    for number in range(6):
        pile.say(str(number))
    assert changes == [1, 2, 3, 4, 5, 5]
    assert [toast.title for toast in added] == ["0", "1", "2", "3", "4", "5"]
    changes.clear()
    pile.toasts.dismiss_for_workflow(A)
    assert changes == []
    pile.toasts.dismiss(pile.toasts.visible[0].id)
    assert changes == [4]
    pile.time.advance(5)
    assert changes == [4, 0]


def test_a_closed_pile_leaves_no_timer() -> None:
    pile = Pile()
    pile.say("text")
    pile.toasts.close()
    assert pile.time.timers == 0
