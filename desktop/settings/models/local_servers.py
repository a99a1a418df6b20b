"""Model servers that answer on this computer, offered for connection."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.services.outcome import Failed, Ok
from desktop.operations import unwrap
from desktop.settings.sources.context import SettingsContext
from desktop.theme.icon_names import Icon
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
from desktop.widgets.visibility import show_when


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
