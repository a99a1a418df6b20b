"""Deletes all memories after a confirmation, with progress and a stop button."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from core.services.outcome import Failed, Ok
from desktop.operations import unwrap
from desktop.settings.sources.context import SettingsContext
from desktop.theme.icon_names import Icon
from desktop.translation.formats import number
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.layouts import row_of
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.question_box import QuestionBox
from desktop.widgets.visibility import show_when


class MemoryDeletion(Adaptive, QWidget):
    """Emits `cleared` with the number of deleted memories, `refused` with a Failed."""

    cleared = Signal(int)
    refused = Signal(object)

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._theme = context.theme
        self._count = 0
        self._is_deleting = False
        self._button = Button(context.theme, icon=Icon.TRASH_2)
        self._progress = Paragraph("", "secondary", "muted")
        self._box = row_of(self, self._button)
        self._box.addWidget(self._progress, 1)
        self._button.clicked.connect(self._on_click)
        self.adapt_to(context.theme)

    def set_count(self, count: int) -> None:
        """Set the current number of memories."""
        self._count = count
        self._show()

    def search_text(self) -> str:
        return self._button.text()

    def retranslate(self) -> None:
        self._show()

    def apply_theme(self) -> None:
        self._box.setSpacing(self._theme.sizes.space_m)

    def _show(self) -> None:
        self._button.setText(self.tr("Stop deleting") if self._is_deleting else self.tr("Delete all…"))
        show_when(self._button, self._is_deleting or self._count > 0)
        remaining = self.tr("{count} are left to delete.").format(count=number(self._count))
        self._progress.setText(remaining if self._is_deleting else "")

    def _on_click(self) -> None:
        if self._is_deleting:
            self._stop()
        else:
            self._ask()

    def _ask(self) -> None:
        box = QuestionBox(self, "delete_memories_question")
        box.setWindowTitle(self.tr("Delete all memories"))
        text = self.tr("Delete all {count} memories?", "", self._count)
        box.setText(text.format(count=number(self._count)))
        box.setInformativeText(self.tr("Agents forget all of it, in every conversation. This cannot be undone."))
        yes = box.addButton(self.tr("Delete all"), QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(self.tr("Keep"), QMessageBox.ButtonRole.RejectRole)
        yes.setObjectName("delete")
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        box.accepted.connect(self._begin)
        box.open()

    def _begin(self) -> None:
        self._is_deleting = True
        self._show()
        work = self._delete()
        self._context.operations.run(work, "delete all memories", success=self._on_deleted, failure=self._on_failed)

    async def _delete(self) -> Ok[int]:
        deleted = 0
        while self._is_deleting and (count := unwrap(await self._context.memories.remove_batch())):
            deleted += count
            self._count = max(0, self._count - count)
            self._show()
        return Ok(deleted)

    def _on_deleted(self, count: int) -> None:
        self._stop()
        self.cleared.emit(count)

    def _on_failed(self, failed: Failed) -> None:
        self._stop()
        self.refused.emit(failed)

    def _stop(self) -> None:
        self._is_deleting = False
        self._show()
