"""Changed files in the transcript: loads their differences, opens them, and undoes changes (UI §5)."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from core.domain.changed_files import ChangedFile, ShownChange, Takeback, changed_files
from core.domain.ids import MessageId, WorkflowId
from desktop.operations import unwrap
from desktop.window.base.context import Controller, WindowContext
from desktop.window.conversation.chat_pane import ChatPane


class ChangedFilesController(Controller):
    """Serves what the lines of changed files request."""

    def __init__(self, context: WindowContext, chat: ChatPane) -> None:
        super().__init__(context)
        self._conversation = chat.conversation
        chat.transcript.changes_requested.connect(self._on_requested)
        chat.transcript.file_acted.connect(self._on_acted)

    def _on_requested(self, message_id: str) -> None:
        if self._viewed is not None:
            self._operations.run(self._load(self._viewed, MessageId(message_id)), "compare changed files")

    def _on_acted(self, message_id: str, change: ShownChange, action: str) -> None:
        path = Path(_place_now(change))
        if action in ("open", "folder"):
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path if action == "open" else path.parent)))
        elif self._viewed is not None:
            work = self._turn(self._viewed, MessageId(message_id), change.file, is_undo=action == "undo")
            self._operations.run(work, f"{action} a change of a file")

    async def _turn(self, workflow_id: WorkflowId, message_id: MessageId, file: ChangedFile, *, is_undo: bool) -> None:
        files = self._core.changed_files
        try:
            unwrap(await (files.undo(workflow_id, file) if is_undo else files.redo(workflow_id, file)))
        finally:
            # also after a refusal: what is on the screen was no longer so
            await self._load(workflow_id, message_id)

    async def _load(self, workflow_id: WorkflowId, message_id: MessageId) -> None:
        run = self._stores.view.run_of(message_id)
        if run is not None and workflow_id == self._viewed:
            shown = await self._core.changed_files.show(workflow_id, changed_files(run.file_changes))
            if workflow_id == self._viewed:
                self._conversation.show_changes(message_id, shown)


def _place_now(change: ShownChange) -> str:
    """Return where the file is; of one that is gone, where it was."""
    file = change.file
    return file.was_at if file.was_at is not None and change.takeback is Takeback.REDO else file.path
