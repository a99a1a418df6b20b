"""The user is reminded of a request that waits long: by a toast, and by the desktop when looking elsewhere."""

from datetime import timedelta

import pytest

from core.bus import SettingsChanged
from core.domain.ids import WorkflowId
from core.domain.interruption import InterruptionKind
from core.domain.run import RunStatus
from core.domain.settings import NotifyLevel, Settings
from core.domain.toast import ToastType
from core.stores.notifications import GROUPING_S, Notification, Notifications
from core.stores.question_reminders import MAX_TIMER_S, Reminders, ReminderToast
from tests.stores.rig import Desk, Teller

MINUTE = 60.0
Q = InterruptionKind.QUESTION


class Office:
    """A desk with a window that is seen or not, and a desktop."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.desk = Desk()
        self.settings = settings or Settings()
        desk, time = self.desk, self.desk.time
        self.notifications = Notifications(
            desk.bus, desk.background, desk.questions, desk.toasts, lambda: self.settings, time, time.call_later
        )
        self.reminders = Reminders(
            desk.bus,
            desk.questions,
            desk.feed,
            ReminderToast(desk.background, desk.toasts),
            self.notifications,
            lambda: self.settings,
            time,
            time.call_later,
        )
        self.seen: set[WorkflowId] = set()
        self.rung: list[Notification] = []
        self.standing: dict[str, Notification] = {}
        self.notifications.shown.connect(self._show)
        self.notifications.closed.connect(self._close)
        self.reminders.start(lambda workflow_id: workflow_id in self.seen)

    def _show(self, notification: Notification) -> None:
        self.standing[notification.key] = notification
        if not notification.is_quiet:
            self.rung.append(notification)

    def _close(self, key: str) -> None:
        del self.standing[key]

    def change(self, **fields: object) -> None:
        self.settings = Settings.model_validate({**self.settings.model_dump(), **fields})
        self.desk.bus.publish(SettingsChanged(self.settings))

    def ask(self, name: str, prompt: str = "Which?", **fields: str) -> Teller:
        run = self.desk.start(name)
        self.desk.tell(run.asks(prompt=prompt, kind=Q, **fields))
        return run

    @property
    def toasts(self) -> list[tuple[str, str, int]]:
        """Code, message, and number of requests."""
        return [
            (one.code, one.message, dict(one.parameters).get("count", 1))
            for one in self.desk.toasts.visible
            if one.type is ToastType.USER_QUESTION
        ]


@pytest.fixture
def office() -> Office:
    return Office()


def test_a_reminder_replaces_the_toast_and_notifies_the_desktop(office: Office) -> None:
    run = office.ask("a")
    office.desk.time.advance(29 * MINUTE)
    assert office.toasts == [("user_question", "Which?", 1)]
    office.rung.clear()
    office.desk.time.advance(MINUTE + GROUPING_S)
    assert office.toasts == [("question_reminder", "Which?", 1)]
    assert [(one.key, one.toasts[0].code) for one in office.rung] == [("asking:wf_a", "question_reminder")]
    office.desk.time.advance(8 * 60 * MINUTE)
    assert len(office.rung) == 5
    office.desk.tell(run.closes())
    assert (office.toasts, office.standing) == ([], {})
    assert office.desk.time.timers == 0


def test_several_questions_share_a_reminder_and_an_answered_question_leaves_it(office: Office) -> None:
    runs = [office.ask(name, f"{name}?") for name in ("a", "b", "c")]
    office.desk.time.advance(GROUPING_S)
    office.rung.clear()
    office.desk.time.advance(31 * MINUTE)
    assert office.toasts == [("question_reminder", "wf_a, wf_b, wf_c", 3)]
    (told,) = office.rung
    assert told.workflows == ("wf_a", "wf_b", "wf_c")
    office.desk.tell(runs[0].closes())
    assert office.toasts == [("question_reminder", "wf_b, wf_c", 2)]
    office.desk.tell(runs[1].finished(RunStatus.CANCELLED))
    assert office.toasts == [("question_reminder", "c?", 1)]
    (left,) = office.desk.toasts.visible[-1:]
    office.desk.tell(runs[2].closes())
    assert office.toasts == []
    assert left not in office.desk.toasts.history


def test_a_question_with_a_time_limit_has_one_reminder_before_its_end(office: Office) -> None:
    run = office.ask("a", expires_at="2026-01-01T02:00:00.000Z")
    office.desk.time.advance(89 * MINUTE)
    assert office.toasts == [("user_question", "Which?", 1)]
    office.rung.clear()
    office.desk.time.advance(2 * MINUTE)
    assert office.toasts == [("question_ending", "Which?", 1)]
    assert [one.toasts[0].code for one in office.rung] == ["question_ending"]
    office.desk.toasts.dismiss(office.desk.toasts.visible[-1].id)
    office.desk.time.advance(28 * MINUTE)
    assert office.toasts == []  # sent away: it does not come again
    office.desk.tell(run.closes())
    assert (len(office.rung), office.desk.time.timers) == (1, 0)


def test_the_reminder_of_an_end_goes_with_its_question_and_is_quiet_while_that_is_seen(office: Office) -> None:
    office.seen.add(WorkflowId("wf_a"))
    runs = [office.ask(name, f"{name}?", expires_at="2026-01-01T02:00:00.000Z") for name in ("a", "b")]
    office.desk.time.advance(91 * MINUTE)
    assert office.toasts == [("user_question", "a?", 1), ("question_ending", "b?", 1)]
    office.seen.clear()
    office.desk.time.advance(5 * MINUTE)
    assert [code for code, _, _ in office.toasts] == ["user_question", "question_ending"]
    office.desk.tell(runs[1].closes())
    assert office.toasts == [("user_question", "a?", 1)]


def test_after_a_sleep_or_a_restart_there_is_one_reminder_of_an_end(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ask("a", expires_at="2026-01-01T10:00:00.000Z")
    time = office.desk.time
    now = time.now
    monkeypatch.setattr(time, "now", lambda: now() + timedelta(hours=9))
    time.advance(MAX_TIMER_S + GROUPING_S)
    assert office.toasts == [("question_ending", "Which?", 1)]
    again = Office()
    again.reminders.close()
    again.ask("a", expires_at="2026-01-01T10:00:00.000Z")
    monkeypatch.setattr(again.desk.time, "now", lambda: now() + timedelta(hours=9))
    again.reminders.start(lambda _workflow_id: False)
    assert again.toasts == [("question_ending", "Which?", 1)]


def test_without_reminders_the_end_has_none_either(office: Office) -> None:
    office.change(remind_after_min=0)
    office.ask("a", expires_at="2026-01-01T02:00:00.000Z")
    office.desk.time.advance(119 * MINUTE)
    assert (office.toasts, office.desk.time.timers) == ([("user_question", "Which?", 1)], 0)


def test_a_question_that_is_seen_needs_no_reminder_and_its_pause_grows_all_the_same(office: Office) -> None:
    office.seen.add(WorkflowId("wf_a"))
    office.ask("a")
    office.desk.time.advance(45 * MINUTE)
    assert office.toasts == [("user_question", "Which?", 1)]
    office.seen.clear()
    office.desk.time.advance(10 * MINUTE)
    assert office.toasts == [("user_question", "Which?", 1)]
    office.desk.time.advance(6 * MINUTE)
    assert office.toasts == [("question_reminder", "Which?", 1)]


def test_who_puts_it_off_is_reminded_that_much_later(office: Office) -> None:
    office.seen.add(WorkflowId("wf_a"))
    office.ask("a")
    office.desk.time.advance(9 * 60 * MINUTE)
    office.reminders.postpone(WorkflowId("wf_a"))
    office.seen.clear()
    office.desk.time.advance(29 * MINUTE)
    assert office.toasts == [("user_question", "Which?", 1)]
    office.desk.time.advance(2 * MINUTE)
    assert office.toasts == [("question_reminder", "Which?", 1)]


def test_one_that_was_sent_away_comes_with_what_is_due_then(office: Office) -> None:
    office.ask("a", "a?")
    office.desk.time.advance(31 * MINUTE)
    office.desk.toasts.dismiss(office.desk.toasts.visible[-1].id)
    office.ask("b", "b?")
    office.desk.time.advance(26 * MINUTE)
    assert office.toasts == [("user_question", "b?", 1)]
    office.desk.time.advance(9 * MINUTE)
    assert office.toasts == [("question_reminder", "wf_a, wf_b", 2)]


def test_the_setting_holds_from_when_it_changes(office: Office) -> None:
    office.change(remind_after_min=0)
    office.ask("a")
    office.desk.time.advance(10 * 60 * MINUTE)
    assert office.toasts == [("user_question", "Which?", 1)]
    assert office.desk.time.timers == 0
    office.change(remind_after_min=5)
    assert office.toasts == [("question_reminder", "Which?", 1)]


def test_at_the_level_of_nothing_the_window_alone_reminds(office: Office) -> None:
    office.change(notify=NotifyLevel.OFF)
    office.ask("a")
    office.desk.time.advance(31 * MINUTE)
    assert office.rung == []
    assert office.toasts == [("question_reminder", "Which?", 1)]


def test_a_jump_of_the_clock_is_noticed_within_a_minute_and_makes_a_single_reminder(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abcd":
        office.ask(name)
    time = office.desk.time
    time.advance(GROUPING_S)
    office.rung.clear()
    now = time.now
    monkeypatch.setattr(time, "now", lambda: now() + timedelta(hours=9))
    time.advance(MAX_TIMER_S + GROUPING_S)
    assert [len(one.toasts) for one in office.rung] == [4]
    assert [code for code, _, _ in office.toasts] == ["question_reminder"]
    time.advance(60 * MINUTE)
    assert len(office.rung) == 1


def test_without_a_window_there_is_no_timer(office: Office) -> None:
    office.reminders.close()
    office.ask("a")
    office.desk.time.advance(GROUPING_S)
    assert office.desk.time.timers == 0
    office.desk.time.advance(90 * MINUTE)
    assert office.toasts == [("user_question", "Which?", 1)]
