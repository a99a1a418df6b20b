"""How much runs at once, and how often it is written down."""

from PySide6.QtWidgets import QWidget

from core.domain.settings import bounds
from desktop.settings.fields import NumberField
from desktop.settings.page import Page
from desktop.settings.page_names import PageId
from desktop.settings.values import Setting, Source
from desktop.theme.theme import Theme


class LimitsPage(Page):
    """The bounds are those of the core."""

    def __init__(self, theme: Theme, settings: Source, parent: QWidget | None = None) -> None:
        super().__init__(theme, PageId.LIMITS, parent)
        steps = {
            Setting.MAX_RUNNING_RUNS: (1.0, 0),
            Setting.MAX_WORKFLOWS_AUTO: (1.0, 0),
            Setting.STREAM_WRITE_INTERVAL_S: (0.1, 2),
        }
        for setting, (step, decimals) in steps.items():
            field = NumberField(theme, settings, setting, *bounds(setting), step, decimals=decimals)
            self.add(field, field.searched)
        self.adapt_to(theme)
