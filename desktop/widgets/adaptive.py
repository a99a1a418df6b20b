"""Widgets that follow the theme and the language."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # a mixin: the Qt class comes from the other base


class Adaptive(_Widget):
    """A mixin that stands before the Qt class: `class Sidebar(Adaptive, QFrame)`.

    The widget overrides `retranslate` to set its texts and `apply_theme` to set what it read from the theme, mostly
    lengths (style sheet, live icons and values read while painting follow by themselves). The `__init__` of the most
    derived class ends with `adapt_to`; a base class leaves the call to its subclasses, since it runs their overrides.
    """

    def adapt_to(self, theme: Theme) -> None:
        """Call both hooks now, and again when the language or the theme changes, visible or not."""
        self.retranslate()
        self.apply_theme()
        theme.changed.connect(self.apply_theme)

    def retranslate(self) -> None:
        """Set every text that the widget shows by itself."""

    def apply_theme(self) -> None:
        """Set lengths and other values read from the theme."""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
