"""Pages that only consist of setting cards: appearance and limits."""

from core.domain.settings import bounds
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.setting_cards import ChoiceSetting, NumberSetting, SettingCard, SwitchSetting
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.setting_sources import Setting
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
    """Concurrency and write intervals, within the bounds of the core."""

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
        self.adapt_to(context.theme)
