"""Prompts: the library of texts that a slash puts into the composer; made, changed and removed here."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QWidget

from core.bus import PromptsChanged, Subscription
from core.domain.ids import PromptId
from core.domain.prompt import Prompt
from core.services.outcome import Ok
from desktop.settings.library import Library
from desktop.settings.list_page import ListPage
from desktop.settings.mind_row import MindRow
from desktop.settings.page import PageId
from desktop.settings.prompt_form import PromptForm
from desktop.settings.prompt_words import refused_prompt_words, variable_words
from desktop.settings.values import Deed
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

_BEGINNING = 300


class PromptsPage(ListPage):
    """The list follows the library, whoever changes it. The form stands below it while a prompt is made or changed."""

    def __init__(
        self, theme: Theme, library: Library, told: Callable[[Deed], None], parent: QWidget | None = None
    ) -> None:
        spawn = library.spawn
        super().__init__(theme, PageId.PROMPTS, Icon.FILE_TEXT, spawn, told, refused_prompt_words, parent)
        self._library = library
        self._about = Paragraph("", "label", "muted")
        self._empty = Paragraph("", "label", "muted")
        self._new = Button(theme, icon=Icon.PLUS)
        self.list_column.addWidget(self._empty)
        self.list_column.addWidget(self._new, 0, Qt.AlignmentFlag.AlignLeft)
        self._form = PromptForm(theme, library)
        self._is_editing = False
        self.add(self._about, self._about.text)
        self.add(self.list_, self._searched_list)
        self.add(self._form, self._form.searched)
        show_when(self._form, False)
        self._new.clicked.connect(partial(self._open, None))
        self._form.kept.connect(self._on_kept)
        self._form.left.connect(self._close)
        subscription = library.bus.subscribe(PromptsChanged, self._on_change)
        self.destroyed.connect(partial(Subscription.close, subscription))
        self.adapt_to(theme)

    def title(self) -> str:
        return self.tr("Prompts")

    def filter(self, query: str) -> bool:
        is_found = super().filter(query)
        self._form.setVisible(self._is_editing and not self._form.isHidden())
        return is_found

    def retranslate(self) -> None:
        super().retranslate()
        self._about.setText(
            self.tr(
                "A prompt is a text that you use again. Type / in an empty message to find it by its name; what its "
                "{{name}} places need is asked then, and nothing is sent before you send it."
            )
        )
        self._empty.setText(self.tr("There is no prompt yet. “New prompt” makes the first one."))
        self._new.setText(self.tr("New prompt"))
        self._show_prompts()

    def _on_change(self, _message: PromptsChanged) -> None:
        self._show_prompts()

    def _show_prompts(self) -> None:
        show_when(self._empty, not self._library.prompts.current)
        self.show_rows([self._row(prompt) for prompt in self._library.prompts.current])

    def _row(self, prompt: Prompt) -> MindRow:
        row = MindRow(self._theme, prompt.name, is_default=None)
        row.say(self._note(prompt))
        row.edited.connect(partial(self._open, prompt))
        row.removed.connect(partial(self._spawn_removal, prompt))
        return row

    def _note(self, prompt: Prompt) -> str:
        variables = variable_words(prompt.variables) if prompt.variables else ""
        words = " · ".join(part for part in (prompt.category, variables) if part)
        beginning = " ".join((prompt.description.strip() or prompt.content)[:_BEGINNING].split())
        return "\n".join(part for part in (words, beginning) if part)

    def _searched_list(self) -> str:
        return " ".join([self._new.text(), *(row.name for row in self.rows)])

    # Making and changing

    def _open(self, prompt: Prompt | None) -> None:
        self._form.show_prompt(prompt)
        self._is_editing = True
        self._form.show()
        self._form.focus_name()
        QTimer.singleShot(0, self, self._reveal_form)  # when it has its place

    def _reveal_form(self) -> None:
        """It may be taller than the page: its beginning is to be seen."""
        top = self._form.mapTo(self.viewport(), QPoint(0, 0)).y() + self.verticalScrollBar().value()
        self.verticalScrollBar().setValue(top - self._theme.sizes.space_s)

    def _close(self) -> None:
        self._is_editing = False
        self._form.hide()
        self._new.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_kept(self, prompt: Prompt) -> None:
        self._close()
        words = self.tr("{prompt} is saved.")
        self.told(Deed(lambda _: words.format(prompt=prompt.name)))

    # Removing

    def _spawn_removal(self, prompt: Prompt) -> None:
        self._library.spawn(self._remove(prompt.id), "remove a prompt")

    async def _remove(self, prompt_id: PromptId) -> None:
        answer = await self._library.prompts.remove(prompt_id)
        if not isinstance(answer, Ok):
            self.is_done(answer)
            return
        prompt = answer.data
        if self._is_editing and self._form.prompt_id == prompt_id:
            self._close()
        words = partial(self._removed_words, prompt.name)
        self.tell_change(words, partial(self._put_back, prompt), partial(self._remove_again, prompt))

    def _removed_words(self, name: str, is_undone: bool) -> str:
        words = self.tr("{prompt} is back.") if is_undone else self.tr("{prompt} is removed.")
        return words.format(prompt=name)

    async def _put_back(self, prompt: Prompt) -> None:
        self.is_done(await self._library.prompts.save(prompt.id, **prompt.model_dump(exclude={"id"})))

    async def _remove_again(self, prompt: Prompt) -> None:
        self.is_done(await self._library.prompts.remove(prompt.id))
