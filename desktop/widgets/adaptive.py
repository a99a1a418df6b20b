"""Following the theme and the language: what a widget of ours does when one of them changes."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from desktop.theme.theme import Theme

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # a mixin: the Qt class comes from the other base


class Adaptive(_Widget):
    """Stands before the Qt class: `class Sidebar(Adaptive, QFrame)`.

    The widget overrides `retranslate` to set its words and `dress` to set what it took from the theme, mostly
    lengths (style sheet, live icons and what is read while painting follow by themselves). The `__init__` of the
    last class ends with `adapt_to`; a class to derive from leaves that to those who derive, since it calls what
    they override.
    """

    def adapt_to(self, theme: Theme) -> None:
        """Calls both now, and each again when the language or the theme changes, shown or not."""
        self.retranslate()
        self.apply_theme()
        theme.changed.connect(self.apply_theme)

    def retranslate(self) -> None:
        """Sets every word that the widget shows by itself."""

    def apply_theme(self) -> None:
        """Sets lengths and whatever else was taken from the theme."""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
