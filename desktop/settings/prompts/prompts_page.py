"""The Prompts page: create, edit and remove the texts that a slash inserts into the composer."""

from collections.abc import Awaitable
from functools import partial

from PySide6.QtCore import Qt

from core.domain.prompt import Prompt
from core.services.outcome import Failed, Outcome
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.prompts.prompt_form import PromptForm, prompt_refusal_text, variables_text
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.widgets import Button

_EXCERPT_CHARACTERS = 300


class PromptsPage(ListPage[ItemRow]):
    """Follows changes of prompts from any origin. The form is shown below the list while a prompt is edited."""

    page_id = PageId.PROMPTS

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._prompts = context.prompts
        self._new = Button(context.theme, icon=Icon.PLUS)
        self.list_column.addWidget(self._new, 0, Qt.AlignmentFlag.AlignLeft)
        self._form = PromptForm(context)
        self.add_form(self._form, self._new)
        self._new.clicked.connect(partial(self._open, None))
        self._form.saved.connect(self._on_saved)
        self.follow(context.prompts.changed)
        self.adapt_to(context.theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.about.setText(
            self.tr(
                "A prompt is a text that you use again. Type / in an empty message to find it by its name; what its "
                "{{name}} places need is asked then, and nothing is sent before you send it."
            )
        )
        self.empty.setText(self.tr("There is no prompt yet. “New prompt” makes the first one."))
        self._new.setText(self.tr("New prompt"))

    def show_list(self) -> None:
        prompts = self._prompts.current
        self.show_rows({prompt.id: self.row_for(prompt.id, prompt, partial(self._row, prompt)) for prompt in prompts})

    def failure_text(self, failed: Failed) -> str:
        return prompt_refusal_text(failed)

    def _row(self, prompt: Prompt) -> ItemRow:
        row = ItemRow(self._theme, prompt.name, is_default=None)
        row.set_summary(self._summary(prompt))
        row.edit_requested.connect(partial(self._open, prompt))
        row.remove_requested.connect(partial(self._remove, prompt))
        return row

    def _summary(self, prompt: Prompt) -> str:
        variables = variables_text(prompt.variables) if prompt.variables else ""
        facts = " · ".join(part for part in (prompt.category, variables) if part)
        excerpt = " ".join((prompt.description.strip() or prompt.content)[:_EXCERPT_CHARACTERS].split())
        return "\n".join(part for part in (facts, excerpt) if part)

    def _open(self, prompt: Prompt | None) -> None:
        self._form.show_prompt(prompt)
        self.open_form(self._form, None if prompt is None else prompt.id)

    def _on_saved(self, prompt: Prompt) -> None:
        self.close_form(prompt.id)
        self.report(self.tr("{prompt} is saved.").format(prompt=prompt.name))

    def _remove(self, prompt: Prompt) -> None:
        self.remove(prompt.id, partial(self._prompts.remove, prompt.id), self._restore, self._removed_text)

    def _restore(self, prompt: Prompt) -> Awaitable[Outcome[Prompt]]:
        return self._prompts.save(prompt.id, **prompt.model_dump(exclude={"id"}))

    def _removed_text(self, prompt: Prompt, is_undone: bool) -> str:
        text = self.tr("{prompt} is back.") if is_undone else self.tr("{prompt} is removed.")
        return text.format(prompt=prompt.name)
