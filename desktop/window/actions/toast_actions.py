"""The actions of toasts (UI §7)."""

from collections.abc import Callable, Coroutine
from typing import Any

from core.domain.toast import ToastId
from desktop.window.base.context import Controller, WindowContext

AsyncAction = Callable[[], Coroutine[Any, Any, None]]
"""What the button of a toast does."""


class ToastActions(Controller):
    """Runs the actions of toasts."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._actions: dict[ToastId, AsyncAction] = {}

    def offer(self, toast_id: ToastId, action: AsyncAction) -> None:
        """Register the action of a toast for as long as the toast exists."""
        toasts = self._stores.toasts
        existing = {toast.id for toast in (*toasts.visible, *toasts.waiting)}
        self._actions = {key: known for key, known in self._actions.items() if key in existing}
        self._actions[toast_id] = action

    def run(self, action: str, toast_id: str) -> None:
        """Run the action of a toast: *Undo* of a change, *Try now* of a failure."""
        if action in ("undo", "retry") and (callback := self._actions.pop(ToastId(toast_id), None)) is not None:
            self._operations.run(callback(), action)
        self._stores.toasts.dismiss(ToastId(toast_id))
