"""The servers on this computer that answer: offered, never chosen by themselves."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.services.outcome import Ok
from desktop.settings.sources.context import SettingsContext
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
from desktop.widgets.visibility import show_when


class LocalServersCard(Adaptive, Card):
    """`taken` tells the preset, the address and the models of one that a person took."""

    taken = Signal(str, str, list)

    def __init__(self, theme: Theme, minds: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._minds = minds
        self._is_looking = False
        self._found: list[tuple[str, str, str, list[str]]] = []
        self._buttons: list[Button] = []
        self._title = Paragraph("", "title")
        self._words = Paragraph("", "label", "muted")
        self._again = Button(theme, kind="link", icon=Icon.REFRESH_CW, is_small=True)
        self._again.clicked.connect(self.look)
        self._column, self._head = QVBoxLayout(self), QHBoxLayout()
        self._head.addWidget(self._title, 1)
        self._head.addWidget(self._again)
        self._column.addLayout(self._head)
        self._column.addWidget(self._words)
        self.adapt_to(theme)

    def look(self) -> None:
        """Ask those addresses where such servers usually are."""
        if not self._is_looking:
            self._is_looking = True
            self.retranslate()
            self._minds.spawn(self._look(), "look for servers")

    def searched(self) -> str:
        return f"{self._title.text()} {self._words.text()}"

    def retranslate(self) -> None:
        self._title.setText(self.tr("Found on this computer"))
        self._again.setText(self.tr("Look again"))
        self._again.setEnabled(not self._is_looking)
        self._words.setText(self._sentence())
        show_when(self._words, bool(self._words.text()))
        for button, (_, title, _, models) in zip(self._buttons, self._found, strict=True):
            button.setText(self.tr("{server}: %n model(s)", "", len(models)).format(server=title))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_m, sizes.space_m)
        self._column.setSpacing(sizes.space_s)

    def _sentence(self) -> str:
        if self._is_looking and not self._found:
            return self.tr("Looking…")
        if not self._found:
            return self.tr("None of Ollama, LM Studio, llama.cpp and vLLM answers here.")
        return self.tr("Take one to choose a model of it. Nothing leaves this computer then.")

    async def _look(self) -> None:
        try:
            answer = await self._minds.providers.discover()
        finally:
            self._is_looking = False
        servers = answer.data if isinstance(answer, Ok) else []
        for button in self._buttons:
            self._column.removeWidget(button)
            button.deleteLater()
        self._found = [
            (one.preset.id, one.preset.title, one.preset.base_url, [model.id for model in one.models])
            for one in servers
        ]
        self._buttons = []
        for preset_id, _, base_url, models in self._found:
            button = Button(self._theme, parent=self)
            button.clicked.connect(partial(self.taken.emit, preset_id, base_url, models))
            self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            button.show()  # now, not when the layout comes to it: a key may be meant for it
            self._buttons.append(button)
        self.retranslate()
