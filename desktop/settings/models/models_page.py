"""The Models page: connected models, and model servers found on this computer."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.domain.model import ModelChoice
from core.services.outcome import Failed, Ok
from desktop.operations import unwrap
from desktop.settings.models.authorities_card import AuthoritiesCard
from desktop.settings.models.model_form import ModelForm
from desktop.settings.models.model_strings import model_refusal_text, model_summary
from desktop.settings.parts.banners import PendingRequestsBanner
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.theme import Icon
from desktop.translation import offline_agent_name
from desktop.widgets import Adaptive, Button, Card, Paragraph, show_when


class _FoundServer(NamedTuple):
    preset_id: str
    title: str
    base_url: str
    models: list[str]


class LocalServersCard(Adaptive, Card):
    """Emits `chosen` with preset, address and models of the server that the user chose."""

    chosen = Signal(str, str, list)

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._context = context
        self._theme = theme = context.theme
        self._is_searching = False
        self._servers: Sequence[_FoundServer] = ()
        self._buttons: list[Button] = []
        self._title = Paragraph("", "title")
        self._help = Paragraph("", "label", "muted")
        self._search_button = Button(theme, kind="link", icon=Icon.REFRESH_CW, is_small=True)
        self._search_button.clicked.connect(self.search)
        self._column, self._header = QVBoxLayout(self), QHBoxLayout()
        self._header.addWidget(self._title, 1)
        self._header.addWidget(self._search_button)
        self._column.addLayout(self._header)
        self._column.addWidget(self._help)
        self.adapt_to(theme)

    def search(self) -> None:
        """Probe the default addresses of local model servers."""
        if not self._is_searching:
            self._is_searching = True
            self.retranslate()
            self._context.operations.run(
                self._discover(), "look for servers", success=self._show, failure=self._show_none
            )

    def search_text(self) -> str:
        return f"{self._title.text()} {self._help.text()}"

    def retranslate(self) -> None:
        self._title.setText(self.tr("Found on this computer"))
        self._search_button.setText(self.tr("Look again"))
        self._search_button.setEnabled(not self._is_searching)
        self._help.setText(self._help_text())
        show_when(self._help, bool(self._help.text()))
        for button, server in zip(self._buttons, self._servers, strict=True):
            text = self.tr("{server}: %n model(s)", "", len(server.models))
            button.setText(text.format(server=server.title))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_m, sizes.space_m)
        self._column.setSpacing(sizes.space_s)

    def _help_text(self) -> str:
        if self._is_searching and not self._servers:
            return self.tr("Looking…")
        if not self._servers:
            return self.tr("None of Ollama, LM Studio, llama.cpp and vLLM answers here.")
        return self.tr("Take one to choose a model of it. Nothing leaves this computer then.")

    async def _discover(self) -> Ok[list[_FoundServer]]:
        try:
            servers = unwrap(await self._context.providers.discover())
        finally:
            self._is_searching = False
        found = []
        for server in servers:
            preset, models = server.preset, [model.id for model in server.models]
            found.append(_FoundServer(preset.id, preset.title, preset.base_url, models))
        return Ok(found)

    def _show_none(self, _failed: Failed) -> None:
        self._show([])

    def _show(self, servers: Sequence[_FoundServer]) -> None:
        for button in self._buttons:
            self._column.removeWidget(button)
            button.deleteLater()
        self._servers, self._buttons = servers, []
        for server in servers:
            button = Button(self._theme, parent=self)
            button.clicked.connect(partial(self.chosen.emit, server.preset_id, server.base_url, server.models))
            self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            button.show()  # the layout would show it later, but a key may be meant for it
            self._buttons.append(button)
        self.retranslate()


class ModelsPage(ListPage[ItemRow]):
    """Follows the settings, and looks for local servers each time that it is shown."""

    page_id = PageId.MODELS

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._shown: tuple[object, ...] | None = None
        note = PendingRequestsBanner(context, PendingRequests.with_models)
        self.add(note, note.search_text, above=self.list_)
        self._local_servers = LocalServersCard(context)
        self._form = ModelForm(context)
        self.add(self._local_servers, self._local_servers.search_text)
        self.add(self._form, self._form.search_text)
        authorities = AuthoritiesCard(context)
        self.add(authorities, authorities.search_text)
        self._local_servers.chosen.connect(self._form.fill)
        self._form.saved.connect(self._on_saved)
        self.follow(context.core_settings.changed)
        self.adapt_to(context.theme)

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
        self._local_servers.search()

    def show_list(self) -> None:
        settings = self._context.current
        state = (settings.models, settings.model)
        # New rows would lose the focus, and most changes of settings are about something else.
        if state == self._shown:
            return
        self._shown = state
        known = list(settings.models)
        if settings.model is not None and not any(model.is_same(settings.model) for model in known):
            # The default need not be among the listed models.
            known.append(settings.model)
        known.sort(key=lambda model: model.label.casefold())
        rows = [self._row(model, is_default=model.is_same(settings.model)) for model in known]
        rows.append(self._row(None, is_default=settings.model is None))
        self.show_rows({str(at): row for at, row in enumerate(rows)})

    def _row(self, model: ModelChoice | None, *, is_default: bool) -> ItemRow:
        name = offline_agent_name() if model is None else model.label
        is_model = model is not None
        row = ItemRow(self._theme, name, is_default=is_default, can_remove=is_model, can_edit=is_model)
        if model is None:
            row.set_summary(self.tr("Follows commands, without a key and without the network. Type help to see them."))
        else:
            row.set_summary(model_summary(model))
            row.edit_requested.connect(partial(self._edit, model))
            row.remove_requested.connect(partial(self._remove, model))
        row.default_requested.connect(partial(self._make_default, model))
        return row

    def list_search_text(self) -> str:
        default = self.tr("Default")  # lupdate sees nothing within an f-string
        return f"{default} {super().list_search_text()}"

    def failure_text(self, failed: Failed) -> str:
        return model_refusal_text(failed)

    def begin_adding(self) -> None:
        """Focus the first field of the form that adds a model."""
        self.ensureWidgetVisible(self._form)
        self._form.focus_first()

    # Changes

    def _edit(self, model: ModelChoice) -> None:
        self._form.edit(model)
        self.ensureWidgetVisible(self._form)

    def _on_saved(self, model: ModelChoice) -> None:
        text = self.tr("{model} can be chosen.")
        if model.is_same(self._context.current.model):
            text = self.tr("{model} can be chosen, and is the default.")
        self.report(text.format(model=model.label))

    def _make_default(self, model: ModelChoice | None) -> None:
        former, change = self._context.current.model, self._context.core_settings.change
        self.change(
            partial(change, model=model), partial(change, model=former), partial(self._default_text, model, former)
        )

    def _default_text(self, model: ModelChoice | None, former: ModelChoice | None, is_undone: bool) -> str:
        default = former if is_undone else model
        return self.tr("Default: {model}").format(model=offline_agent_name() if default is None else default.label)

    def _remove(self, model: ModelChoice) -> None:
        before = self._context.current
        restore = partial(self._context.core_settings.change, models=before.models, model=before.model)
        self.change(partial(self._context.providers.remove_model, model), restore, partial(self._removed_text, model))

    def _removed_text(self, model: ModelChoice, is_undone: bool) -> str:
        text = self.tr("{model} can be chosen again.") if is_undone else self.tr("{model} is removed.")
        return text.format(model=model.label)
