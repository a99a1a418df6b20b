"""Reminders of questions that have waited long: a toast, and a desktop notification if the user looks elsewhere.

`Questions` has the open questions; this module only stores when the user was last reminded of each (UI §6, §7).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypedDict

from core.bus import Bus, SettingsChanged
from core.domain.events import iso_time
from core.domain.ids import InterruptionId, WorkflowId
from core.domain.reminders import PendingRequest, plan_reminders
from core.domain.settings import Settings
from core.domain.toast import Toast, ToastId, ToastType
from core.ports.clock import Clock
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.base import Alarm, CallLater
from core.stores.notifications import Notifications
from core.stores.questions import Question, Questions
from core.stores.toast_feed import ToastFeed
from core.stores.toasts import Toasts

CODE = "question_reminder"


class _ToastFields(TypedDict):
    title: str
    message: str
    workflow_id: WorkflowId | None
    parameters: tuple[tuple[str, Any], ...]


class ReminderToast:
    """A single toast for all requests that the user was reminded of since a reminder was last dismissed, as long as
    they are open.

    For a single request the toast shows the prompt; for several of one workflow that workflow; for several workflows
    their names. Its parameters are the number of requests (`count`), and the time of the oldest (`since`).
    """

    def __init__(self, background: BackgroundWorkflows, toasts: Toasts) -> None:
        self._background = background
        self._toasts = toasts
        self._id: ToastId | None = None
        self._about: dict[InterruptionId, Question] = {}

    def tell(self, questions: Sequence[Question]) -> list[Toast]:
        """Show the toast again with these questions added, and return a toast for each workflow."""
        if self._id is not None and self._toasts.standing(self._id) is None:
            self._about.clear()
        elif self._id is not None:
            self._toasts.withdraw(self._id)
        self._about.update((one.id, one) for one in questions)
        self._id = self._toasts.add(ToastType.USER_QUESTION, CODE, **self._words(self._about.values()))
        told = self._toasts.standing(self._id)
        assert told is not None
        by_workflow: dict[WorkflowId, list[Question]] = {}
        for one in self._about.values():
            by_workflow.setdefault(one.workflow_id, []).append(one)
        return [replace(told, **self._words(those)) for those in by_workflow.values()]

    def keep(self, open_ids: Collection[InterruptionId]) -> None:
        """Drop all questions that are not open any more: update the toast, or remove it."""
        left = {one: question for one, question in self._about.items() if one in open_ids}
        if self._id is None or len(left) == len(self._about):
            return
        self._about = left
        standing = self._toasts.standing(self._id)
        if left and standing is not None:
            self._toasts.amend(replace(standing, **self._words(left.values())))
        elif not left:
            self._toasts.withdraw(self._id)
            self._id = None

    def _words(self, questions: Iterable[Question]) -> _ToastFields:
        those = sorted(questions, key=_asked_at)
        workflows = list(dict.fromkeys(one.workflow_id for one in those))
        names = [self._name(one) for one in workflows]
        first = those[0]
        is_one = len(those) == 1
        about = (("kind", first.kind), ("step", first.asker)) if is_one else ()
        return {
            "title": names[0] if len(names) == 1 else "",
            "message": (first.asked.prompt or "") if is_one else ", ".join(names) if len(names) > 1 else "",
            "workflow_id": workflows[0] if len(workflows) == 1 else None,
            "parameters": (("count", len(those)), ("since", iso_time(first.created_at)), *about),
        }

    def _name(self, workflow_id: WorkflowId) -> str:
        execution = self._background.get_execution(workflow_id)
        return execution.workflow_name if execution is not None else ""


def _asked_at(question: Question) -> datetime:
    return question.created_at


MAX_TIMER_S = 60.0
"""The wall clock may jump, and a machine that slept counts no monotonic time."""


class Reminders:
    """Does nothing until `begin`: a process without a window has no user to remind."""

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
        """Start to remind of questions in workflows that are not seen."""
        self._is_seen = is_seen
        self.look()

    def close(self) -> None:
        """Close subscriptions and the timer."""
        self._is_seen = None
        self._alarm.set(None)
        self._subscription.close()
        self._questions.changed.disconnect(self._on_questions, missing_ok=True)

    def put_off(self, workflow_id: WorkflowId) -> None:
        """Restart the time of the workflow's questions: the user has seen them, and will answer later."""
        now = self._clock.now()
        asked = [one.id for one in self._questions.get_questions_for_workflow(workflow_id)]
        self._told_at.update(dict.fromkeys(asked, now))
        self._put_off_at.update(dict.fromkeys(asked, now))
        self.look()

    def look(self) -> None:
        """Remind of what is due, and set the timer."""
        if self._is_seen is None:
            return
        now = self._clock.now()
        self._reminder.keep({one.id for one in self._questions.all})
        waiting = {one.id: one for one in self._questions.all if one.expires_at is None}
        self._told_at = {one: min(self._told_at.get(one, now), now) for one in waiting}  # a new one is told of now
        self._put_off_at = {one: at for one, at in self._put_off_at.items() if one in waiting}
        minutes = self._settings().remind_after_min
        due = plan_reminders(
            (
                PendingRequest(one, self._put_off_at.get(one, asked.created_at), self._told_at[one])
                for one, asked in waiting.items()
            ),
            now,
            timedelta(minutes=minutes) if minutes else None,
            self._reminded_at,
        )
        self._told_at.update(dict.fromkeys(due.due, now))
        self._remind([waiting[one] for one in due.due], now)
        if due.next_at is None:
            self._alarm.set(None)
        else:
            delay_s = min(MAX_TIMER_S, max(0.0, (due.next_at - now).total_seconds()))
            self._alarm.set(self._clock.monotonic() + delay_s)

    def _remind(self, due: list[Question], now: datetime) -> None:
        """Remind of unseen questions. Seen questions need no reminder, and count as reminded."""
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
