"""Archive, restore and delete workflows, with confirmation and undo (UI §11)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from core.domain.ids import WorkflowId
from core.domain.text.hidden import reveal
from core.domain.toast import LONG_S, ToastId, ToastType
from core.stores.workflows import ListedWorkflow
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.widgets import QuestionBox
from desktop.window.actions.toast_actions import AsyncAction
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext

_TITLE_EMS = 24
_MOST_UNDOS = 100

translate = QCoreApplication.translate  # lupdate finds texts by this name


def ask_archive(window: QWidget, title: str) -> QMessageBox:
    """Open the confirmation to stop and archive a workflow, without blocking; `accepted` confirms."""
    box = QuestionBox(window, "archive_question")
    box.setWindowTitle(translate("Questions", "Archive workflow"))
    box.setText(translate("Questions", "“{title}” is running.").format(title=_elided(box, title)))
    box.setInformativeText(translate("Questions", "It will be stopped before it is archived. Its work so far is kept."))
    _open_with_answers(
        box,
        translate("Questions", "Stop and archive"),
        translate("Questions", "Cancel"),
        "archive",
    )
    return box


def ask_delete(window: QWidget, title: str, *, is_running: bool) -> QMessageBox:
    """Open the confirmation to delete a workflow, without blocking; `accepted` confirms."""
    box = QuestionBox(window, "delete_question")
    box.setWindowTitle(translate("Questions", "Delete workflow"))
    box.setText(translate("Questions", "Delete “{title}”?").format(title=_elided(box, title)))
    what = translate("Questions", "Its messages and runs are removed. You can undo it for a few seconds.")
    if is_running:
        stopped = translate("Questions", "It is running; it will be stopped first.")
        what = f"{stopped} {what}"
    box.setInformativeText(what)
    _open_with_answers(
        box,
        translate("Questions", "Delete"),
        translate("Questions", "Keep"),
        "delete",
    )
    return box


def _elided(box: QMessageBox, title: str) -> str:
    """Return the title elided to a line: a message box is as wide as its longest word."""
    return box.fontMetrics().elidedText(
        reveal(title), Qt.TextElideMode.ElideRight, _TITLE_EMS * box.fontMetrics().height()
    )


def _open_with_answers(box: QMessageBox, yes: str, no: str, name: str) -> None:
    """Open the box with two buttons. Enter and Esc choose the harmless button."""
    box.addButton(yes, QMessageBox.ButtonRole.AcceptRole).setObjectName(name)
    harmless = box.addButton(no, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(harmless)
    box.setEscapeButton(harmless)
    box.open()


@dataclass(frozen=True, slots=True)
class UndoableRemoval:
    """An archiving or deletion that can be undone, by its toast or by the undo command."""

    workflow_id: WorkflowId
    toast_id: ToastId
    is_deleted: bool
    undo: AsyncAction


class ArchiveController(Controller):
    """Archives, restores and deletes workflows, and undoes that. A workflow that is removed is no longer viewed.

    A deletion can be undone while its toast exists and is final then. An archived workflow can be restored at any time,
    or by undo while it is the last removal.
    """

    changed = Signal(bool)
    """Whether there is something to undo."""

    def __init__(self, context: WindowContext, actions: WorkflowActions) -> None:
        super().__init__(context)
        self._actions = actions
        self._removals: list[UndoableRemoval] = []
        self._stores.toasts.changed.connect(self._on_toasts)

    def close(self) -> None:
        """Disconnect from the store. The core completes pending deletions when it closes."""
        self._stores.toasts.changed.disconnect(self._on_toasts, missing_ok=True)

    def archive(self, workflow_id: str) -> None:
        """Archive the workflow; an active run is stopped after a confirmation."""
        listed = self._stores.workflows.get(WorkflowId(workflow_id))
        if listed is None or listed.workflow.is_archived:
            return
        if self._is_running(listed):
            question = ask_archive(self._context.window, listed.workflow.title)
            question.accepted.connect(partial(self._run, partial(self._archive, listed)))
        else:
            self._operations.run(self._archive(listed), "archive")

    def restore(self, workflow_id: str) -> None:
        """Restore the workflow from the archive."""
        self._operations.run(self._restore(WorkflowId(workflow_id)), "restore")

    def delete(self, workflow_id: str) -> None:
        """Delete the workflow after a confirmation, with *Undo* in a toast."""
        listed = self._stores.workflows.get(WorkflowId(workflow_id))
        if listed is not None:
            question = ask_delete(self._context.window, listed.workflow.title, is_running=self._is_running(listed))
            question.accepted.connect(partial(self._run, partial(self._delete, listed)))

    @command("workflow.undo")
    def undo(self) -> None:
        """Undo the last archiving or deletion."""
        if self._removals:
            last = self._removals[-1]
            self._forget(last)
            self._operations.run(last.undo(), "undo")
            self._stores.toasts.dismiss(last.toast_id)

    def _run(self, removal: AsyncAction) -> None:
        self._operations.run(removal(), "remove")

    async def _archive(self, listed: ListedWorkflow) -> None:
        workflow = listed.workflow
        unwrap(await self._core.workflows.archive(workflow.id))
        self._leave_view_of(workflow.id)
        self._stores.toasts.dismiss_for_workflow(workflow.id)
        self._offer("workflow_archived", listed, partial(self._restore, workflow.id), is_deleted=False)

    async def _restore(self, workflow_id: WorkflowId) -> None:
        self._set_removals(
            removal for removal in self._removals if removal.is_deleted or removal.workflow_id != workflow_id
        )
        unwrap(await self._core.workflows.restore(workflow_id))

    async def _delete(self, listed: ListedWorkflow) -> None:
        workflow = listed.workflow
        # before the call: the conversation disappears from the screen at once, not when it is off the disk
        self._leave_view_of(workflow.id)
        unwrap(await self._core.trash.discard(workflow.id))
        self._offer("workflow_deleted", listed, partial(self._bring_back, workflow.id), is_deleted=True)

    async def _bring_back(self, workflow_id: WorkflowId) -> None:
        unwrap(await self._core.trash.restore(workflow_id))
        runs = [run async for run in self._core.runs.newest(_MOST_UNDOS) if run.workflow_id == workflow_id]
        self._stores.inbox.load(runs)

    def _offer(self, code: str, listed: ListedWorkflow, undo: AsyncAction, *, is_deleted: bool) -> None:
        """Show the toast with *Undo*. The id is a parameter because titles are not unique."""
        workflow = listed.workflow
        toast_id = self._stores.toasts.add(
            ToastType.INFO, code, title=workflow.title, duration_s=LONG_S, parameters=[("id", workflow.id)]
        )
        self._actions.toasts.offer(toast_id, undo)
        removal = UndoableRemoval(workflow.id, toast_id, is_deleted, undo)
        self._set_removals([*self._removals[-_MOST_UNDOS:], removal])

    def _leave_view_of(self, workflow_id: WorkflowId) -> None:
        if self._viewed == workflow_id:
            self._actions.show(None)

    def _on_toasts(self) -> None:
        """Complete deletions whose toast is gone."""
        toasts = self._stores.toasts
        existing = {toast.id for toast in (*toasts.visible, *toasts.waiting)}
        for removal in self._removals:
            if removal.is_deleted and removal.toast_id not in existing:
                self._forget(removal)
                self._operations.run(self._core.trash.delete(removal.workflow_id), "delete")

    def _forget(self, forgotten: UndoableRemoval) -> None:
        self._set_removals(removal for removal in self._removals if removal is not forgotten)

    def _set_removals(self, removals: Iterable[UndoableRemoval]) -> None:
        self._removals = list(removals)  # a new list: `_on_toasts` may be iterating over the previous one
        self.changed.emit(bool(self._removals))

    def _is_running(self, listed: ListedWorkflow) -> bool:
        execution = self._stores.background.get_execution(listed.workflow.id)
        return execution is not None and execution.is_active
