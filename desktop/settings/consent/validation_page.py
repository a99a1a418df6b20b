"""Which tool calls wait for a person, what that means for several workflows at once, and what was decided."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from core.domain.settings import bounds
from core.domain.template import ValidationMode
from desktop.settings.consent.audit_log import AuditCard
from desktop.settings.consent.exceptions_card import ExceptionsCard
from desktop.settings.parts.banners import PendingRequestsBanner
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.setting_cards import ChoiceSetting, NumberSetting, SettingCard, SwitchSetting
from desktop.settings.parts.setting_strings import choice_labels, setting_help
from desktop.settings.sources.consent_source import ConsentSource
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.settings.sources.setting_sources import Setting, SettingsSource
from desktop.theme.theme import Theme
from desktop.widgets.banner import Banner
from desktop.widgets.choices import ChoiceCards
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph

_CATEGORIES = (
    Setting.ASK_FOR_TOOLS,
    Setting.ASK_FOR_SUB_AGENTS,
    Setting.ASK_FOR_MCP,
    Setting.ASK_FOR_FILES,
    Setting.ASK_FOR_DATABASE,
)
_RISKS = (Setting.CONFIRM_HIGH_RISK, Setting.LOW_RISK_FREE_IN_SELECTIVE, Setting.LOW_RISK_FREE_IN_MANUAL)


class ValidationPage(Page):
    """Three cards and the banner of the mode that holds: a warning for automatic, information for the others. Below:
    categories and exceptions, risk, the time limit of a request, and the audit log."""

    def __init__(
        self,
        theme: Theme,
        settings: SettingsSource,
        consents: ConsentSource,
        waiting: PendingRequests | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, PageId.VALIDATION, parent)
        self._settings = settings
        self._about = Paragraph("", "label", "muted")
        self._cards = ChoiceCards(theme)
        self._warning = Banner(theme, "warning")
        self._info = Banner(theme, "info")
        for section in (self._about, self._cards, self._warning, self._info):
            self.add(section, self._searched)
        note = PendingRequestsBanner(theme, waiting, PendingRequests.with_modes)
        self.add(note, note.searched, above=self._cards)
        for mode in ValidationMode:  # made before what follows them: Tab goes in the order of this
            self._cards.set_choice(mode, "", "")
        self._titles: list[tuple[Label, Callable[[], str]]] = []
        self._limits: list[SettingCard] = []
        self._add_rest(theme, settings, consents)
        self._cards.chosen.connect(self._choose)
        settings.changed.connect(self.refresh)
        self.adapt_to(theme)

    def filter(self, query: str) -> bool:
        is_found = super().filter(query)
        self._show_banner()
        return is_found

    def retranslate(self) -> None:
        super().retranslate()
        self._about.setText(setting_help(Setting.VALIDATION_MODE))
        titles = choice_labels(Setting.VALIDATION_MODE)
        for mode, sentence in self._sentences().items():
            self._cards.set_choice(mode, titles[mode], sentence)
        self._cards.setAccessibleName(self.title())
        for label, words in self._titles:
            label.setText(words())
        self._info.set_text(
            self.tr(
                "This mode requires human validation. Multi-workflow is not available - only one workflow can run "
                "at a time."
            )
        )
        self.refresh()

    def apply_theme(self) -> None:
        super().apply_theme()
        for label, _ in self._titles:
            label.setContentsMargins(0, self._theme.sizes.space_m, 0, 0)

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
        for field in self._limits:
            field.set_in_use(bool(self._settings.value(Setting.CONSENT_EXPIRES)))
        self._show_banner()

    def _add_rest(self, theme: Theme, settings: SettingsSource, consents: ConsentSource) -> None:
        exceptions, audit = ExceptionsCard(theme, consents), AuditCard(theme, consents)
        groups: list[tuple[Callable[[], str], Sequence[SettingCard | ExceptionsCard | AuditCard]]] = [
            (
                lambda: self.tr("In selective mode"),
                [*(SwitchSetting(theme, settings, setting) for setting in _CATEGORIES), exceptions],
            ),
            (lambda: self.tr("Risk"), [SwitchSetting(theme, settings, setting) for setting in _RISKS]),
            (lambda: self.tr("Requests"), self._time_fields(theme, settings)),
            (
                lambda: self.tr("What was decided"),
                [self._number_field(theme, settings, Setting.AUDIT_DAYS, 1), audit],
            ),
        ]
        for words, parts in groups:
            title = Label("", "section", "muted")
            self._titles.append((title, words))
            self.add(title, words)
            for part in parts:
                self.add(part, part.searched)

    def _time_fields(self, theme: Theme, settings: SettingsSource) -> list[SettingCard]:
        self._limits = [
            self._number_field(theme, settings, Setting.CONSENT_TIMEOUT_S, 10),
            ChoiceSetting(theme, settings, Setting.CONSENT_ON_TIMEOUT),
        ]
        return [SwitchSetting(theme, settings, Setting.CONSENT_EXPIRES), *self._limits]

    def _number_field(self, theme: Theme, settings: SettingsSource, setting: Setting, step: int) -> NumberSetting:
        return NumberSetting(theme, settings, setting, *bounds(setting), step)

    def _show_banner(self) -> None:
        is_auto = self._cards.current == ValidationMode.AUTO
        self._warning.setVisible(is_auto and not self._cards.isHidden())
        self._info.setVisible(not is_auto and not self._cards.isHidden())

    def _searched(self) -> str:
        words = [*choice_labels(Setting.VALIDATION_MODE).values(), *self._sentences().values()]
        return " ".join([*words, self._about.text(), self._warning.text, self._info.text])

    def _sentences(self) -> dict[ValidationMode, str]:
        return {
            ValidationMode.AUTO: self.tr("Operations run without asking you."),
            ValidationMode.MANUAL: self.tr("Every tool call waits for your approval."),
            ValidationMode.SELECTIVE: self.tr(
                "By category: at first, sub-agents, MCP servers, files and the database wait for your approval."
            ),
        }

    def _choose(self, mode: str) -> None:
        self._settings.set(Setting.VALIDATION_MODE, mode)
        for part in (self._warning, self._info, self._cards):  # the last one first, where not all have room
            if part.isVisible():
                self.ensureWidgetVisible(part)
