"""Desktop notifications for a user who looks elsewhere: open questions, finished runs, failures (UI §7).

This module only decides which notifications exist and what they are about; a window passes them to the system. Toasts
of one second share a notification, and a workflow has at most one notification of each group.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from psygnal import Signal

from core.bus import Bus, WorkflowDeleted
from core.domain.ids import WorkflowId
from core.domain.settings import NotifyLevel, Settings
from core.domain.toast import Toast, ToastType
from core.ports import Clock
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.base import CallLater, Store, emit
from core.stores.questions import Questions
from core.stores.toasts import Toasts

GROUPING_S = 1.0
"""What comes within this time of the first piece of news is told with it."""


class NotificationGroup(StrEnum):
    """A group of notifications; groups are never combined."""

    ASKING = "asking"
    ENDED = "ended"


_LEVELS = {
    ToastType.USER_QUESTION: frozenset(
        {NotifyLevel.EVERYTHING, NotifyLevel.QUESTIONS_AND_FAILURES, NotifyLevel.QUESTIONS}
    ),
    ToastType.ERROR: frozenset({NotifyLevel.EVERYTHING, NotifyLevel.QUESTIONS_AND_FAILURES}),
    ToastType.SUCCESS: frozenset({NotifyLevel.EVERYTHING}),
}
_CODES = frozenset({"user_question", "question_ending", "workflow_success", "workflow_error"})


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification with a toast for each of its workflows, newest last. `key` is unique while it stands.

    `is_quiet`: it only replaces a notification that had more toasts, and must not ring.
    """

    key: str
    group: NotificationGroup
    toasts: tuple[Toast, ...]
    is_quiet: bool = False

    @property
    def workflows(self) -> tuple[WorkflowId, ...]:
        """The workflows that it is about."""
        return tuple(toast.workflow_id for toast in self.toasts if toast.workflow_id is not None)


class Notifications(Store):
    """`shown(notification)` is emitted to show a notification, replacing any notification of the same key;
    `closed(key)` to remove it.
    """

    shown = Signal(Notification)
    closed = Signal(str)

    def __init__(
        self,
        bus: Bus,
        background: BackgroundWorkflows,
        questions: Questions,
        toasts: Toasts,
        settings: Callable[[], Settings],
        clock: Clock,
        call_later: CallLater,
    ) -> None:
        super().__init__()
        self._background = background
        self._questions = questions
        self._settings = settings
        self._clock = clock
        self._is_present = False
        self._pending: dict[tuple[NotificationGroup, WorkflowId], Toast] = {}
        self._standing: dict[str, Notification] = {}
        self._alarm = self._make_alarm(clock, call_later, self._notify)
        self._subscribe(bus, WorkflowDeleted, self._on_deleted)
        self._connect(toasts.added, self._on_toast)
        self._connect(questions.changed, self._on_questions)
        self._connect(background.changed, self._on_workflow)
        self._connect(background.viewed_changed, self._on_watched)
        self._connect(background.window_active_changed, self._on_watched)

    def set_present(self, is_present: bool) -> None:
        """Set whether the user works in the app or in a dialog of it: then there are no notifications."""
        self._is_present = is_present
        if is_present:
            self._pending.clear()
            self._alarm.set(None)

    def remind(self, toasts: Iterable[Toast]) -> None:
        """Notify again of workflows with open questions, with these toasts."""
        for toast in toasts:
            self._add_pending(toast)

    @property
    def standing(self) -> tuple[Notification, ...]:
        """The notifications that were shown and still apply."""
        return tuple(self._standing.values())

    def dismissed(self, key: str) -> None:
        """Forget a notification that the user dismissed or followed."""
        self._standing.pop(key, None)

    # What becomes news

    def _on_toast(self, toast: Toast) -> None:
        if toast.code in _CODES:
            self._add_pending(toast)

    def _add_pending(self, toast: Toast) -> None:
        # without a listener no window can show it
        is_seen = self._is_present or not len(self.shown)
        if toast.workflow_id is None or is_seen or self._settings().notify not in _LEVELS[toast.type]:
            return
        about = (_group_of(toast), toast.workflow_id)
        self._pending.pop(about, None)
        self._pending[about] = toast
        # the first toast starts the time; the others are grouped with it
        if len(self._pending) == 1:
            self._alarm.set(self._clock.monotonic() + GROUPING_S)

    def _notify(self, _now: float) -> None:
        news, self._pending = self._pending, {}
        for group in NotificationGroup:
            toasts = [toast for (its_group, _), toast in news.items() if its_group is group]
            if toasts:
                self._show(group, toasts)

    def _show(self, group: NotificationGroup, toasts: list[Toast]) -> None:
        """Show the toasts. A single toast has its own notification; several share a notification with earlier shared
        toasts.
        """
        several = f"{group}:several"
        key = several if len(toasts) > 1 else f"{group}:{toasts[0].workflow_id}"
        for toast in toasts:
            if toast.workflow_id is not None:
                self._drop(group, toast.workflow_id, unless=key)
        before = self._standing[key].toasts if key == several and key in self._standing else ()
        workflows = {toast.workflow_id for toast in toasts}
        remaining = (toast for toast in before if toast.workflow_id not in workflows)
        self._set_standing(Notification(key, group, (*remaining, *toasts)))

    # What holds no longer

    def _on_questions(self, workflow_id: WorkflowId) -> None:
        if not self._questions.count(workflow_id):
            self._forget(NotificationGroup.ASKING, workflow_id)

    def _on_workflow(self, workflow_id: WorkflowId) -> None:
        """Remove a success once the workflow is active again. A failure stays."""
        if not self._pending and not self._standing:
            return
        execution = self._background.get_execution(workflow_id)
        if execution is not None and execution.is_active:
            ended = self._find_toasts(NotificationGroup.ENDED, workflow_id)
            # a failure is still to be seen, a success is not true any more
            if any(toast.type is ToastType.SUCCESS for toast in ended):
                self._forget(NotificationGroup.ENDED, workflow_id)

    def _on_watched(self) -> None:
        """Remove notifications of the workflow that the user sees in the window; those of other workflows stay (UI
        §7).
        """
        viewed = self._background.viewed_workflow_id
        if viewed is not None and self._background.is_watched(viewed):
            for group in NotificationGroup:
                self._forget(group, viewed)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        for group in NotificationGroup:
            self._forget(group, message.workflow_id)

    def _find_toasts(self, group: NotificationGroup, workflow_id: WorkflowId) -> Iterable[Toast]:
        if (news := self._pending.get((group, workflow_id))) is not None:
            yield news
        for standing in self._standing.values():
            if standing.group is group:
                yield from (toast for toast in standing.toasts if toast.workflow_id == workflow_id)

    def _forget(self, group: NotificationGroup, workflow_id: WorkflowId) -> None:
        self._pending.pop((group, workflow_id), None)
        if not self._pending:
            self._alarm.set(None)
        self._drop(group, workflow_id)

    def _drop(self, group: NotificationGroup, workflow_id: WorkflowId, unless: str = "") -> None:
        """Remove the workflow from standing notifications, except the notification of the key `unless`."""
        for standing in self.standing:
            if standing.group is not group or standing.key == unless or workflow_id not in standing.workflows:
                continue
            remaining = tuple(toast for toast in standing.toasts if toast.workflow_id != workflow_id)
            if remaining:
                self._set_standing(Notification(standing.key, group, remaining, is_quiet=True))
            else:
                del self._standing[standing.key]
                emit(self.closed, standing.key)

    def _set_standing(self, notification: Notification) -> None:
        self._standing[notification.key] = notification
        emit(self.shown, notification)


def _group_of(toast: Toast) -> NotificationGroup:
    return NotificationGroup.ASKING if toast.type is ToastType.USER_QUESTION else NotificationGroup.ENDED
