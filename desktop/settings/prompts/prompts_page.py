"""Prompts: the library of texts that a slash puts into the composer; made, changed and removed here."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.bus import PromptsChanged
from core.domain.ids import PromptId
from core.domain.prompt import Prompt
from core.services.outcome import Ok
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.prompts.prompt_form import PromptForm
from desktop.settings.prompts.prompt_strings import prompt_refusal_text, variables_text
from desktop.settings.sources.context import PromptsContext
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.buttons import Button

_EXCERPT_CHARACTERS = 300


class PromptsPage(ListPage[ItemRow]):
    """The list follows the library, whoever changes it. The form stands below it while a prompt is made or changed."""

    def __init__(
        self,
        theme: Theme,
        library: PromptsContext,
        told: Callable[[UndoableAction], None],
        parent: QWidget | None = None,
    ) -> None:
        spawn = library.spawn
        super().__init__(theme, PageId.PROMPTS, spawn, told, prompt_refusal_text, parent)
        self._library = library
        self._new = Button(theme, icon=Icon.PLUS)
        self.list_column.addWidget(self._new, 0, Qt.AlignmentFlag.AlignLeft)
        self._form = PromptForm(theme, library)
        self.add_form(self._form, self._form.searched, self._new)
        self._new.clicked.connect(partial(self._open, None))
        self._form.kept.connect(self._on_kept)
        self._form.left.connect(self.close_form)
        self.follow(library.bus, PromptsChanged)
        self.adapt_to(theme)

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
        prompts = self._library.prompts.current
        self.show_rows({one.id: self.row_for(one.id, one, partial(self._row, one)) for one in prompts})

    def _row(self, prompt: Prompt) -> ItemRow:
        row = ItemRow(self._theme, prompt.name, is_default=None)
        row.say(self._note(prompt))
        row.edited.connect(partial(self._open, prompt))
        row.removed.connect(partial(self._spawn_removal, prompt))
        return row

    def _note(self, prompt: Prompt) -> str:
        variables = variables_text(prompt.variables) if prompt.variables else ""
        words = " · ".join(part for part in (prompt.category, variables) if part)
        beginning = " ".join((prompt.description.strip() or prompt.content)[:_EXCERPT_CHARACTERS].split())
        return "\n".join(part for part in (words, beginning) if part)

    # Making and changing

    def _open(self, prompt: Prompt | None) -> None:
        self._form.show_prompt(prompt)
        self.open_form(self._form, None if prompt is None else prompt.id, self._form.focus_first)

    def _on_kept(self, prompt: Prompt) -> None:
        self.close_form(prompt.id)
        self.tell(self.tr("{prompt} is saved.").format(prompt=prompt.name))

    # Removing

    def _spawn_removal(self, prompt: Prompt) -> None:
        self._library.spawn(self._remove(prompt.id), "remove a prompt")

    async def _remove(self, prompt_id: PromptId) -> None:
        answer = await self._library.prompts.remove(prompt_id)
        if not isinstance(answer, Ok):
            self.is_done(answer)
            return
        prompt = answer.data
        if self.is_editing(prompt_id):
            self.close_form()
        words = partial(self._removed_words, prompt.name)
        self.tell_change(words, partial(self._put_back, prompt), partial(self._remove_again, prompt))

    def _removed_words(self, name: str, is_undone: bool) -> str:
        words = self.tr("{prompt} is back.") if is_undone else self.tr("{prompt} is removed.")
        return words.format(prompt=name)

    async def _put_back(self, prompt: Prompt) -> None:
        self.is_done(await self._library.prompts.save(prompt.id, **prompt.model_dump(exclude={"id"})))

    async def _remove_again(self, prompt: Prompt) -> None:
        self.is_done(await self._library.prompts.remove(prompt.id))
