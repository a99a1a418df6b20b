"""The form of a prompt."""

from collections.abc import Awaitable

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from core.domain.ids import PromptId
from core.domain.names import NAME_CHARACTERS
from core.domain.prompt import (
    CATEGORY_CHARACTERS,
    CONTENT_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    Prompt,
    variables_of,
)
from core.services.outcome import Failed, Outcome
from desktop.settings.parts.editors import plain_text
from desktop.settings.parts.form import EditForm
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.prompts.prompt_strings import prompt_refusal_text, variables_text
from desktop.settings.sources.context import SettingsContext
from desktop.widgets.forms.form import FormField
from desktop.widgets.paragraph import Paragraph

_LINES = 8


class PromptForm(EditForm):
    """Emits `saved` with the prompt that was created or changed."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._prompt_id: PromptId | None = None
        self._name, self._category, self._description = QLineEdit(), QLineEdit(), QLineEdit()
        for line, limit in (
            (self._name, NAME_CHARACTERS),
            (self._category, CATEGORY_CHARACTERS),
            (self._description, DESCRIPTION_CHARACTERS),
        ):
            line.setMaxLength(limit)
        self._content = QPlainTextEdit()
        self._content.setTabChangesFocus(True)
        self._variables = Paragraph("", "secondary", "muted", 3)
        controls = (self._name, self._category, self._description, self._content)
        fields = [FormField.around(context.theme, control) for control in controls]
        self._place([ResponsiveRow(context.theme, fields[:2]), *fields[2:], self._variables], fields)
        self._content.textChanged.connect(self._check)
        self.adapt_to(context.theme)
        self.show_prompt(None)

    def show_prompt(self, prompt: Prompt | None) -> None:
        """Show a prompt to edit; None for a new prompt."""
        self._prompt_id = prompt.id if prompt is not None else None
        self._name.setText(prompt.name if prompt is not None else "")
        self._category.setText(prompt.category if prompt is not None else "")
        self._description.setText(prompt.description if prompt is not None else "")
        self._content.setPlainText(prompt.content if prompt is not None else "")
        for line in (self._name, self._category, self._description):
            line.setCursorPosition(0)
        self._begin()
        self._check()

    def heading(self) -> str:
        return self.tr("New prompt") if self._prompt_id is None else self.tr("Edit prompt")

    def failure_text(self, failed: Failed) -> str:
        return prompt_refusal_text(failed)

    def retranslate(self) -> None:
        super().retranslate()
        name, category, description, _ = self._fields
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
        """Show the variables and the length of the text."""
        text = plain_text(self._content)
        self._show_length(self._fields[3], self.tr("Text"), len(text), CONTENT_CHARACTERS)
        self._variables.setText(variables_text(variables_of(text[:CONTENT_CHARACTERS])))

    def submit(self) -> Awaitable[Outcome[Prompt]]:
        return self._context.prompts.save(
            self._prompt_id,
            name=self._name.text(),
            category=self._category.text(),
            description=self._description.text(),
            content=plain_text(self._content),
        )
