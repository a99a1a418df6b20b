"""Which tool calls wait for a person, and what that means for several workflows at once."""

from PySide6.QtWidgets import QWidget

from core.domain.template import ValidationMode
from desktop.settings.page import Page, PageId
from desktop.settings.values import Setting, Source
from desktop.settings.words import choice_words, setting_help
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.banner import Banner
from desktop.widgets.choice_cards import ChoiceCards
from desktop.widgets.paragraph import Paragraph


class ValidationPage(Page):
    """Three cards and the banner of the mode that holds: a warning for automatic, information for the others."""

    def __init__(self, theme: Theme, settings: Source, parent: QWidget | None = None) -> None:
        super().__init__(theme, PageId.VALIDATION, Icon.SHIELD, parent)
        self._settings = settings
        self._about = Paragraph("", "label", "muted")
        self._cards = ChoiceCards(theme)
        self._warning = Banner(theme, "warning")
        self._info = Banner(theme, "info")
        for section in (self._about, self._cards, self._warning, self._info):
            self.add(section, self._searched)
        self._cards.chosen.connect(self._choose)
        settings.changed.connect(self.refresh)
        self.adapt_to(theme)

    def title(self) -> str:
        return self.tr("Validation")

    def filter(self, query: str) -> bool:
        is_found = super().filter(query)
        self._show_banner()
        return is_found

    def retranslate(self) -> None:
        super().retranslate()
        self._about.setText(setting_help(Setting.VALIDATION_MODE))
        titles = choice_words(Setting.VALIDATION_MODE)
        for mode, sentence in self._sentences().items():
            self._cards.set_choice(mode, titles[mode], sentence)
        self._cards.setAccessibleName(self.title())
        self._info.set_text(
            self.tr(
                "This mode requires human validation. Multi-workflow is not available - only one workflow can run "
                "at a time."
            )
        )
        self.refresh()

    def refresh(self) -> None:
        """Shows the mode that holds, and how many workflows it lets run."""
        self._cards.set_current(str(self._settings.value(Setting.VALIDATION_MODE)))
        self._warning.set_text(
            self.tr(
                "Automatic mode: operations will be approved without confirmation. Multi-workflow mode (up to %n at "
                "once) will be available. Make sure that you understand the security risks.",
                "",
                int(self._settings.value(Setting.MAX_WORKFLOWS_AUTO)),
            )
        )
        self._show_banner()

    def _show_banner(self) -> None:
        is_auto = self._cards.current == ValidationMode.AUTO
        self._warning.setVisible(is_auto and not self._cards.isHidden())
        self._info.setVisible(not is_auto and not self._cards.isHidden())

    def _searched(self) -> str:
        words = [*choice_words(Setting.VALIDATION_MODE).values(), *self._sentences().values()]
        return " ".join([*words, self._about.text(), self._warning.text, self._info.text])

    def _sentences(self) -> dict[ValidationMode, str]:
        return {
            ValidationMode.AUTO: self.tr("Operations run without asking you."),
            ValidationMode.MANUAL: self.tr("Every tool call waits for your approval."),
            ValidationMode.SELECTIVE: self.tr(
                "Sub-agents, MCP servers, files and the database wait for your approval."
            ),
        }

    def _choose(self, mode: str) -> None:
        self._settings.set(Setting.VALIDATION_MODE, mode)
        for part in (self._warning, self._info, self._cards):  # the last one first, where not all have room
            if part.isVisible():
                self.ensureWidgetVisible(part)
