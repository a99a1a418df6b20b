"""The form of a memory: all of what it says, which can be changed, and its type."""

from collections.abc import Awaitable

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from core.domain.memory import CONTENT_CHARACTERS, Memory
from core.services.outcome import Failed, Outcome
from desktop.settings.memory.memory_strings import memory_refusal_text, type_labels
from desktop.settings.parts.editors import plain_text
from desktop.settings.parts.form import EditForm, FormRow
from desktop.settings.sources.context import MemoryContext
from desktop.theme.theme import Theme
from desktop.translation.formats import number
from desktop.widgets.combo_box import ComboBox, bound

_LINES = 10


class MemoryForm(EditForm):
    """`kept` tells of the memory that was changed."""

    def __init__(self, theme: Theme, recall: MemoryContext, parent: QWidget | None = None) -> None:
        super().__init__(theme, recall.spawn, parent)
        self._recall = recall
        self._memory: Memory | None = None
        self._shown = ""
        self._content, self._type = QPlainTextEdit(), ComboBox()
        self._content.setTabChangesFocus(True)
        bound(self._type)
        rows = [FormRow(theme, control) for control in (self._content, self._type)]
        self._place(rows, rows)
        self._content.textChanged.connect(self._check)
        self.adapt_to(theme)

    def show_memory(self, memory: Memory) -> None:
        """Show one, whole."""
        self._memory = memory
        self._content.setPlainText(memory.content)
        self._shown = plain_text(self._content)
        self._type.setCurrentIndex(list(type_labels()).index(memory.type))
        self._say("")
        self._check()

    def heading(self) -> str:
        return self.tr("Edit memory")

    def refused(self, failed: Failed) -> str:
        return memory_refusal_text(failed)

    def retranslate(self) -> None:
        super().retranslate()
        self._save.setText(self.tr("Save memory"))
        at = max(0, self._type.currentIndex())
        self._type.clear()
        self._type.addItems(list(type_labels().values()))
        self._type.setCurrentIndex(at)
        self._rows[1].describe(self.tr("Type"), self.tr("Context is forgotten after seven days."))
        self._check()

    def apply_theme(self) -> None:
        super().apply_theme()
        sizes = self._theme.sizes
        lines = _LINES * self._content.fontMetrics().lineSpacing()
        self._content.setFixedHeight(lines + 2 * (sizes.space_s + sizes.focus_ring))

    def put(self) -> Awaitable[Outcome[Memory]] | None:
        memory = self._memory
        if memory is None:
            return None
        text = plain_text(self._content)
        content = memory.content if text == self._shown else text  # signs that a field cannot hold stay as they are
        return self._recall.memories.change(memory.id, content, list(type_labels())[self._type.currentIndex()])

    def _check(self) -> None:
        """Say how much of the room is taken, and that it is too long."""
        length = len(plain_text(self._content))
        counted = self.tr("{count} of {most} characters")
        counted = counted.format(count=number(length), most=number(CONTENT_CHARACTERS))
        self._rows[0].complain(counted if length > CONTENT_CHARACTERS else "")
        self._rows[0].describe(self.tr("What agents know"), counted)
