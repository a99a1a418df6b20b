"""Archive, restore and delete workflows, with confirmation and undo (UI §11)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from core.app import Core
from core.domain.ids import WorkflowId
from core.domain.toast import LONG_S, ToastId, ToastType
from core.services.outcome import Failed
from core.stores.workflows import ListedWorkflow
from desktop.aio import Tasks
from desktop.widgets.question_box import QuestionBox
from desktop.window.actions.workflow_actions import AsyncAction, WorkflowActions

_TITLE_EMS = 24


def ask_archive(window: QWidget, title: str) -> QMessageBox:
    """Open the confirmation to stop and archive a workflow, without blocking; `accepted` confirms."""
    box = QuestionBox(window, "archive_question")
    box.setWindowTitle(QCoreApplication.translate("Questions", "Archive workflow"))
    box.setText(QCoreApplication.translate("Questions", "“{title}” is running.").format(title=_elided(box, title)))
    box.setInformativeText(
        QCoreApplication.translate(
            "Questions", "It will be stopped before it is archived. What it has done so far is kept."
        )
    )
    _open_with_answers(
        box,
        QCoreApplication.translate("Questions", "Stop and archive"),
        QCoreApplication.translate("Questions", "Cancel"),
        "archive",
    )
    return box


def ask_delete(window: QWidget, title: str, *, is_running: bool) -> QMessageBox:
    """Open the confirmation to delete a workflow, without blocking; `accepted` confirms."""
    box = QuestionBox(window, "delete_question")
    box.setWindowTitle(QCoreApplication.translate("Questions", "Delete workflow"))
    box.setText(QCoreApplication.translate("Questions", "Delete “{title}”?").format(title=_elided(box, title)))
    what = QCoreApplication.translate(
        "Questions", "Its messages and runs are removed. You can undo it for a few seconds."
    )
    if is_running:
        stopped = QCoreApplication.translate("Questions", "It is running; it will be stopped first.")
        what = f"{stopped} {what}"
    box.setInformativeText(what)
    _open_with_answers(
        box,
        QCoreApplication.translate("Questions", "Delete"),
        QCoreApplication.translate("Questions", "Keep"),
        "delete",
    )
    return box


def _elided(box: QMessageBox, title: str) -> str:
    """Return the title elided to a line: a message box is as wide as its longest word."""
    return box.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, _TITLE_EMS * box.fontMetrics().height())


def _open_with_answers(box: QMessageBox, yes: str, no: str, name: str) -> None:
    """Open the box with two buttons. Enter and Esc choose the harmless one."""
    box.addButton(yes, QMessageBox.ButtonRole.AcceptRole).setObjectName(name)
    harmless = box.addButton(no, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(harmless)
    box.setEscapeButton(harmless)
    box.open()


_MOST_UNDOS = 100


@dataclass(frozen=True, slots=True)
class UndoableRemoval:
    """An archiving or deletion that can be undone, by its toast or by the undo command."""

    workflow_id: WorkflowId
    toast_id: ToastId
    is_deleted: bool
    undo: AsyncAction


class ArchiveController(QObject):
    """Archives, restores and deletes workflows, and undoes that. A workflow that is removed is no longer viewed.

    A deletion can be undone while its toast exists and is final then. An archived workflow can be restored at any time,
    or by undo while it is the last removal.
    """

    changed = Signal(bool)
    """Whether there is something to undo."""

    def __init__(self, core: Core, tasks: Tasks, deeds: WorkflowActions, window: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._core = core
        self._tasks = tasks
        self._deeds = deeds
        self._window = window
        self._done: list[UndoableRemoval] = []
        core.stores.toasts.changed.connect(self._on_toasts)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"workflow.undo": self.undo}

    def close(self) -> None:
        """Disconnect from the store. The core completes pending deletions when it closes."""
        self._core.stores.toasts.changed.disconnect(self._on_toasts, missing_ok=True)

    def archive(self, workflow_id: str) -> None:
        """Archive the workflow; an active run is stopped after a confirmation."""
        listed = self._core.stores.workflows.get(WorkflowId(workflow_id))
        if listed is None or listed.workflow.is_archived:
            return
        if self._is_running(listed):
            self._ask(ask_archive(self._window, listed.workflow.title), partial(self._archive, listed))
        else:
            self._tasks.spawn(self._archive(listed), "archive")

    def restore(self, workflow_id: str) -> None:
        """Restore the workflow from the archive."""
        self._tasks.spawn(self._restore(WorkflowId(workflow_id)), "restore")

    def delete(self, workflow_id: str) -> None:
        """Delete the workflow after a confirmation, with *Undo* in a toast."""
        listed = self._core.stores.workflows.get(WorkflowId(workflow_id))
        if listed is not None:
            question = ask_delete(self._window, listed.workflow.title, is_running=self._is_running(listed))
            self._ask(question, partial(self._delete, listed))

    def undo(self) -> None:
        """Undo the last archiving or deletion."""
        if self._done:
            last = self._done[-1]
            self._forget(last)
            self._tasks.spawn(last.undo(), "undo")
            self._core.stores.toasts.dismiss(last.toast_id)

    def _ask(self, question: QMessageBox, deed: AsyncAction) -> None:
        question.accepted.connect(partial(self._do, deed))

    def _do(self, deed: AsyncAction) -> None:
        self._tasks.spawn(deed(), "put away")

    async def _archive(self, listed: ListedWorkflow) -> None:
        workflow = listed.workflow
        answer = await self._core.workflows.archive(workflow.id)
        if isinstance(answer, Failed):
            self._deeds.fail(answer)
            return
        self._look_away(workflow.id)
        self._core.stores.toasts.dismiss_for_workflow(workflow.id)
        self._offer("workflow_archived", listed, partial(self._restore, workflow.id), is_deleted=False)

    async def _restore(self, workflow_id: WorkflowId) -> None:
        self._done = [one for one in self._done if one.is_deleted or one.workflow_id != workflow_id]
        self._tell()
        answer = await self._core.workflows.restore(workflow_id)
        if isinstance(answer, Failed):
            self._deeds.fail(answer)

    async def _delete(self, listed: ListedWorkflow) -> None:
        workflow = listed.workflow
        self._look_away(workflow.id)
        answer = await self._core.discarding.discard(workflow.id)
        if isinstance(answer, Failed):
            self._deeds.fail(answer)
            return
        self._offer("workflow_deleted", listed, partial(self._bring_back, workflow.id), is_deleted=True)

    async def _bring_back(self, workflow_id: WorkflowId) -> None:
        answer = await self._core.discarding.bring_back(workflow_id)
        if isinstance(answer, Failed):
            self._deeds.fail(answer)
            return
        runs = [run async for run in self._core.runs.newest(_MOST_UNDOS) if run.workflow_id == workflow_id]
        self._core.stores.inbox.load(runs)

    def _offer(self, code: str, listed: ListedWorkflow, undo: AsyncAction, *, is_deleted: bool) -> None:
        """Show the toast with *Undo*. The id is a parameter because titles are not unique."""
        workflow = listed.workflow
        toast_id = self._core.stores.toasts.add(
            ToastType.INFO,
            code,
            title=workflow.title,
            duration_s=LONG_S,
            parameters=[("id", workflow.id)],
        )
        self._deeds.offer(toast_id, undo)
        self._done = [*self._done[-_MOST_UNDOS:], UndoableRemoval(workflow.id, toast_id, is_deleted, undo)]
        self._tell()

    def _look_away(self, workflow_id: WorkflowId) -> None:
        if self._core.stores.background.viewed_workflow_id == workflow_id:
            self._deeds.show(None)

    def _on_toasts(self) -> None:
        """Complete deletions whose toast is gone."""
        toasts = self._core.stores.toasts
        standing = {toast.id for toast in (*toasts.visible, *toasts.waiting)}
        for done in [one for one in self._done if one.is_deleted and one.toast_id not in standing]:
            self._forget(done)
            self._tasks.spawn(self._finish(done.workflow_id), "delete")

    async def _finish(self, workflow_id: WorkflowId) -> None:
        answer = await self._core.discarding.finish(workflow_id)
        if isinstance(answer, Failed):
            self._deeds.fail(answer)

    def _forget(self, done: UndoableRemoval) -> None:
        self._done = [one for one in self._done if one is not done]
        self._tell()

    def _tell(self) -> None:
        self.changed.emit(bool(self._done))

    def _is_running(self, listed: ListedWorkflow) -> bool:
        execution = self._core.stores.background.get_execution(listed.workflow.id)
        return execution is not None and execution.is_active
