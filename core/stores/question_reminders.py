"""Reminders of questions that have waited long, or whose time ends soon: a toast, and a desktop notification if the
user looks elsewhere.

`Questions` has the open questions; this module only stores when the user was last reminded of each (UI §6, §7).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypedDict

from core.bus import Bus, SettingsChanged
from core.domain.events import iso_time
from core.domain.ids import InterruptionId, WorkflowId
from core.domain.reminders import PendingRequest, end_reminder_at, plan_reminders
from core.domain.settings import Settings
from core.domain.toast import Toast, ToastId, ToastType
from core.ports import Clock
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.base import CallLater, Store
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
        self._questions_shown: dict[InterruptionId, Question] = {}

    def show(self, questions: Sequence[Question]) -> list[Toast]:
        """Show the toast again with these questions added, and return a toast for each workflow."""
        # the user dismissed it: only later reminders count from now on
        if self._id is not None and self._toasts.find(self._id) is None:
            self._questions_shown.clear()
        elif self._id is not None:
            self._toasts.withdraw(self._id)
        self._questions_shown.update((question.id, question) for question in questions)
        self._id = self._toasts.add(ToastType.USER_QUESTION, CODE, **self._fields(self._questions_shown.values()))
        toast = self._toasts.find(self._id)
        assert toast is not None
        by_workflow: dict[WorkflowId, list[Question]] = {}
        for question in self._questions_shown.values():
            by_workflow.setdefault(question.workflow_id, []).append(question)
        return [replace(toast, **self._fields(own)) for own in by_workflow.values()]

    def retain(self, open_ids: Collection[InterruptionId]) -> None:
        """Drop all questions that are not open any more: update the toast, or remove it."""
        remaining = {
            question_id: question for question_id, question in self._questions_shown.items() if question_id in open_ids
        }
        if self._id is None or len(remaining) == len(self._questions_shown):
            return
        self._questions_shown = remaining
        standing = self._toasts.find(self._id)
        if remaining and standing is not None:
            self._toasts.update(replace(standing, **self._fields(remaining.values())))
        elif not remaining:
            self._toasts.withdraw(self._id)
            self._id = None

    def _fields(self, questions: Iterable[Question]) -> _ToastFields:
        ordered = sorted(questions, key=_asked_at)
        workflows = list(dict.fromkeys(item.workflow_id for item in ordered))
        names = [self._name(item) for item in workflows]
        first = ordered[0]
        is_one = len(ordered) == 1
        about = (("kind", first.kind), ("step", first.asker)) if is_one else ()
        return {
            "title": names[0] if len(names) == 1 else "",
            "message": (first.asked.prompt or "") if is_one else ", ".join(names) if len(names) > 1 else "",
            "workflow_id": workflows[0] if len(workflows) == 1 else None,
            "parameters": (("count", len(ordered)), ("since", iso_time(first.created_at)), *about),
        }

    def _name(self, workflow_id: WorkflowId) -> str:
        execution = self._background.get_execution(workflow_id)
        return execution.workflow_name if execution is not None else ""


def _asked_at(question: Question) -> datetime:
    return question.created_at


MAX_TIMER_S = 60.0
"""The wall clock may jump, and a machine that slept counts no monotonic time."""


class Reminders(Store):
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
        super().__init__()
        self._questions = questions
        self._feed = feed
        self._reminder = reminder
        self._notifications = notifications
        self._settings = settings
        self._clock = clock
        self._is_seen: Callable[[WorkflowId], bool] | None = None
        self._reminded_times: dict[InterruptionId, datetime] = {}
        self._postponed_times: dict[InterruptionId, datetime] = {}
        self._reminded_at: datetime | None = None
        self._reminded_of_end: set[InterruptionId] = set()
        self._alarm = self._make_alarm(clock, call_later, self._on_change)
        self._subscribe(bus, SettingsChanged, self._on_change)
        self._connect(questions.changed, self._on_change)

    def start(self, is_seen: Callable[[WorkflowId], bool]) -> None:
        """Start to remind of questions in workflows that are not seen."""
        self._is_seen = is_seen
        self.check()

    def postpone(self, workflow_id: WorkflowId) -> None:
        """Restart the time of the workflow's questions: the user has seen them, and will answer later."""
        now = self._clock.now()
        question_ids = [question.id for question in self._questions.get_questions_for_workflow(workflow_id)]
        self._reminded_times.update(dict.fromkeys(question_ids, now))
        self._postponed_times.update(dict.fromkeys(question_ids, now))
        self.check()

    def check(self) -> None:
        """Remind of what is due, and set the timer."""
        if self._is_seen is None:
            return
        now = self._clock.now()
        self._reminder.retain({question_id.id for question_id in self._questions.all})
        waiting = {question_id.id: question_id for question_id in self._questions.all if question_id.expires_at is None}
        self._reminded_times = {
            question_id: min(self._reminded_times.get(question_id, now), now) for question_id in waiting
        }  # a new one is told of now
        self._postponed_times = {
            question_id: at for question_id, at in self._postponed_times.items() if question_id in waiting
        }
        minutes = self._settings().remind_after_min
        plan = plan_reminders(
            (
                PendingRequest(
                    question_id,
                    self._postponed_times.get(question_id, question.created_at),
                    self._reminded_times[question_id],
                )
                for question_id, question in waiting.items()
            ),
            now,
            timedelta(minutes=minutes) if minutes else None,
            self._reminded_at,
        )
        # also what is seen: it must not be due again at the next tick
        self._reminded_times.update(dict.fromkeys(plan.due, now))
        self._remind([waiting[question_id] for question_id in plan.due], now)
        ends_at = self._remind_of_ends(now) if minutes else None
        next_at = min((at for at in (plan.next_at, ends_at) if at is not None), default=None)
        if next_at is None:
            self._alarm.set(None)
        else:
            delay_s = min(MAX_TIMER_S, max(0.0, (next_at - now).total_seconds()))
            self._alarm.set(self._clock.monotonic() + delay_s)

    def _remind_of_ends(self, now: datetime) -> datetime | None:
        """Remind of unseen questions whose time ends soon, once each. Return when the next is due.

        After a restart the reminder takes the place of the toast that a question has then, so it is one in any case.
        """
        assert self._is_seen is not None
        timed = {question.id: question for question in self._questions.all if question.expires_at is not None}
        self._reminded_of_end &= timed.keys()
        coming: list[datetime] = []
        for question in timed.values():
            assert question.expires_at is not None
            at = end_reminder_at(question.created_at, question.expires_at)
            if at is None or now >= question.expires_at or question.id in self._reminded_of_end:
                continue
            if at > now:
                coming.append(at)
                continue
            self._reminded_of_end.add(question.id)
            if not self._is_seen(question.workflow_id):
                self._feed.remind_of_end(question)
        return min(coming, default=None)

    def _remind(self, due: list[Question], now: datetime) -> None:
        """Remind of unseen questions. Seen questions need no reminder, and count as reminded."""
        assert self._is_seen is not None
        seen = {workflow_id: self._is_seen(workflow_id) for workflow_id in {question.workflow_id for question in due}}
        if unseen := [question for question in due if not seen[question.workflow_id]]:
            self._reminded_at = now
            for question in unseen:
                self._feed.take_back(question)
            self._notifications.remind(self._reminder.show(unseen))

    def _on_change(self, _cause: object) -> None:
        self.check()
