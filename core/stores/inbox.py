"""The notices of the inbox: what was reported lately, seen or not, without open questions (UI §7).

Ends of runs are read from their rows when the app starts, so that runs that ended without a window are included; other
notices come from their own rows. Later notices are added as they are reported. Open questions are in `Questions`.
"""

from collections.abc import Iterable

from psygnal import Signal

from core.bus import Bus, WorkflowDeleted
from core.domain.run import Run, RunStatus
from core.domain.toast import Toast, ToastId, ToastType
from core.stores.base import Store, emit
from core.stores.toasts import Toasts, error_parameters

MAX_NOTICES = 200
_USER_ACTIONS = frozenset({"workflow_archived", "workflow_deleted"})  # what a person just did is no news


class Inbox(Store):
    """`changed` is emitted when the notices change."""

    changed = Signal()

    def __init__(self, bus: Bus, toasts: Toasts) -> None:
        super().__init__()
        self._notices: dict[ToastId, Toast] = {}
        self._subscribe(bus, WorkflowDeleted, self._on_deleted)
        self._connect(toasts.added, self._on_added)

    @property
    def notices(self) -> list[Toast]:
        """The newest 200 notices, newest first. A repeated notice counts as of its last time."""
        return sorted(self._notices.values(), key=lambda notice: notice.created_at, reverse=True)

    def load(self, runs: Iterable[Run], notices: Iterable[Toast] = ()) -> None:
        """Add the ends of these runs, and stored notices. Runs that the user cancelled are left out."""
        for notice in notices:
            self._add(notice)
        for run in runs:
            if run.finished_at is not None and run.status in (RunStatus.SUCCESS, RunStatus.ERROR):
                self._add(_run_notice(run))
        emit(self.changed)

    def _on_added(self, toast: Toast) -> None:
        # open questions have their own list; the user's own actions are no news
        if toast.type is not ToastType.USER_QUESTION and toast.code not in _USER_ACTIONS:
            self._add(toast)
            emit(self.changed)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        remaining = {
            notice_id: notice
            for notice_id, notice in self._notices.items()
            if notice.workflow_id != message.workflow_id
        }
        if len(remaining) < len(self._notices):
            self._notices = remaining
            emit(self.changed)

    def _add(self, notice: Toast) -> None:
        self._notices[notice.id] = notice
        if len(self._notices) > MAX_NOTICES:
            del self._notices[min(self._notices.values(), key=lambda other: other.created_at).id]


def _run_notice(run: Run) -> Toast:
    """Return the end of a run as its toast reported it."""
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
