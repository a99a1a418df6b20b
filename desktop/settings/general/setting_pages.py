"""Pages that consist of setting cards: appearance, limits and notifications."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout

from core.domain.settings import NotifyLevel, bounds
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.setting_cards import (
    ChoiceSetting,
    DollarSetting,
    ListSetting,
    NumberSetting,
    SettingCard,
    SwitchSetting,
)
from desktop.settings.parts.setting_strings import choice_labels, setting_help, setting_label
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.notifier import NotificationChannel, TrialState
from desktop.settings.sources.setting_sources import Setting
from desktop.theme import Icon
from desktop.widgets import Button, Card, ChoiceCards, Label, Paragraph, announce
from desktop.window_state import LEAST_ZOOM, MOST_ZOOM

_PERCENT = 100
_STEP = 10


class AppearancePage(Page):
    """Theme, language, text size, motion, and the key that sends a message."""

    page_id = PageId.APPEARANCE

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        minimum, maximum = LEAST_ZOOM * _PERCENT, MOST_ZOOM * _PERCENT
        cards: list[SettingCard] = [
            ChoiceSetting(context, Setting.SCHEME),
            ChoiceSetting(context, Setting.LANGUAGE),
            NumberSetting(context, Setting.ZOOM, minimum, maximum, _STEP, scale=_PERCENT),
            SwitchSetting(context, Setting.REDUCED_MOTION),
            ChoiceSetting(context, Setting.ENTER_SENDS),
        ]
        for card in cards:
            self.add(card, card.search_text)
        self.adapt_to(context.theme)


class LimitsPage(Page):
    """Concurrency, write intervals, rounds and spending, within the bounds of the core."""

    page_id = PageId.LIMITS

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        steps = {
            Setting.MAX_RUNNING_RUNS: (1.0, 0),
            Setting.MAX_WORKFLOWS_AUTO: (1.0, 0),
            Setting.STREAM_WRITE_INTERVAL_S: (0.1, 2),
        }
        for setting, (step, decimals) in steps.items():
            card = NumberSetting(context, setting, *bounds(setting), step, decimals=decimals)
            self.add(card, card.search_text)
        rounds = SwitchSetting(context, Setting.ASK_AT_ROUND_LIMIT)
        self.add(rounds, rounds.search_text)
        for setting in (Setting.RUN_SPENDING_LIMIT, Setting.DAY_SPENDING_LIMIT):
            dollars = DollarSetting(context, setting, bounds(setting)[1])
            self.add(dollars, dollars.search_text)
        self.adapt_to(context.theme)


class NotificationsPage(Page):
    """The only place that reports a missing notification service."""

    page_id = PageId.NOTIFICATIONS

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._notifier = context.notifier
        self._settings = context.settings
        self._about = Paragraph("", "label", "muted")
        self._levels = ChoiceCards(theme)
        for level in NotifyLevel:  # made before what follows them: Tab goes in the order of this
            self._levels.set_choice(level, "", "")
        for section in (self._about, self._levels):
            self.add(section, self._levels_search_text)
        self._reminder = ListSetting(context, Setting.REMIND_AFTER_MIN)
        self.add(self._reminder, self._reminder.search_text)
        card = Card()
        self._delivery_title = Label("", "strong")
        self._channel = Paragraph("", "label", "muted")
        self._test_button = Button(theme, icon=Icon.BELL, is_small=True)
        self._result = Paragraph("", "label", "muted")
        self._delivery_column = QVBoxLayout(card)
        for part in (self._delivery_title, self._channel):
            self._delivery_column.addWidget(part)
        self._delivery_column.addWidget(self._test_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._delivery_column.addWidget(self._result)
        self.add(card, self._search_text)
        self._levels.chosen.connect(self._choose)
        self._settings.changed.connect(self.refresh)
        self._test_button.clicked.connect(self._notifier.send_test)
        self._notifier.changed.connect(self.refresh)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self._about.setText(setting_help(Setting.NOTIFY))
        titles = choice_labels(Setting.NOTIFY)
        for level, sentence in self._sentences().items():
            self._levels.set_choice(level, titles[level], sentence)
        self._levels.setAccessibleName(setting_label(Setting.NOTIFY))
        self._delivery_title.setText(self.tr("How they reach you"))
        self._test_button.setText(self.tr("Send a test"))
        self.refresh()

    def apply_theme(self) -> None:
        super().apply_theme()
        sizes = self._theme.sizes
        self._delivery_column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._delivery_column.setSpacing(sizes.space_s)

    def refresh(self) -> None:
        """Show the current level, channel and test result; announce a new test result."""
        self._levels.set_current(str(self._settings.value(Setting.NOTIFY)))
        self._channel.setText(self._channel_text())
        self._channel.set_tone("warn" if self._notifier.channel is NotificationChannel.NONE else "muted")
        self._test_button.setEnabled(self._notifier.trial_state is not TrialState.SENT)
        text = self._trial_text()
        self._result.setVisible(bool(text))
        if text != self._result.text():
            self._result.setText(text)
            if text:
                announce(self, text)

    def _choose(self, level: str) -> None:
        self._settings.set(Setting.NOTIFY, level)

    def _sentences(self) -> dict[NotifyLevel, str]:
        return {
            NotifyLevel.EVERYTHING: self.tr("When a workflow needs you, finishes or fails."),
            NotifyLevel.QUESTIONS_AND_FAILURES: self.tr("When a workflow needs you or fails."),
            NotifyLevel.QUESTIONS: self.tr("When a workflow waits for your answer or approval."),
            NotifyLevel.OFF: self.tr("The window alone tells you, and its inbox."),
        }

    def _levels_search_text(self) -> str:
        text = [*choice_labels(Setting.NOTIFY).values(), *self._sentences().values()]
        return " ".join([setting_label(Setting.NOTIFY), self._about.text(), *text])

    def _channel_text(self) -> str:
        match self._notifier.channel:
            case NotificationChannel.LOOKING:
                return self.tr("Looking for the notification service of your desktop…")
            case NotificationChannel.DESKTOP:
                return self.tr("Your desktop shows them. A click on one brings its workflow.")
            case NotificationChannel.UNCLICKABLE:
                return self.tr("Your desktop shows them, but tells of no click: open the inbox to get there.")
            case NotificationChannel.TRAY:
                return self.tr("They are shown by the icon in the tray. A click on one brings its workflow.")
            case NotificationChannel.NONE:
                return self.tr(
                    "No notification service was found here, so nothing is shown outside the window. The inbox has "
                    "everything."
                )

    def _trial_text(self) -> str:
        match self._notifier.trial_state:
            case TrialState.NONE:
                return ""
            case TrialState.SENT:
                return self.tr("Sending…")
            case TrialState.SHOWN:
                return self.tr("Sent. If you see nothing, look at “do not disturb” in the settings of your desktop.")
            case TrialState.FAILED:
                return self.tr("Nobody showed it. Is a notification service running? Then try again.")

    def _search_text(self) -> str:
        return " ".join(part.text() for part in (self._delivery_title, self._channel, self._test_button))
