"""How the window looks, which language it speaks, and how it takes what is written."""

from PySide6.QtWidgets import QWidget

from desktop.settings.field import Field
from desktop.settings.fields import ChoiceField, NumberField, SwitchField
from desktop.settings.page import Page
from desktop.settings.page_names import PageId
from desktop.settings.values import Setting, Source
from desktop.theme.theme import Theme
from desktop.window_state import LEAST_ZOOM, MOST_ZOOM

_PERCENT = 100
_STEP = 10


class AppearancePage(Page):
    """Theme, language, text size, motion, and the key that sends."""

    def __init__(self, theme: Theme, settings: Source, parent: QWidget | None = None) -> None:
        super().__init__(theme, PageId.APPEARANCE, parent)
        least, most = LEAST_ZOOM * _PERCENT, MOST_ZOOM * _PERCENT
        fields: list[Field] = [
            ChoiceField(theme, settings, Setting.SCHEME),
            ChoiceField(theme, settings, Setting.LANGUAGE),
            NumberField(theme, settings, Setting.ZOOM, least, most, _STEP, scale=_PERCENT),
            SwitchField(theme, settings, Setting.REDUCED_MOTION),
            ChoiceField(theme, settings, Setting.ENTER_SENDS),
        ]
        for field in fields:
            self.add(field, field.searched)
        self.adapt_to(theme)
