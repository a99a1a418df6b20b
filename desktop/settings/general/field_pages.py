"""How the window looks, which language it speaks, and how it takes what is written."""

from PySide6.QtWidgets import QWidget

from core.domain.settings import bounds
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.setting_cards import ChoiceSetting, NumberSetting, SettingCard, SwitchSetting
from desktop.settings.sources.setting_sources import Setting, SettingsSource
from desktop.theme.theme import Theme
from desktop.window_state import LEAST_ZOOM, MOST_ZOOM

_PERCENT = 100
_STEP = 10


class AppearancePage(Page):
    """Theme, language, text size, motion, and the key that sends."""

    def __init__(self, theme: Theme, settings: SettingsSource, parent: QWidget | None = None) -> None:
        super().__init__(theme, PageId.APPEARANCE, parent)
        least, most = LEAST_ZOOM * _PERCENT, MOST_ZOOM * _PERCENT
        fields: list[SettingCard] = [
            ChoiceSetting(theme, settings, Setting.SCHEME),
            ChoiceSetting(theme, settings, Setting.LANGUAGE),
            NumberSetting(theme, settings, Setting.ZOOM, least, most, _STEP, scale=_PERCENT),
            SwitchSetting(theme, settings, Setting.REDUCED_MOTION),
            ChoiceSetting(theme, settings, Setting.ENTER_SENDS),
        ]
        for field in fields:
            self.add(field, field.searched)
        self.adapt_to(theme)


class LimitsPage(Page):
    """The bounds are those of the core."""

    def __init__(self, theme: Theme, settings: SettingsSource, parent: QWidget | None = None) -> None:
        super().__init__(theme, PageId.LIMITS, parent)
        steps = {
            Setting.MAX_RUNNING_RUNS: (1.0, 0),
            Setting.MAX_WORKFLOWS_AUTO: (1.0, 0),
            Setting.STREAM_WRITE_INTERVAL_S: (0.1, 2),
        }
        for setting, (step, decimals) in steps.items():
            field = NumberSetting(theme, settings, setting, *bounds(setting), step, decimals=decimals)
            self.add(field, field.searched)
        self.adapt_to(theme)
