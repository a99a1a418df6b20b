"""Notifications for a user who looks elsewhere, and how long they apply."""

import pytest

from core.bus import WorkflowDeleted
from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.settings import NotifyLevel, Settings
from core.stores.notifications import GROUPING_S, Notification, NotificationGroup, Notifications
from tests.stores.rig import Desk, Teller


class Elsewhere:
    """A desk whose window is not seen, and what its desktop shows."""

    def __init__(self) -> None:
        self.desk = Desk()
        self.level = NotifyLevel.EVERYTHING
        self.store = Notifications(
            self.desk.bus,
            self.desk.background,
            self.desk.questions,
            self.desk.toasts,
            lambda: Settings(notify=self.level),
            self.desk.time,
            self.desk.time.call_later,
        )
        self.seen: dict[str, Notification] = {}
        self.rung: list[str] = []
        self.store.shown.connect(self._show)
        self.store.closed.connect(self._close)

    def _show(self, notification: Notification) -> None:
        self.seen[notification.key] = notification
        if not notification.is_quiet:
            self.rung.append(notification.key)

    def _close(self, key: str) -> None:
        del self.seen[key]

    def end(self, run: Teller, status: RunStatus = RunStatus.SUCCESS) -> None:
        self.desk.tell(run.finished(status, {"code": "x"} if status is RunStatus.ERROR else None))

    def come(self, viewed: str | None) -> None:
        self.desk.background.set_viewed(WorkflowId(viewed) if viewed else None)
        self.desk.background.set_window_active(True)
        self.store.set_present(True)

    def wait(self) -> None:
        self.desk.time.advance(GROUPING_S)


@pytest.fixture
def elsewhere() -> Elsewhere:
    return Elsewhere()


def test_ten_runs_that_finish_together_ring_once_and_a_question_rings_for_itself(elsewhere: Elsewhere) -> None:
    runs = [elsewhere.desk.start(f"r{n}") for n in range(10)]
    asking = elsewhere.desk.start("asking")
    for run in runs:
        elsewhere.end(run)
    elsewhere.desk.tell(asking.asks("one"), asking.asks("two"))
    elsewhere.wait()
    assert elsewhere.rung == ["asking:wf_asking", "ended:several"]
    assert len(elsewhere.seen["ended:several"].toasts) == 10


def test_a_user_at_the_window_gets_no_notification(elsewhere: Elsewhere) -> None:
    run, other = elsewhere.desk.start("a"), elsewhere.desk.start("b")
    elsewhere.end(run)
    elsewhere.come(None)
    elsewhere.end(other)
    elsewhere.wait()
    assert elsewhere.seen == {}


@pytest.mark.parametrize(
    ("level", "told"),
    [
        (NotifyLevel.EVERYTHING, {"ended:wf_ok", "ended:wf_bad", "asking:wf_asks"}),
        (NotifyLevel.QUESTIONS_AND_FAILURES, {"ended:wf_bad", "asking:wf_asks"}),
        (NotifyLevel.QUESTIONS, {"asking:wf_asks"}),
        (NotifyLevel.OFF, set()),
    ],
)
def test_the_level_selects_the_notifications_and_a_stop_has_none_at_any_level(
    elsewhere: Elsewhere, level: NotifyLevel, told: set[str]
) -> None:
    elsewhere.level = level
    ok, bad, stopped, asks = (elsewhere.desk.start(name) for name in ("ok", "bad", "stopped", "asks"))
    elsewhere.end(ok)
    elsewhere.wait()
    elsewhere.end(bad, RunStatus.ERROR)
    elsewhere.end(stopped, RunStatus.CANCELLED)
    elsewhere.desk.tell(asks.asks())
    elsewhere.wait()
    assert set(elsewhere.seen) == told


def test_the_end_of_a_turn_is_no_end_while_the_next_turn_follows(elsewhere: Elsewhere) -> None:
    """Queued messages and their turn are a single piece of work to the user."""
    for turn in range(3):
        run = elsewhere.desk.start(f"turn{turn}", "wf_a")
        elsewhere.desk.time.advance(30)
        elsewhere.end(run)
        elsewhere.desk.time.advance(GROUPING_S / 2)
    elsewhere.wait()
    assert elsewhere.rung == ["ended:wf_a"]
    elsewhere.desk.start("again", "wf_a")
    assert elsewhere.seen == {}


def test_it_goes_when_answered_viewed_or_deleted_and_that_of_another_workflow_stays(elsewhere: Elsewhere) -> None:
    runs = {name: elsewhere.desk.start(name) for name in "abc"}
    for run in runs.values():
        elsewhere.desk.tell(run.asks())
        elsewhere.wait()
    assert set(elsewhere.seen) == {"asking:wf_a", "asking:wf_b", "asking:wf_c"}
    elsewhere.desk.tell(runs["a"].closes())
    assert set(elsewhere.seen) == {"asking:wf_b", "asking:wf_c"}
    elsewhere.come("wf_b")
    assert set(elsewhere.seen) == {"asking:wf_c"}
    elsewhere.desk.bus.publish(WorkflowDeleted(WorkflowId("wf_c")))
    assert elsewhere.seen == {}


def test_a_workflow_leaves_a_shared_notification_without_a_ring_and_late_toasts_are_dropped(
    elsewhere: Elsewhere,
) -> None:
    runs = [elsewhere.desk.start(name) for name in "abc"]
    elsewhere.desk.tell(*(run.asks() for run in runs))
    elsewhere.wait()
    rung = list(elsewhere.rung)
    for run in runs[:2]:
        elsewhere.desk.tell(run.closes())
    assert elsewhere.seen["asking:several"].workflows == ("wf_c",)
    assert elsewhere.rung == rung
    late = elsewhere.desk.start("late")
    elsewhere.desk.tell(late.asks(), late.closes())
    elsewhere.wait()
    assert elsewhere.rung == rung
    elsewhere.store.dismissed("asking:several")
    assert elsewhere.store.standing == ()


def test_several_toasts_join_a_shared_notification_and_a_single_toast_leaves_it(elsewhere: Elsewhere) -> None:
    for names in ("ab", "cd"):
        for run in [elsewhere.desk.start(name) for name in names]:
            elsewhere.end(run, RunStatus.ERROR)
        elsewhere.wait()
    assert elsewhere.seen["ended:several"].workflows == ("wf_a", "wf_b", "wf_c", "wf_d")
    elsewhere.end(elsewhere.desk.start("again", "wf_b"), RunStatus.ERROR)
    elsewhere.wait()
    assert "wf_b" not in elsewhere.seen["ended:several"].workflows
    assert elsewhere.seen["ended:wf_b"].group is NotificationGroup.ENDED
    assert elsewhere.rung == ["ended:several", "ended:several", "ended:wf_b"]


def test_without_a_window_nothing_gathers() -> None:
    elsewhere = Elsewhere()
    elsewhere.store.shown.disconnect()
    elsewhere.end(elsewhere.desk.start("a"))
    elsewhere.wait()
    assert elsewhere.store.standing == ()
    elsewhere.store.close()
