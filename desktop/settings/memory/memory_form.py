"""Editing and deleting memories, and their texts."""

from collections.abc import Awaitable
from datetime import datetime

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from core.domain.memory import CONTENT_CHARACTERS, Memory, MemoryType
from core.services.outcome import Failed, Ok, Outcome
from desktop.operations import unwrap
from desktop.settings.parts.form import EditForm
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.translation import failure_text, moment, number
from desktop.widgets import (
    Adaptive,
    Button,
    ComboBox,
    MultiLineEdit,
    Paragraph,
    QuestionBox,
    limit_width,
    row_of,
    show_when,
)
from desktop.widgets.forms.form import FormField

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

EXCERPT_CHARACTERS = 300
NAME_CHARACTERS = 60


def type_labels() -> dict[MemoryType, str]:
    return {
        MemoryType.USER_PREF: translate("Memories", "Preference"),
        MemoryType.CONTEXT: translate("Memories", "Context"),
        MemoryType.KNOWLEDGE: translate("Memories", "Knowledge"),
        MemoryType.DECISION: translate("Memories", "Decision"),
    }


def excerpt(memory: Memory) -> str:
    """Return the beginning of the text on a single line."""
    line = " ".join(
        "".join(sign if sign.isprintable() else " " for sign in memory.content[: 4 * EXCERPT_CHARACTERS]).split()
    )
    return line[:EXCERPT_CHARACTERS] or "…"


def display_name(memory: Memory) -> str:
    """Return the name for buttons and messages."""
    text = excerpt(memory)
    return text if len(text) <= NAME_CHARACTERS else text[: NAME_CHARACTERS - 1].rstrip() + "…"


def memory_summary(memory: Memory, title: str | None, now: datetime) -> str:
    """Return type, workflow, creation time, length and expiry. `title` is the workflow's title, None if it was deleted;
    `now` is local time.
    """
    parts = [type_labels()[memory.type]]
    if memory.workflow_id is None:
        parts.append(translate("Memories", "for all conversations"))
    elif title is None:
        parts.append(translate("Memories", "of one conversation"))
    else:
        parts.append(translate("Memories", "of “{title}”").format(title=title))
    parts.append(moment(memory.created_at.astimezone(), now))
    parts.append(translate("Memories", "{count} characters").format(count=number(memory.length)))
    if memory.expires_at is not None:
        expires = moment(memory.expires_at.astimezone(), now)
        parts.append(translate("Memories", "until {time}").format(time=expires))
    return " · ".join(parts)


def memory_refusal_text(failed: Failed) -> str:
    """Return why a memory was not changed, deleted or restored."""
    if failed.code == "bad_input":
        text = translate("Memories", "A memory has 1 to {limit} characters, and not blanks alone.")
        return text.format(limit=number(CONTENT_CHARACTERS))
    return failure_text(failed.code, failed.message)


_LINES = 10


class MemoryForm(EditForm):
    """Emits `saved` with the changed memory."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._memory: Memory | None = None
        self._shown = ""
        self._content, self._type = MultiLineEdit(), ComboBox()
        self._content.setTabChangesFocus(True)
        limit_width(self._type)
        fields = [FormField.around(context.theme, editor) for editor in (self._content, self._type)]
        self._place(fields, fields)
        self._content.textChanged.connect(self._check)
        self.adapt_to(context.theme)

    def show_memory(self, memory: Memory) -> None:
        """Show a memory with its whole text."""
        self._memory = memory
        self._content.set_text(memory.content)
        self._shown = self._content.text()
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
        text = self._content.text()
        content = memory.content if text == self._shown else text  # signs that a field cannot hold stay as they are
        return self._context.memories.change(memory.id, content, list(type_labels())[self._type.currentIndex()])

    def _check(self) -> None:
        """Show the length of the text."""
        length = len(self._content.text())
        self._show_length(self._fields[0], self.tr("What agents know"), length, CONTENT_CHARACTERS)


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
