"""The toast stack: which toasts are visible, for how long, and which wait (UI §7)."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from psygnal import Signal

from core.domain.ids import WorkflowId, new_id
from core.domain.run import RunStatus
from core.domain.toast import BRIEF_S, VIEWED_S, Toast, ToastId, ToastType
from core.ports import Clock
from core.stores.base import CallLater, Store, emit

MAX_VISIBLE = 5
MAX_HISTORY = 500
_END_CODES = frozenset({"workflow_success", "workflow_error"})
_ERROR_PARAMETERS = (
    ("error", "code"),
    ("during", "failed_during"),
    ("status", "status"),
    ("retry_after_s", "retry_after_s"),
)
"""What a toast has of an error, and what that is called there: the HTTP status of a failed request too, and how long
its server wants to be left alone."""


@dataclass(slots=True, eq=False)
class _VisibleToast:
    """A visible toast: since when and until when, in monotonic seconds; without room it has no end."""

    toast: Toast
    since: float
    due: float | None
    has_room: bool = True


class Toasts(Store):
    """At most five toasts are visible. A persistent toast is never pushed out; toasts without a place wait.

    `added(toast)` is emitted for a new or repeated toast, `changed` when the visible toasts change.
    """

    added = Signal(Toast)
    changed = Signal()

    def __init__(self, clock: Clock, call_later: CallLater, history: Iterable[Toast] = ()) -> None:
        super().__init__()
        self._clock = clock
        self._visible: list[_VisibleToast] = []
        self._waiting: list[Toast] = []
        self._history = deque(history, maxlen=MAX_HISTORY)
        self._pauses: set[str] = set()
        self._paused_at: float | None = None
        self._alarm = self._make_alarm(clock, call_later, self.tick)

    @property
    def visible(self) -> tuple[Toast, ...]:
        """The visible toasts, newest last."""
        return tuple(shown.toast for shown in self._visible)

    @property
    def waiting(self) -> tuple[Toast, ...]:
        """The waiting toasts in the order of their places, persistent toasts first."""
        return tuple(self._waiting)

    @property
    def history(self) -> tuple[Toast, ...]:
        """The toasts that were dismissed, expired or pushed out, last one last; at most 500."""
        return tuple(self._history)

    # Adding

    def add(
        self,
        kind: ToastType,
        code: str,
        *,
        title: str = "",
        message: str = "",
        workflow_id: WorkflowId | None = None,
        duration_s: float | None = None,
        parameters: Iterable[tuple[str, Any]] = (),
        is_viewed: bool = False,
    ) -> ToastId:
        """Add a toast. `duration_s` defaults to that of its kind.

        Repeating a standing toast increments its count where it stands, and restarts its time.
        """
        toast = Toast(
            ToastId(new_id("toast")),
            kind,
            code,
            title,
            message,
            self._clock.now(),
            workflow_id,
            duration_s if duration_s is not None else kind.usual_duration_s,
            parameters=tuple(parameters),
            is_viewed=is_viewed,
        )
        toast = self._repeat(toast) or self._place(toast)
        self._arm()
        emit(self.added, toast)
        emit(self.changed)
        return toast.id

    def add_workflow_complete(
        self,
        workflow_id: WorkflowId,
        name: str,
        status: RunStatus,
        error: dict[str, Any] | None = None,
        *,
        is_viewed: bool = False,
    ) -> ToastId | None:
        """Report the end of a run: on an error with the code, what the run was doing, and any HTTP status. It is
        shorter if the user looks at the workflow. Returns None, without a toast, for a cancelled run.
        """
        duration_s = VIEWED_S if is_viewed else BRIEF_S
        if status is RunStatus.SUCCESS:
            return self.add(
                ToastType.SUCCESS,
                "workflow_success",
                title=name,
                workflow_id=workflow_id,
                duration_s=duration_s,
                is_viewed=is_viewed,
            )
        if status is not RunStatus.ERROR:
            return None
        details = error or {}
        return self.add(
            ToastType.ERROR,
            "workflow_error",
            title=name,
            message=str(details.get("message", "")),
            workflow_id=workflow_id,
            duration_s=duration_s,
            parameters=error_parameters(details),
            is_viewed=is_viewed,
        )

    def add_user_question(
        self, workflow_id: WorkflowId, name: str, question: str, parameters: Iterable[tuple[str, Any]] = ()
    ) -> ToastId:
        """Report a question of a workflow. The toast stays until it is closed.

        Without a `question` the `parameters` describe it: the `kind` of the request, and the `step`.
        """
        kind = ToastType.USER_QUESTION
        return self.add(
            kind, "user_question", title=name, message=question, workflow_id=workflow_id, parameters=parameters
        )

    def update(self, toast: Toast) -> None:
        """Replace the standing toast of this id where it stands, without reporting it again."""
        for shown in self._visible:
            if shown.toast.id == toast.id:
                shown.toast = toast
                emit(self.changed)
        self._waiting = [toast if other.id == toast.id else other for other in self._waiting]

    def find(self, toast_id: ToastId) -> Toast | None:
        """Return the visible or waiting toast of this id; None if it is gone."""
        return next((toast for toast in (*self.visible, *self.waiting) if toast.id == toast_id), None)

    # Closing

    def dismiss(self, toast_id: ToastId) -> None:
        """Close a toast, visible or waiting. Does nothing if it is gone."""
        self._dismiss(lambda toast: toast.id == toast_id)

    def withdraw(self, toast_id: ToastId) -> None:
        """Remove a toast that no longer applies, from the history too."""
        self._dismiss(lambda toast: toast.id == toast_id)
        self._history = deque((toast for toast in self._history if toast.id != toast_id), maxlen=MAX_HISTORY)

    def dismiss_for_workflow(self, workflow_id: WorkflowId, kind: ToastType | None = None) -> None:
        """Close all toasts of a workflow, or those of a kind."""
        self._dismiss(lambda toast: toast.workflow_id == workflow_id and kind in (None, toast.type))

    def dismiss_workflow_complete(self, workflow_id: WorkflowId) -> None:
        """Close the toasts that report the end of a run of the workflow."""
        self._dismiss(lambda toast: toast.workflow_id == workflow_id and toast.code in _END_CODES)

    def clear(self) -> None:
        """Close all toasts."""
        self._dismiss(lambda toast: True)

    # Time

    def pause(self, reason: str) -> None:
        """Stop the time of all toasts, until every reason (hover, focus, an inactive window) is resumed."""
        self._pauses.add(reason)
        if self._paused_at is None:
            self._paused_at = self._clock.monotonic()
            self._arm()

    def resume(self, reason: str) -> None:
        """Remove a reason. A toast that had 2 s left before the pause has 2 s left now."""
        self._pauses.discard(reason)
        if self._paused_at is not None and not self._pauses:
            pause_s = self._clock.monotonic() - self._paused_at
            self._paused_at = None
            for shown in self._visible:
                shown.since += pause_s
                if shown.due is not None:
                    shown.due += pause_s
            self._arm()

    def set_without_room(self, toast_ids: Collection[ToastId]) -> None:
        """Stop the time of visible toasts that do not fit in the window; each begins anew once it has room."""
        for number, shown in enumerate(self._visible):
            has_room = shown.toast.id not in toast_ids
            if has_room and not shown.has_room:
                self._visible[number] = self._show(shown.toast)
            elif not has_room:
                shown.due, shown.has_room = None, False
        self._arm()

    def tick(self, now: float) -> float | None:
        """Close toasts that expired by this monotonic time, and return the next due time. Called by the alarm."""
        if self._paused_at is None:
            over = [shown for shown in self._visible if shown.due is not None and shown.due <= now]
            for shown in over:
                self._close(shown)
            self._fill()
            if over:
                emit(self.changed)
        return self._arm()

    def _arm(self) -> float | None:
        due = min((shown.due for shown in self._visible if shown.due is not None), default=None)
        # no toast expires during a pause
        if self._paused_at is not None:
            due = None
        self._alarm.set(due)
        return due

    # Places

    def _repeat(self, toast: Toast) -> Toast | None:
        for shown in self._visible:
            if shown.toast.words == toast.words:
                shown_again = self._show(replace(toast, id=shown.toast.id, repeated=shown.toast.repeated + 1))
                shown.toast, shown.since, shown.due = shown_again.toast, shown_again.since, shown_again.due
                return shown_again.toast
        for index, other in enumerate(self._waiting):
            if other.words == toast.words:
                self._waiting[index] = replace(toast, id=other.id, repeated=other.repeated + 1)
                return self._waiting[index]
        return None

    def _place(self, toast: Toast) -> Toast:
        """Show the toast in place of the oldest passing toast, or let it wait."""
        passing = [shown for shown in self._visible if not shown.toast.persistent]
        if len(self._visible) < MAX_VISIBLE:
            self._visible.append(self._show(toast))
        # persistent toasts are never pushed out
        elif passing:
            self._close(min(passing, key=lambda shown: shown.since))
            self._visible.append(self._show(toast))
        else:
            self._wait(toast)
        return toast

    def _wait(self, toast: Toast) -> None:
        """Queue the toast, persistent toasts before others; of the others only the newest five wait."""
        persistent = [other for other in self._waiting if other.persistent]
        passing = [other for other in self._waiting if not other.persistent]
        (persistent if toast.persistent else passing).append(toast)
        if len(passing) > MAX_VISIBLE:
            self._history.append(passing.pop(0))
        self._waiting = [*persistent, *passing]

    def _fill(self) -> None:
        while self._waiting and len(self._visible) < MAX_VISIBLE:
            self._visible.append(self._show(self._waiting.pop(0)))

    def _show(self, toast: Toast) -> _VisibleToast:
        """Return the toast, visible from now on; during a pause its time stands from the start."""
        now = self._paused_at if self._paused_at is not None else self._clock.monotonic()
        return _VisibleToast(toast, now, now + toast.duration_s if toast.duration_s is not None else None)

    def _close(self, shown: _VisibleToast) -> None:
        self._visible.remove(shown)
        self._history.append(shown.toast)

    def _dismiss(self, is_meant: Callable[[Toast], bool]) -> None:
        seen = [shown for shown in self._visible if is_meant(shown.toast)]
        for shown in seen:
            self._close(shown)
        self._history.extend(toast for toast in self._waiting if is_meant(toast))
        self._waiting = [toast for toast in self._waiting if not is_meant(toast)]
        self._fill()
        self._arm()
        if seen:
            emit(self.changed)


def error_parameters(error: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the toast parameters for the error of a run."""
    return tuple((name, error[key]) for name, key in _ERROR_PARAMETERS if key in error)
