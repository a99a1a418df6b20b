"""The form of a memory: its whole text and its type."""

from collections.abc import Awaitable

from PySide6.QtWidgets import QPlainTextEdit

from core.domain.memory import CONTENT_CHARACTERS, Memory
from core.services.outcome import Failed, Outcome
from desktop.settings.memory.memory_strings import memory_refusal_text, type_labels
from desktop.settings.parts.editors import plain_text
from desktop.settings.parts.form import EditForm
from desktop.settings.sources.context import SettingsContext
from desktop.widgets.combo_box import ComboBox, bound
from desktop.widgets.forms.form import FormField

_LINES = 10


class MemoryForm(EditForm):
    """Emits `saved` with the changed memory."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._memory: Memory | None = None
        self._shown = ""
        self._content, self._type = QPlainTextEdit(), ComboBox()
        self._content.setTabChangesFocus(True)
        bound(self._type)
        fields = [FormField.around(context.theme, editor) for editor in (self._content, self._type)]
        self._place(fields, fields)
        self._content.textChanged.connect(self._check)
        self.adapt_to(context.theme)

    def show_memory(self, memory: Memory) -> None:
        """Show a memory with its whole text."""
        self._memory = memory
        self._content.setPlainText(memory.content)
        self._shown = plain_text(self._content)
        self._type.setCurrentIndex(list(type_labels()).index(memory.type))
        self._begin()
        self._check()

    def heading(self) -> str:
        return self.tr("Edit memory")

    def failure_text(self, failed: Failed) -> str:
        return memory_refusal_text(failed)

    def retranslate(self) -> None:
        super().retranslate()
        self._save.setText(self.tr("Save memory"))
        at = max(0, self._type.currentIndex())
        self._type.clear()
        self._type.addItems(list(type_labels().values()))
        self._type.setCurrentIndex(at)
        self._fields[1].describe(self.tr("Type"), self.tr("Context is forgotten after seven days."))
        self._check()

    def apply_theme(self) -> None:
        super().apply_theme()
        sizes = self._theme.sizes
        lines = _LINES * self._content.fontMetrics().lineSpacing()
        self._content.setFixedHeight(lines + 2 * (sizes.space_s + sizes.focus_ring))

    def submit(self) -> Awaitable[Outcome[Memory]] | None:
        memory = self._memory
        if memory is None:
            return None
        text = plain_text(self._content)
        content = memory.content if text == self._shown else text  # signs that a field cannot hold stay as they are
        return self._context.memories.change(memory.id, content, list(type_labels())[self._type.currentIndex()])

    def _check(self) -> None:
        """Show the length of the text."""
        length = len(plain_text(self._content))
        self._show_length(self._fields[0], self.tr("What agents know"), length, CONTENT_CHARACTERS)
