"""The form of a prompt, and the texts of its variables and errors."""

from collections.abc import Awaitable, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit

from core.domain.ids import PromptId
from core.domain.names import NAME_CHARACTERS
from core.domain.prompt import (
    CATEGORY_CHARACTERS,
    CONTENT_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    MAX_VARIABLES,
    Prompt,
    variables_of,
)
from core.services.outcome import Failed, Outcome
from desktop.settings.parts.form import EditForm
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.sources.context import SettingsContext
from desktop.translation import failure_text, number
from desktop.widgets import MultiLineEdit, Paragraph
from desktop.widgets.forms.form import FormField

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_LISTED_NAMES = 12


def variables_text(names: Sequence[str]) -> str:
    """Return the variables that the prompt asks for."""
    if not names:
        return translate("Prompts", "Asks for nothing. Write {{name}} where something is to be filled in.")
    named = ", ".join(names[:_LISTED_NAMES])
    if len(names) > _LISTED_NAMES:
        more = number(len(names) - _LISTED_NAMES)
        return translate("Prompts", "Asks for: {names} and {more} more").format(names=named, more=more)
    return translate("Prompts", "Asks for: {names}").format(names=named)


def prompt_refusal_text(failed: Failed) -> str:
    """Return why a prompt was not saved, removed or restored."""
    match failed.code, failed.details.get("field"):
        case "name_taken", _:
            return translate("Prompts", "Another prompt has this name.")
        case "bad_input", "name":
            text = translate("Prompts", "A name has 1 to {limit} characters, all of which can be shown.")
            return text.format(limit=number(NAME_CHARACTERS))
        case "bad_input", "category":
            text = translate("Prompts", "A category has at most {limit} characters, all of which can be shown.")
            return text.format(limit=number(CATEGORY_CHARACTERS))
        case "bad_input", "description":
            text = translate("Prompts", "A description has at most {limit} characters.")
            return text.format(limit=number(DESCRIPTION_CHARACTERS))
        case "bad_input", "content":
            text = translate(
                "Prompts", "A prompt has a text, of at most {limit} characters and {most} names to fill in."
            )
            return text.format(limit=number(CONTENT_CHARACTERS), most=number(MAX_VARIABLES))
        case _:
            return failure_text(failed.code, failed.message)


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
        self._content = MultiLineEdit()
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
        self._content.set_text(prompt.content if prompt is not None else "")
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
        text = self._content.text()
        self._show_length(self._fields[3], self.tr("Text"), len(text), CONTENT_CHARACTERS)
        self._variables.setText(variables_text(variables_of(text[:CONTENT_CHARACTERS])))

    def submit(self) -> Awaitable[Outcome[Prompt]]:
        return self._context.prompts.save(
            self._prompt_id,
            name=self._name.text(),
            category=self._category.text(),
            description=self._description.text(),
            content=self._content.text(),
        )
