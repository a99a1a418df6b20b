"""What was told lately, seen or not: the part of the inbox that asks nothing any more (UI §7).

Ends of runs are read from their rows when the app starts, so that what ended while no window was open is here too;
what else was said, from the rows of notices. What is said from then on is added as it is said. What is asked stands in
`Questions`.
"""

from collections.abc import Iterable

from psygnal import Signal

from core.bus import Bus, WorkflowDeleted
from core.domain.run import Run, RunStatus
from core.domain.toast import Toast, ToastId, ToastType
from core.stores.base import emit
from core.stores.toasts import Toasts, error_parameters

MAX_NOTICES = 200
_USER_ACTIONS = frozenset({"workflow_archived", "workflow_deleted"})  # what a person just did is no news


class Inbox:
    """`changed` tells that other notices are here."""

    changed = Signal()

    def __init__(self, bus: Bus, toasts: Toasts) -> None:
        self._notices: dict[ToastId, Toast] = {}
        self._toasts = toasts
        self._subscription = bus.subscribe(WorkflowDeleted, self._on_deleted)
        toasts.added.connect(self._on_added)

    def close(self) -> None:
        """Hear nothing more."""
        self._subscription.close()
        self._toasts.added.disconnect(self._on_added, missing_ok=True)

    @property
    def notices(self) -> list[Toast]:
        """The newest first, at most 200. One that was said again stands at its last time."""
        return sorted(self._notices.values(), key=lambda notice: notice.created_at, reverse=True)

    def load(self, runs: Iterable[Run], said: Iterable[Toast] = ()) -> None:
        """Take in the ends of these runs, and what was said of none. What a person stopped is no news."""
        for notice in said:
            self._keep(notice)
        for run in runs:
            if run.finished_at is not None and run.status in (RunStatus.SUCCESS, RunStatus.ERROR):
                self._keep(_run_notice(run))
        emit(self.changed)

    def _on_added(self, toast: Toast) -> None:
        if toast.type is not ToastType.USER_QUESTION and toast.code not in _USER_ACTIONS:
            self._keep(toast)
            emit(self.changed)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        kept = {name: one for name, one in self._notices.items() if one.workflow_id != message.workflow_id}
        if len(kept) < len(self._notices):
            self._notices = kept
            emit(self.changed)

    def _keep(self, notice: Toast) -> None:
        self._notices[notice.id] = notice
        if len(self._notices) > MAX_NOTICES:
            del self._notices[min(self._notices.values(), key=lambda one: one.created_at).id]


def _run_notice(run: Run) -> Toast:
    """The end of a run as its toast told it."""
    assert run.finished_at is not None
    is_success = run.status is RunStatus.SUCCESS
    return Toast(
        ToastId(run.id),
        ToastType.SUCCESS if is_success else ToastType.ERROR,
        "workflow_success" if is_success else "workflow_error",
        run.title,
        run.error.message if run.error is not None else "",
        run.finished_at,
        run.workflow_id,
        parameters=error_parameters(run.error.as_dict()) if run.error is not None else (),
    )
