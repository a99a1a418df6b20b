"""The pile of toasts: places, times, pauses, repetition, and what is kept of them."""

from typing import Any

import pytest

from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.toast import Toast, ToastType
from core.stores.toasts import Toasts
from tests.stores.rig import FakeTime

A, B = WorkflowId("wf_a"), WorkflowId("wf_b")
INFO, WARNING, ERROR, SUCCESS = ToastType.INFO, ToastType.WARNING, ToastType.ERROR, ToastType.SUCCESS


class Pile:
    """A pile on a fake clock, with short words for what is seen."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.toasts = Toasts(self.time, self.time.call_later)

    def say(self, title: str, kind: ToastType = INFO, **more: Any) -> Toast:
        toast_id = self.toasts.add(kind, "said", title=title, **more)
        return next(one for one in (*self.toasts.visible, *self.toasts.waiting) if one.id == toast_id)

    def ask(self, title: str, workflow_id: WorkflowId = A) -> None:
        self.toasts.add_user_question(workflow_id, title, "Which?")

    @property
    def seen(self) -> list[str]:
        return [toast.title for toast in self.toasts.visible]

    @property
    def waiting(self) -> list[str]:
        return [toast.title for toast in self.toasts.waiting]

    @property
    def history(self) -> list[str]:
        return [toast.title for toast in self.toasts.history]


# Places


def test_the_newest_stands_last() -> None:
    pile = Pile()
    pile.say("one")
    pile.say("two")
    assert pile.seen == ["one", "two"]


def test_at_most_five_are_visible_and_the_oldest_goes() -> None:
    pile = Pile()
    for number in range(7):
        pile.say(str(number))
    assert pile.seen == ["2", "3", "4", "5", "6"]
    assert pile.history == ["0", "1"]


def test_a_persistent_one_is_never_pushed_out() -> None:
    pile = Pile()
    pile.ask("question")
    for number in range(7):
        pile.say(str(number))
    assert pile.seen == ["question", "3", "4", "5", "6"]


def test_more_than_five_questions_wait_for_a_place() -> None:
    pile = Pile()
    pile.say("info")
    for number in range(7):
        pile.ask(f"q{number}")
    assert pile.seen == ["q0", "q1", "q2", "q3", "q4"]
    assert pile.waiting == ["q5", "q6"]
    assert pile.history == ["info"]
    pile.toasts.dismiss(pile.toasts.visible[1].id)
    assert pile.seen == ["q0", "q2", "q3", "q4", "q5"]
    assert pile.waiting == ["q6"]


def test_what_finds_only_questions_waits_and_has_its_full_time_when_it_is_seen() -> None:
    pile = Pile()
    for number in range(5):
        pile.ask(f"q{number}")
    pile.say("info")
    pile.time.advance(60)
    assert pile.waiting == ["info"]
    pile.toasts.dismiss(pile.toasts.visible[0].id)
    pile.time.advance(4.9)
    assert pile.seen[-1] == "info"
    pile.time.advance(0.1)
    assert "info" not in pile.seen


def test_a_question_that_waits_goes_before_what_came_earlier_and_of_that_only_the_newest_wait() -> None:
    pile = Pile()
    for number in range(5):
        pile.ask(f"q{number}")
    for number in range(6):
        pile.say(str(number))
    pile.ask("q5")
    assert pile.waiting == ["q5", "1", "2", "3", "4", "5"]
    assert pile.history == ["0"]


def test_when_one_runs_out_the_next_that_waits_is_seen() -> None:
    pile = Pile()
    for number in range(5):
        pile.ask(f"q{number}")
    pile.say("first")
    pile.say("second")
    pile.toasts.dismiss(pile.toasts.visible[0].id)
    assert (pile.seen[-1], pile.waiting) == ("first", ["second"])
    pile.time.advance(5)
    assert (pile.seen[-1], pile.waiting) == ("second", [])


def test_of_thirty_in_a_second_the_questions_are_seen_and_none_is_lost() -> None:
    pile = Pile()
    for number in range(30):
        if number in (3, 11, 19):
            pile.ask(f"q{number}")
        else:
            pile.say(str(number))
        pile.time.advance(1 / 30)
    assert pile.seen == ["q3", "q11", "q19", "28", "29"]
    assert len(pile.history) == 25
    pile.toasts.clear()
    assert (pile.seen, pile.time.timers) == ([], 0)
    assert sorted(pile.history) == sorted({*map(str, range(30)), "q3", "q11", "q19"} - {"3", "11", "19"})


# Times


@pytest.mark.parametrize(("kind", "seconds"), [(SUCCESS, 5), (INFO, 5), (WARNING, 10), (ERROR, 10)])
def test_a_toast_stays_as_long_as_its_kind_says(kind: ToastType, seconds: float) -> None:
    pile = Pile()
    pile.say("text", kind)
    pile.time.advance(seconds - 0.01)
    assert pile.seen == ["text"]
    pile.time.advance(0.01)
    assert pile.seen == []
    assert pile.history == ["text"]
    assert pile.time.timers == 0


def test_a_question_stays_until_it_is_closed() -> None:
    pile = Pile()
    pile.ask("question")
    pile.time.advance(100_000)
    assert pile.seen == ["question"]
    assert pile.time.timers == 0
    assert pile.toasts.visible[0].persistent


def test_a_toast_may_have_a_time_of_its_own() -> None:
    pile = Pile()
    assert pile.say("text", duration_s=1).duration_s == 1
    pile.time.advance(1)
    assert pile.seen == []


def test_one_timer_serves_all_and_tick_tells_when_to_come_again() -> None:
    pile = Pile()
    pile.say("short")
    pile.say("long", WARNING)
    assert pile.time.timers == 1
    now = pile.time.monotonic()
    assert pile.toasts.tick(now) == now + 5
    assert pile.toasts.tick(now + 5) == now + 10
    assert pile.seen == ["long"]
    assert pile.toasts.tick(now + 10) is None


def test_a_pause_stops_the_time_of_all_and_gives_the_rest_back() -> None:
    pile = Pile()
    pile.say("text")
    pile.time.advance(3)
    pile.toasts.pause("hover")
    assert pile.time.timers == 0
    pile.time.advance(60)
    pile.toasts.resume("hover")
    pile.time.advance(1.9)
    assert pile.seen == ["text"]
    pile.time.advance(0.2)
    assert pile.seen == []


def test_a_pause_lasts_until_its_last_reason_is_gone() -> None:
    pile = Pile()
    pile.say("text")
    pile.toasts.pause("hover")
    pile.toasts.pause("inactive")
    pile.toasts.pause("hover")
    pile.toasts.resume("hover")
    pile.time.advance(60)
    assert pile.seen == ["text"]
    pile.toasts.resume("inactive")
    pile.toasts.resume("inactive")
    pile.time.advance(5)
    assert pile.seen == []


def test_what_is_said_during_a_pause_has_its_full_time_after_it() -> None:
    pile = Pile()
    pile.toasts.pause("inactive")
    pile.time.advance(60)
    pile.say("text")
    pile.time.advance(60)
    assert pile.toasts.tick(pile.time.monotonic()) is None
    pile.toasts.resume("inactive")
    pile.time.advance(4.9)
    assert pile.seen == ["text"]
    pile.time.advance(0.1)
    assert pile.seen == []


# Again


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


def test_what_was_said_again_is_not_the_oldest_any_more() -> None:
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


def test_what_is_gone_is_said_anew() -> None:
    pile = Pile()
    pile.say("text")
    pile.time.advance(5)
    assert pile.say("text").repeated == 1


# Kinds


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


def test_of_a_cancelled_run_nothing_is_said() -> None:
    pile = Pile()
    assert pile.toasts.add_workflow_complete(A, "Letters", RunStatus.CANCELLED) is None
    assert pile.seen == []


def test_a_question_names_its_workflow_and_stays() -> None:
    pile = Pile()
    pile.toasts.add_user_question(A, "Letters", "Which address?")
    toast = pile.toasts.visible[0]
    assert (toast.type, toast.title, toast.message) == (ToastType.USER_QUESTION, "Letters", "Which address?")
    assert (toast.workflow_id, toast.persistent) == (A, True)


# Closing


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
    time = FakeTime()
    old = Pile().say("old")
    toasts = Toasts(time, time.call_later, [old])
    assert toasts.history == (old,)
    for number in range(600):
        toasts.add(INFO, "said", title=str(number))
    assert len(toasts.history) == 500


# Signals


def test_listeners_are_told_once_for_each_thing() -> None:
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
