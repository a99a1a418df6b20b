"""Deleting all memories: asked about first, told of while it goes on, and stopped by who changes their mind."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMessageBox, QWidget

from core.services.outcome import Failed
from desktop.settings.sources.context import MemoryContext
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.translation.formats import number
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.question_box import QuestionBox
from desktop.widgets.visibility import show_when


class MemoryDeletion(Adaptive, QWidget):
    """`cleared` gives how many were deleted, `refused` a Failed."""

    cleared = Signal(int)
    refused = Signal(object)

    def __init__(self, theme: Theme, recall: MemoryContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._recall = recall
        self._count = 0
        self._is_clearing = False
        self._button = Button(theme, icon=Icon.TRASH_2)
        self._progress = Paragraph("", "secondary", "muted")
        self._box = QHBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addWidget(self._button)
        self._box.addWidget(self._progress, 1)
        self._button.clicked.connect(self._on_click)
        self.adapt_to(theme)

    def offer(self, count: int) -> None:
        """So many are there now."""
        self._count = count
        self._show()

    def searched(self) -> str:
        return self._button.text()

    def retranslate(self) -> None:
        self._show()

    def apply_theme(self) -> None:
        self._box.setSpacing(self._theme.sizes.space_m)

    def _show(self) -> None:
        self._button.setText(self.tr("Stop deleting") if self._is_clearing else self.tr("Delete all…"))
        show_when(self._button, self._is_clearing or self._count > 0)
        left = self.tr("{count} are left to delete.").format(count=number(self._count))
        self._progress.setText(left if self._is_clearing else "")

    def _on_click(self) -> None:
        if self._is_clearing:
            self._is_clearing = False
            self._show()
        else:
            self._ask()

    def _ask(self) -> None:
        box = QuestionBox(self, "delete_memories_question")
        box.setWindowTitle(self.tr("Delete all memories"))
        words = self.tr("Delete all {count} memories?", "", self._count)
        box.setText(words.format(count=number(self._count)))
        box.setInformativeText(self.tr("Agents forget all of it, in every conversation. This cannot be undone."))
        yes = box.addButton(self.tr("Delete all"), QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(self.tr("Keep"), QMessageBox.ButtonRole.RejectRole)
        yes.setObjectName("delete")
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        box.accepted.connect(self._begin)
        box.open()

    def _begin(self) -> None:
        self._is_clearing = True
        self._show()
        self._recall.spawn(self._clear(), "delete all memories")

    async def _clear(self) -> None:
        deleted = 0
        while self._is_clearing:
            answer = await self._recall.memories.remove_batch()
            if isinstance(answer, Failed):
                self._end()
                self.refused.emit(answer)
                return
            if not answer.data:
                break
            deleted += answer.data
            self._count = max(0, self._count - answer.data)
            self._show()
        self._end()
        self.cleared.emit(deleted)

    def _end(self) -> None:
        self._is_clearing = False
        self._show()
