"""The actions of toasts, and refusals that can be queued (UI §7)."""

from collections.abc import Callable, Coroutine, Hashable
from typing import Any

from core.domain.ids import WorkflowId
from core.domain.toast import ToastId, ToastType
from core.services.outcome import Failed
from desktop.window.base.context import Controller, WindowContext

AsyncAction = Callable[[], Coroutine[Any, Any, None]]
"""What the button of a toast does."""


class ToastActions(Controller):
    """Runs the actions of toasts. `show` views a workflow."""

    def __init__(self, context: WindowContext, show: Callable[[WorkflowId | None], object]) -> None:
        super().__init__(context)
        self._show = show
        self._actions: dict[ToastId, AsyncAction] = {}
        self._refusals: dict[Hashable, ToastId] = {}

    def offer(self, toast_id: ToastId, action: AsyncAction) -> None:
        """Register the action of a toast for as long as the toast exists."""
        toasts = self._stores.toasts
        existing = {toast.id for toast in (*toasts.visible, *toasts.waiting)}
        self._actions = {key: known for key, known in self._actions.items() if key in existing}
        self._actions[toast_id] = action

    def refuse(self, failed: Failed, again: AsyncAction, origin: Hashable) -> None:
        """Show a toast with the limit that was reached and an action that queues the start (UI §7)."""
        toast_id = self._stores.toasts.add(ToastType.WARNING, "limit_reached", parameters=failed.details.items())
        # the toasts store returns the same id for a repeated message: it belongs to the newest origin alone
        self._refusals = {
            key: known for key, known in self._refusals.items() if known in self._actions and known != toast_id
        }
        self._refusals[origin] = toast_id
        self.offer(toast_id, again)

    def withdraw(self, origin: Hashable) -> None:
        """Remove the refusal of an earlier start from the same origin, so that its action cannot start it twice."""
        toast_id = self._refusals.pop(origin, None)
        if toast_id is not None and self._actions.pop(toast_id, None) is not None:
            self._stores.toasts.withdraw(toast_id)

    def run(self, action: str, toast_id: str) -> None:
        """Run the action of a toast: *Queue it* or *Show* of a refusal, *Undo* of a change, *Try now* of a failure."""
        if (
            action in ("queue", "undo", "retry")
            and (callback := self._actions.pop(ToastId(toast_id), None)) is not None
        ):
            self._operations.run(callback(), action)
        elif action == "show":
            running = self._stores.background.running_workflows
            if running:
                self._show(running[0].workflow_id)
        self._stores.toasts.dismiss(ToastId(toast_id))
