"""The validation mode, and the demo, which sets it to automatic (UI §8, §10)."""

from functools import partial

from PySide6.QtCore import Signal

from core.domain.template import ValidationMode
from core.domain.toast import ToastType
from core.services.outcome import Failed, Ok
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext


class ModeActions(Controller):
    """Sets the validation mode of future runs. A change to automatic mode shows a toast with *Undo* (UI §8)."""

    def __init__(self, context: WindowContext, actions: WorkflowActions) -> None:
        super().__init__(context)
        self._actions = actions

    def set_mode(self, mode: ValidationMode) -> None:
        """Set the mode in the settings."""
        change = self.set_auto("mode_is_auto") if mode is ValidationMode.AUTO else self.change_to(mode)
        self._operations.run(change, f"{mode} mode")

    async def set_auto(self, code: str, *, is_for_demo: bool = False) -> None:
        """Set automatic mode and show the toast `code`. The demo stores the previous mode. Raises OperationFailed."""
        before = self._core.settings.current.validation_mode
        if before is ValidationMode.AUTO:
            return
        mode_before = {"mode_before_demo": before} if is_for_demo else {}
        unwrap(await self._core.settings.change(validation_mode=ValidationMode.AUTO, **mode_before))
        toast_id = self._stores.toasts.add(ToastType.INFO, code, parameters=[("before", before.value)])
        self._actions.toasts.offer(toast_id, partial(self.change_to, before))

    async def change_to(self, mode: ValidationMode) -> None:
        """Set the mode. Raises OperationFailed."""
        unwrap(await self._core.settings.change(validation_mode=mode))


class DemoController(Controller):
    """Starts and removes the demo workflows."""

    changed = Signal(bool)
    """Whether demo workflows exist."""

    def __init__(self, context: WindowContext, actions: WorkflowActions, mode: ModeActions) -> None:
        super().__init__(context)
        self._actions = actions
        self._mode = mode

    def look(self) -> None:
        """Emit whether demo workflows exist."""
        self._operations.run(self._look(), "look for the demo")

    @command("demo.start")
    def start(self) -> None:
        self._operations.run(self._start(), "demo")

    @command("demo.remove")
    def remove(self) -> None:
        self._operations.run(self._remove(), "remove the demo")

    async def _look(self) -> None:
        self.changed.emit(bool(await self._core.demo.workflows()))

    async def _start(self) -> None:
        await self._mode.set_auto("mode_set_to_auto", is_for_demo=True)
        outcomes = await self._core.demo.start(self._context.session.translation.language)
        for outcome in outcomes:
            if isinstance(outcome, Failed):
                self._actions.fail(outcome)
        started = [outcome.data for outcome in outcomes if isinstance(outcome, Ok)]
        if started:
            self._actions.show(started[0].workflow_id)
        await self._look()

    async def _remove(self) -> None:
        if self._viewed in await self._core.demo.workflows():
            self._actions.show(None)
        outcome = await self._core.demo.remove()
        if isinstance(outcome, Failed):  # some may be removed all the same
            self._actions.fail(outcome)
        await self._look()
        mode_before = self._core.settings.current.mode_before_demo
        if mode_before is not None and not await self._core.demo.workflows():
            await self._mode.change_to(mode_before)
