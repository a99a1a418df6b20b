"""Models: which can be chosen, which answers where none is, and how another one is connected."""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.bus import SettingsChanged, Subscription
from core.domain.model import ModelChoice
from core.services.outcome import Failed
from desktop.settings.found_servers import FoundServers
from desktop.settings.mind_row import MindRow
from desktop.settings.mind_words import model_note, refused_words
from desktop.settings.minds import Minds
from desktop.settings.model_form import ModelForm
from desktop.settings.page import Page, PageId
from desktop.settings.values import Deed
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.translation.agents import offline_words
from desktop.widgets.paragraph import Paragraph


class ModelsPage(Page):
    """The list follows the settings, whoever changes them. Servers on this computer are looked for when it is shown."""

    def __init__(self, theme: Theme, minds: Minds, told: Callable[[Deed], None], parent: QWidget | None = None) -> None:
        super().__init__(theme, PageId.MODELS, Icon.CPU, parent)
        self._minds = minds
        self._told = told
        self._shown: tuple[object, ...] | None = None
        self._about = Paragraph("", "label", "muted")
        self._list = QWidget()
        self._list_column = QVBoxLayout(self._list)
        self._list_column.setContentsMargins(0, 0, 0, 0)
        self._rows: list[MindRow] = []
        self._found = FoundServers(theme, minds)
        self._form = ModelForm(theme, minds)
        self.add(self._about, self._about.text)
        self.add(self._list, self._searched_list)
        self.add(self._found, self._found.searched)
        self.add(self._form, self._form.searched)
        self._found.taken.connect(self._form.fill)
        self._form.kept.connect(self._on_kept)
        subscription = minds.bus.subscribe(SettingsChanged, self._on_settings)
        self.destroyed.connect(partial(Subscription.close, subscription))
        self.adapt_to(theme)

    def title(self) -> str:
        return self.tr("Models")

    def retranslate(self) -> None:
        super().retranslate()
        self._about.setText(
            self.tr(
                "A new conversation begins with the default. The header of a conversation says which model answers, "
                "and chooses another one."
            )
        )
        self._shown = None
        self._show_models()

    def dress(self) -> None:
        super().dress()
        self._list_column.setSpacing(self._theme.sizes.space_s)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._found.look()

    def _on_settings(self, _message: SettingsChanged) -> None:
        self._show_models()

    def _show_models(self) -> None:
        settings = self._minds.current
        state = (settings.models, settings.model)
        if state == self._shown:
            return
        self._shown = state
        focused = next((at for at, row in enumerate(self._rows) if row.has_focus()), None)
        for row in self._rows:
            self._list_column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = []
        known = list(settings.models)
        if settings.model is not None and not any(one.is_same(settings.model) for one in known):
            known.append(settings.model)
        for model in sorted(known, key=lambda one: one.label.casefold()):
            self._add(model, is_default=model.is_same(settings.model))
        self._add(None, is_default=settings.model is None)
        if focused is not None:
            self._rows[min(focused, len(self._rows) - 1)].take_focus()

    def _add(self, model: ModelChoice | None, *, is_default: bool) -> None:
        name = offline_words() if model is None else model.label
        row = MindRow(
            self._theme, name, is_default=is_default, can_remove=model is not None, can_edit=model is not None
        )
        if model is None:
            row.say(self.tr("Follows commands, without a key and without the network. Type help to see them."))
        else:
            row.say(model_note(model))
            row.edited.connect(partial(self._edit, model))
            row.removed.connect(partial(self._spawn_removal, model))
        row.made_default.connect(partial(self._make_default, model))
        self._list_column.addWidget(row)
        row.show()  # now, not when the layout comes to it: focus may go there
        self._rows.append(row)

    def _searched_list(self) -> str:
        return " ".join([self.tr("Default"), *(row.name for row in self._rows)])

    # Doing

    def _edit(self, model: ModelChoice) -> None:
        self._form.edit(model)
        self.ensureWidgetVisible(self._form)

    def _on_kept(self, model: ModelChoice) -> None:
        words = self.tr("{model} can be chosen.")
        is_default = model.is_same(self._minds.current.model)
        if is_default:
            words = self.tr("{model} can be chosen, and is the default.")
        self._told(Deed(lambda _: words.format(model=model.label)))

    def _make_default(self, model: ModelChoice | None) -> None:
        self._minds.spawn(self._set_default(model, self._minds.current.model), "set the default model")

    async def _set_default(self, model: ModelChoice | None, former: ModelChoice | None) -> None:
        if await self._change(model):
            self._told(
                Deed(
                    partial(self._default_words, model, former),
                    lambda: self._minds.spawn(self._change_again(former), "undo"),
                    lambda: self._minds.spawn(self._change_again(model), "redo"),
                )
            )

    def _default_words(self, model: ModelChoice | None, former: ModelChoice | None, is_undone: bool) -> str:
        holds = former if is_undone else model
        return self.tr("Default: {model}").format(model=offline_words() if holds is None else holds.label)

    async def _change_again(self, model: ModelChoice | None) -> None:
        await self._change(model)

    async def _change(self, model: ModelChoice | None) -> bool:
        return self._is_done(await self._minds.settings.change(model=model))

    def _spawn_removal(self, model: ModelChoice) -> None:
        self._minds.spawn(self._remove(model), "remove a model")

    async def _remove(self, model: ModelChoice) -> None:
        before = self._minds.current
        if self._is_done(await self._minds.providers.forget(model)):
            undo = partial(self._put_back, before.models, before.model)
            redo = partial(self._again_without, model)
            self._told(
                Deed(
                    partial(self._removed_words, model),
                    lambda: self._minds.spawn(undo(), "undo"),
                    lambda: self._minds.spawn(redo(), "redo"),
                )
            )

    def _removed_words(self, model: ModelChoice, is_undone: bool) -> str:
        words = self.tr("{model} can be chosen again.") if is_undone else self.tr("{model} is removed.")
        return words.format(model=model.label)

    async def _put_back(self, models: tuple[ModelChoice, ...], usual: ModelChoice | None) -> None:
        self._is_done(await self._minds.settings.change(models=models, model=usual))

    async def _again_without(self, model: ModelChoice) -> None:
        self._is_done(await self._minds.providers.forget(model))

    def _is_done(self, answer: object) -> bool:
        if isinstance(answer, Failed):
            words = refused_words(answer)
            self._told(Deed(lambda _: words, is_problem=True))
            return False
        return True
