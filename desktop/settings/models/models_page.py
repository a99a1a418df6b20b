"""What the pages of models and agents share."""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from core.bus import SettingsChanged
from core.domain.model import ModelChoice
from desktop.settings.models.local_servers import LocalServersCard
from desktop.settings.models.model_form import ModelForm
from desktop.settings.models.model_strings import model_refusal_text, model_summary
from desktop.settings.parts.banners import PendingRequestsBanner
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.theme.theme import Theme
from desktop.translation.agent_strings import offline_words


class ModelCatalogPage(ListPage[ItemRow]):
    """A list of models or agents."""

    def __init__(
        self,
        theme: Theme,
        page_id: PageId,
        minds: SettingsContext,
        told: Callable[[UndoableAction], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, page_id, minds.spawn, told, model_refusal_text, parent)
        self.minds = minds


class ModelsPage(ModelCatalogPage):
    """The list follows the settings, whoever changes them. Servers on this computer are looked for when it is shown."""

    def __init__(
        self,
        theme: Theme,
        minds: SettingsContext,
        told: Callable[[UndoableAction], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, PageId.MODELS, minds, told, parent)
        self._shown: tuple[object, ...] | None = None
        note = PendingRequestsBanner(theme, minds.waiting, PendingRequests.with_models)
        self.add(note, note.searched, above=self.list_)
        self._found = LocalServersCard(theme, minds)
        self._form = ModelForm(theme, minds)
        self.add(self._found, self._found.searched)
        self.add(self._form, self._form.searched)
        self._found.taken.connect(self._form.fill)
        self._form.kept.connect(self._on_kept)
        self.follow(minds.bus, SettingsChanged)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        self._shown = None
        super().retranslate()
        self.about.setText(
            self.tr(
                "A new conversation begins with the default. The header of a conversation says which model answers, "
                "and chooses another one."
            )
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._found.look()

    def show_list(self) -> None:
        settings = self.minds.current
        state = (settings.models, settings.model)
        if state == self._shown:
            return
        self._shown = state
        known = list(settings.models)
        if settings.model is not None and not any(one.is_same(settings.model) for one in known):
            known.append(settings.model)
        known.sort(key=lambda one: one.label.casefold())
        rows = [self._row(model, is_default=model.is_same(settings.model)) for model in known]
        rows.append(self._row(None, is_default=settings.model is None))
        self.show_rows({str(at): row for at, row in enumerate(rows)})

    def _row(self, model: ModelChoice | None, *, is_default: bool) -> ItemRow:
        name = offline_words() if model is None else model.label
        row = ItemRow(
            self._theme, name, is_default=is_default, can_remove=model is not None, can_edit=model is not None
        )
        if model is None:
            row.say(self.tr("Follows commands, without a key and without the network. Type help to see them."))
        else:
            row.say(model_summary(model))
            row.edited.connect(partial(self._edit, model))
            row.removed.connect(partial(self._spawn_removal, model))
        row.made_default.connect(partial(self._make_default, model))
        return row

    def searched_list(self) -> str:
        default = self.tr("Default")  # lupdate sees nothing within an f-string
        return f"{default} {super().searched_list()}"

    # Doing

    def _edit(self, model: ModelChoice) -> None:
        self._form.edit(model)
        self.ensureWidgetVisible(self._form)

    def _on_kept(self, model: ModelChoice) -> None:
        words = self.tr("{model} can be chosen.")
        is_default = model.is_same(self.minds.current.model)
        if is_default:
            words = self.tr("{model} can be chosen, and is the default.")
        self.told(UndoableAction(lambda _: words.format(model=model.label)))

    def _make_default(self, model: ModelChoice | None) -> None:
        self.minds.spawn(self._set_default(model, self.minds.current.model), "set the default model")

    async def _set_default(self, model: ModelChoice | None, former: ModelChoice | None) -> None:
        if await self._change(model):
            self.tell_change(
                partial(self._default_words, model, former),
                partial(self._change_again, former),
                partial(self._change_again, model),
            )

    def _default_words(self, model: ModelChoice | None, former: ModelChoice | None, is_undone: bool) -> str:
        holds = former if is_undone else model
        return self.tr("Default: {model}").format(model=offline_words() if holds is None else holds.label)

    async def _change_again(self, model: ModelChoice | None) -> None:
        await self._change(model)

    async def _change(self, model: ModelChoice | None) -> bool:
        return self.is_done(await self.minds.settings.change(model=model))

    def _spawn_removal(self, model: ModelChoice) -> None:
        self.minds.spawn(self._remove(model), "remove a model")

    async def _remove(self, model: ModelChoice) -> None:
        before = self.minds.current
        if self.is_done(await self.minds.providers.remove_model(model)):
            undo = partial(self._put_back, before.models, before.model)
            redo = partial(self._again_without, model)
            self.tell_change(partial(self._removed_words, model), undo, redo)

    def _removed_words(self, model: ModelChoice, is_undone: bool) -> str:
        words = self.tr("{model} can be chosen again.") if is_undone else self.tr("{model} is removed.")
        return words.format(model=model.label)

    async def _put_back(self, models: tuple[ModelChoice, ...], usual: ModelChoice | None) -> None:
        self.is_done(await self.minds.settings.change(models=models, model=usual))

    async def _again_without(self, model: ModelChoice) -> None:
        self.is_done(await self.minds.providers.remove_model(model))
