"""A person is told once more of a request that waits long: by its toast, and by their desktop if they look elsewhere.

Which requests are open is known by `Questions` alone; here is only when each was last told of (UI §6, §7).
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from core.bus import Bus, SettingsChanged
from core.domain.ids import InterruptionId, WorkflowId
from core.domain.reminding import Waiting, decide
from core.domain.settings import Settings
from core.ports.clock import Clock
from core.stores.alarm import Alarm, CallLater
from core.stores.notifications import Notifications
from core.stores.questions import Question, Questions
from core.stores.reminder_toast import ReminderToast
from core.stores.toast_feed import ToastFeed

LOOK_AGAIN_S = 60.0
"""The wall clock may jump, and a machine that slept counts no monotonic time."""


class Reminders:
    """Does nothing until `begin`: a process without a window has nobody to remind."""

    def __init__(
        self,
        bus: Bus,
        questions: Questions,
        feed: ToastFeed,
        reminder: ReminderToast,
        notifications: Notifications,
        settings: Callable[[], Settings],
        clock: Clock,
        call_later: CallLater,
    ) -> None:
        self._questions = questions
        self._feed = feed
        self._reminder = reminder
        self._notifications = notifications
        self._settings = settings
        self._clock = clock
        self._is_seen: Callable[[WorkflowId], bool] | None = None
        self._told_at: dict[InterruptionId, datetime] = {}
        self._put_off_at: dict[InterruptionId, datetime] = {}
        self._reminded_at: datetime | None = None
        self._alarm = Alarm(clock, call_later, self._on_alarm)
        self._subscription = bus.subscribe(SettingsChanged, self._on_settings)
        questions.changed.connect(self._on_questions)

    def begin(self, is_seen: Callable[[WorkflowId], bool]) -> None:
        """Remind from now on, but not of what is seen: whether somebody looks at the requests of that workflow."""
        self._is_seen = is_seen
        self.look()

    def close(self) -> None:
        """Hear nothing more, and leave no timer behind."""
        self._is_seen = None
        self._alarm.set(None)
        self._subscription.close()
        self._questions.changed.disconnect(self._on_questions, missing_ok=True)

    def put_off(self, workflow_id: WorkflowId) -> None:
        """A person has seen what is asked there, and will answer later: its time begins anew."""
        now = self._clock.now()
        asked = [one.id for one in self._questions.get_questions_for_workflow(workflow_id)]
        self._told_at.update(dict.fromkeys(asked, now))
        self._put_off_at.update(dict.fromkeys(asked, now))
        self.look()

    def look(self) -> None:
        """Remind of what is due, and set the timer for what will be."""
        if self._is_seen is None:
            return
        now = self._clock.now()
        self._reminder.keep({one.id for one in self._questions.all})
        waiting = {one.id: one for one in self._questions.all if one.expires_at is None}
        self._told_at = {one: min(self._told_at.get(one, now), now) for one in waiting}  # a new one is told of now
        self._put_off_at = {one: at for one, at in self._put_off_at.items() if one in waiting}
        minutes = self._settings().remind_after_min
        due = decide(
            (
                Waiting(one, self._put_off_at.get(one, asked.created_at), self._told_at[one])
                for one, asked in waiting.items()
            ),
            now,
            timedelta(minutes=minutes) if minutes else None,
            self._reminded_at,
        )
        self._told_at.update(dict.fromkeys(due.now, now))
        self._remind([waiting[one] for one in due.now], now)
        if due.again_at is None:
            self._alarm.set(None)
        else:
            delay_s = min(LOOK_AGAIN_S, max(0.0, (due.again_at - now).total_seconds()))
            self._alarm.set(self._clock.monotonic() + delay_s)

    def _remind(self, due: list[Question], now: datetime) -> None:
        """What is seen needs no reminder, and counts as told."""
        assert self._is_seen is not None
        seen = {workflow_id: self._is_seen(workflow_id) for workflow_id in {one.workflow_id for one in due}}
        if unseen := [one for one in due if not seen[one.workflow_id]]:
            self._reminded_at = now
            for one in unseen:
                self._feed.take_back(one)
            self._notifications.remind(self._reminder.tell(unseen))

    def _on_alarm(self, _now: float) -> None:
        self.look()

    def _on_questions(self, _workflow_id: WorkflowId) -> None:
        self.look()

    def _on_settings(self, _message: SettingsChanged) -> None:
        self.look()
