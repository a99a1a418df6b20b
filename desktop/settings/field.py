"""A setting on a card: its name, what it is about, and its control."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from desktop.settings.values import Setting, Source
from desktop.settings.words import setting_help, setting_name
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card


class Field(Adaptive, Card):
    """The control stands at the right of the words, or below them where there is no room.

    A class to derive from, which makes the control, places it and overrides `refresh`.
    """

    def __init__(self, theme: Theme, settings: Source, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self._theme = theme
        self._settings = settings
        self._control: QWidget | None = None
        self._name = Paragraph("", "strong")
        self._help = Paragraph("", "label", "muted")
        self._words = QVBoxLayout()
        self._words.addWidget(self._name)
        self._words.addWidget(self._help)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.addLayout(self._words, 1)
        settings.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Has the control show the value of now, without telling of it."""
        raise NotImplementedError

    def set_in_use(self, is_in_use: bool) -> None:
        """Whether the value means anything now: else it can be read, and not changed."""
        if self._control is not None:
            self._control.setEnabled(is_in_use)

    def searched(self) -> str:
        """The words that it is found by."""
        return f"{self._name.text()} {self._help.text()}"

    def retranslate(self) -> None:
        self._name.setText(setting_name(self.setting))
        self._help.setText(setting_help(self.setting))
        if self._control is not None:
            self._control.setAccessibleName(self._name.text())
            self._control.setAccessibleDescription(self._help.text())
        self._arrange()

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._box.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._box.setSpacing(sizes.space_m)
        self._words.setSpacing(sizes.space_xs // 2)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _place(self, control: QWidget) -> None:
        self._control = control
        self._box.addWidget(control)

    def _arrange(self) -> None:
        if self._control is None:
            return
        sizes = self._theme.sizes
        wanted = sizes.user_bubble // 2 + self._control.sizeHint().width() + 2 * sizes.space_l + sizes.space_m
        is_wide = self.width() >= wanted
        directions, sides = QBoxLayout.Direction, Qt.AlignmentFlag
        self._box.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        self._box.setAlignment(self._control, sides.AlignRight | sides.AlignVCenter if is_wide else sides.AlignLeft)
