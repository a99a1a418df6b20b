"""A setting on a card: its name, what it is about, and its control."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QVBoxLayout, QWidget

from desktop.settings.parts.editors import NumberBox
from desktop.settings.parts.setting_strings import choice_labels, setting_help, setting_label, unit_suffix
from desktop.settings.sources.setting_sources import Setting, SettingsSource
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.choices import Segmented
from desktop.widgets.combo_box import ComboBox
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card


class SettingCard(Adaptive, Card):
    """The control stands at the right of the words, or below them where there is no room.

    A class to derive from, which makes the control, places it and overrides `refresh`.
    """

    def __init__(self, theme: Theme, settings: SettingsSource, setting: Setting, parent: QWidget | None = None) -> None:
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
        self._name.setText(setting_label(self.setting))
        self._help.setText(setting_help(self.setting))
        if self._control is not None:
            self._control.setAccessibleName(self._name.text())
            self._control.setAccessibleDescription(self._help.text())
        self._arrange()

    def apply_theme(self) -> None:
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


class NumberSetting(SettingCard):
    """A number from `least` to `most`, both within; `scale` is how much the number shown is of the value."""

    def __init__(
        self,
        theme: Theme,
        settings: SettingsSource,
        setting: Setting,
        least: float,
        most: float,
        step: float = 1,
        *,
        decimals: int = 0,
        scale: int = 1,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, settings, setting, parent)
        self._scale = scale
        self._is_whole = decimals == 0 and scale == 1
        self._number = NumberBox(self)
        self._number.setDecimals(decimals)
        self._number.setRange(least, most)
        self._number.setSingleStep(step)
        self._number.valueChanged.connect(self._tell)
        self._place(self._number)
        self.refresh()
        self.adapt_to(theme)

    def refresh(self) -> None:
        shown = round(float(self._settings.value(self.setting)) * self._scale, self._number.decimals())
        if shown != self._number.value():  # else it would take what is being typed
            with QSignalBlocker(self._number):
                self._number.setValue(shown)

    def retranslate(self) -> None:
        self._number.say_in_language(unit_suffix(self.setting))
        super().retranslate()

    def apply_theme(self) -> None:
        self._number.setMinimumWidth(3 * self._theme.sizes.control)
        super().apply_theme()

    def _tell(self, shown: float) -> None:
        self._settings.set(self.setting, round(shown) if self._is_whole else round(shown / self._scale, 3))


class ChoiceSetting(SettingCard):
    """One of a few values, side by side."""

    def __init__(self, theme: Theme, settings: SettingsSource, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(theme, settings, setting, parent)
        self._choices = Segmented(theme, focus=Qt.FocusPolicy.StrongFocus, parent=self)
        self._choices.chosen.connect(self._tell)
        self._place(self._choices)
        self.adapt_to(theme)
        self.refresh()

    def refresh(self) -> None:
        self._choices.set_current(str(self._settings.value(self.setting)))

    def searched(self) -> str:
        return " ".join([super().searched(), *choice_labels(self.setting).values()])

    def retranslate(self) -> None:
        self._choices.set_segments([(str(value), words) for value, words in choice_labels(self.setting).items()])
        super().retranslate()

    def _tell(self, key: str) -> None:
        self._settings.set(self.setting, next(value for value in choice_labels(self.setting) if str(value) == key))


class ListSetting(SettingCard):
    """One of more values than have room side by side."""

    def __init__(self, theme: Theme, settings: SettingsSource, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(theme, settings, setting, parent)
        self._list = ComboBox(self)
        self._list.activated.connect(self._tell)
        self._place(self._list)
        self.adapt_to(theme)
        self.refresh()

    def refresh(self) -> None:
        self._list.setCurrentIndex(list(choice_labels(self.setting)).index(self._settings.value(self.setting)))

    def searched(self) -> str:
        return " ".join([super().searched(), *choice_labels(self.setting).values()])

    def retranslate(self) -> None:
        self._list.clear()
        self._list.addItems(list(choice_labels(self.setting).values()))
        self.refresh()
        super().retranslate()

    def _tell(self, at: int) -> None:
        self._settings.set(self.setting, list(choice_labels(self.setting))[at])


class SwitchSetting(SettingCard):
    """On or off."""

    def __init__(self, theme: Theme, settings: SettingsSource, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(theme, settings, setting, parent)
        self._switch = QCheckBox(self)
        self._switch.clicked.connect(self._tell)
        self._place(self._switch)
        self.refresh()
        self.adapt_to(theme)

    def refresh(self) -> None:
        self._switch.setChecked(bool(self._settings.value(self.setting)))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        side = sizes.icon_s + 2 * sizes.space_xs
        self._switch.setFixedSize(side, side)
        super().apply_theme()

    def _tell(self, is_on: bool) -> None:
        self._settings.set(self.setting, is_on)
