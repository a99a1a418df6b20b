"""The form of a prompt: its name, what it is for, its text, and what that asks for."""

from collections.abc import Awaitable

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from core.domain.ids import PromptId
from core.domain.prompt import (
    CATEGORY_CHARACTERS,
    CONTENT_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    NAME_CHARACTERS,
    Prompt,
    variables_of,
)
from core.services.outcome import Failed, Outcome
from desktop.settings.parts.editors import plain_text
from desktop.settings.parts.form import EditForm, FormRow
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.prompts.prompt_strings import prompt_refusal_text, variables_text
from desktop.settings.sources.context import PromptsContext
from desktop.theme.theme import Theme
from desktop.translation.formats import number
from desktop.widgets.paragraph import Paragraph

_LINES = 8


class PromptForm(EditForm):
    """`kept` tells of the prompt that was made or changed."""

    def __init__(self, theme: Theme, library: PromptsContext, parent: QWidget | None = None) -> None:
        super().__init__(theme, library.spawn, parent)
        self._library = library
        self._prompt_id: PromptId | None = None
        self._name, self._category, self._description = QLineEdit(), QLineEdit(), QLineEdit()
        for line, most in (
            (self._name, NAME_CHARACTERS),
            (self._category, CATEGORY_CHARACTERS),
            (self._description, DESCRIPTION_CHARACTERS),
        ):
            line.setMaxLength(most)
        self._content = QPlainTextEdit()
        self._content.setTabChangesFocus(True)
        self._variables = Paragraph("", "secondary", "muted", 3)
        controls = (self._name, self._category, self._description, self._content)
        rows = [FormRow(theme, control) for control in controls]
        self._place([ResponsiveRow(theme, rows[:2]), *rows[2:], self._variables], rows)
        self._content.textChanged.connect(self._check)
        self.adapt_to(theme)
        self.show_prompt(None)

    def show_prompt(self, prompt: Prompt | None) -> None:
        """Show a prompt to be changed; None: a new one."""
        self._prompt_id = prompt.id if prompt is not None else None
        self._name.setText(prompt.name if prompt is not None else "")
        self._category.setText(prompt.category if prompt is not None else "")
        self._description.setText(prompt.description if prompt is not None else "")
        self._content.setPlainText(prompt.content if prompt is not None else "")
        for line in (self._name, self._category, self._description):
            line.setCursorPosition(0)
        self._say("")
        self._title.setText(self.heading())
        self._check()

    def heading(self) -> str:
        return self.tr("New prompt") if self._prompt_id is None else self.tr("Edit prompt")

    def refused(self, failed: Failed) -> str:
        return prompt_refusal_text(failed)

    def retranslate(self) -> None:
        super().retranslate()
        name, category, description, _ = self._rows
        name.describe(self.tr("Name"))
        category.describe(self.tr("Category"))
        description.describe(self.tr("Description"))
        self._save.setText(self.tr("Save prompt"))
        self._check()

    def apply_theme(self) -> None:
        super().apply_theme()
        sizes = self._theme.sizes
        lines = _LINES * self._content.fontMetrics().lineSpacing()
        self._content.setFixedHeight(lines + 2 * (sizes.space_s + sizes.focus_ring))

    def _check(self) -> None:
        """Say what the text asks for, how much of its room is taken, and that it is too long."""
        text = plain_text(self._content)
        length, row = len(text), self._rows[3]
        most = number(CONTENT_CHARACTERS)
        counted = self.tr("{count} of {most} characters").format(count=number(length), most=most)
        row.complain(counted if length > CONTENT_CHARACTERS else "")
        row.describe(self.tr("Text"), counted)
        self._variables.setText(variables_text(variables_of(text[:CONTENT_CHARACTERS])))

    def put(self) -> Awaitable[Outcome[Prompt]]:
        return self._library.prompts.save(
            self._prompt_id,
            name=self._name.text(),
            category=self._category.text(),
            description=self._description.text(),
            content=plain_text(self._content),
        )
