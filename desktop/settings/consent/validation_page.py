"""The Validation page: which tool calls need approval, exceptions, time limits and the audit log."""

from collections.abc import Callable, Sequence

from core.domain.settings import bounds
from core.domain.template import ValidationMode
from desktop.settings.consent.audit_log import AuditCard
from desktop.settings.consent.exceptions_card import ExceptionsCard
from desktop.settings.parts.banners import PendingRequestsBanner
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.setting_cards import ChoiceSetting, NumberSetting, SettingCard, SwitchSetting
from desktop.settings.parts.setting_strings import auto_mode_warning, choice_labels, setting_help
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.settings.sources.setting_sources import Setting
from desktop.widgets import Banner, ChoiceCards, Label, Paragraph

_CATEGORIES = (
    Setting.ASK_FOR_TOOLS,
    Setting.ASK_FOR_SUB_AGENTS,
    Setting.ASK_FOR_MCP,
    Setting.ASK_FOR_FILES,
    Setting.ASK_FOR_DATABASE,
)
_RISKS = (Setting.CONFIRM_HIGH_RISK, Setting.LOW_RISK_FREE_IN_SELECTIVE, Setting.LOW_RISK_FREE_IN_MANUAL)


class ValidationPage(Page):
    """The mode as cards with a banner (a warning for automatic mode), then categories and exceptions, risk, the time
    limit of requests, and the audit log.
    """

    page_id = PageId.VALIDATION

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._settings = context.settings
        self._about = Paragraph("", "label", "muted")
        self._cards = ChoiceCards(theme)
        self._warning = Banner(theme, "warning")
        self._info = Banner(theme, "info")
        for section in (self._about, self._cards, self._warning, self._info):
            self.add(section, self._search_text)
        note = PendingRequestsBanner(context, PendingRequests.with_modes)
        self.add(note, note.search_text, above=self._cards)
        for mode in ValidationMode:  # made before what follows them: Tab goes in the order of this
            self._cards.set_choice(mode, "", "")
        self._titles: list[tuple[Label, Callable[[], str]]] = []
        self._limits: list[SettingCard] = []
        self._add_rest(context)
        self._cards.chosen.connect(self._choose)
        self._settings.changed.connect(self.refresh)
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
        for label, text in self._titles:
            label.setText(text())
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
        """Show the current mode and how many workflows it allows."""
        self._cards.set_current(str(self._settings.value(Setting.VALIDATION_MODE)))
        self._warning.set_text(auto_mode_warning(int(self._settings.value(Setting.MAX_WORKFLOWS_AUTO) or 1)))
        for field in self._limits:
            field.set_in_use(bool(self._settings.value(Setting.CONSENT_EXPIRES)))
        self._show_banner()

    def _add_rest(self, context: SettingsContext) -> None:
        exceptions, audit = ExceptionsCard(context), AuditCard(context)
        groups: list[tuple[Callable[[], str], Sequence[SettingCard | ExceptionsCard | AuditCard]]] = [
            (
                lambda: self.tr("In selective mode"),
                [*(SwitchSetting(context, setting) for setting in _CATEGORIES), exceptions],
            ),
            (lambda: self.tr("Risk"), [SwitchSetting(context, setting) for setting in _RISKS]),
            (lambda: self.tr("Requests"), self._time_fields(context)),
            (
                lambda: self.tr("What was decided"),
                [_number_setting(context, Setting.AUDIT_DAYS, 1), audit],
            ),
        ]
        for text, parts in groups:
            title = Label("", "section", "muted")
            self._titles.append((title, text))
            self.add(title, text)
            for part in parts:
                self.add(part, part.search_text)

    def _time_fields(self, context: SettingsContext) -> list[SettingCard]:
        self._limits = [
            _number_setting(context, Setting.CONSENT_TIMEOUT_S, 10),
            ChoiceSetting(context, Setting.CONSENT_ON_TIMEOUT),
        ]
        return [SwitchSetting(context, Setting.CONSENT_EXPIRES), *self._limits]

    def _show_banner(self) -> None:
        is_auto = self._cards.current == ValidationMode.AUTO
        self._warning.setVisible(is_auto and not self._cards.isHidden())
        self._info.setVisible(not is_auto and not self._cards.isHidden())

    def _search_text(self) -> str:
        text = [*choice_labels(Setting.VALIDATION_MODE).values(), *self._sentences().values()]
        return " ".join([*text, self._about.text(), self._warning.text, self._info.text])

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
        for part in (self._warning, self._info, self._cards):  # the cards last: they win where not all fit
            if part.isVisible():
                self.ensureWidgetVisible(part)


def _number_setting(context: SettingsContext, setting: Setting, step: int) -> NumberSetting:
    return NumberSetting(context, setting, *bounds(setting), step)
