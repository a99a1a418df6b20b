"""The kinds of fields: a number, one of a few or of some, and on or off."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.settings.field import Field
from desktop.settings.number_box import NumberBox
from desktop.settings.values import Setting, Source
from desktop.settings.words import choice_words, unit
from desktop.theme.theme import Theme
from desktop.widgets.combo_box import ComboBox
from desktop.widgets.segmented import Segmented


class NumberField(Field):
    """A number from `least` to `most`, both within; `scale` is how much the number shown is of the value."""

    def __init__(
        self,
        theme: Theme,
        settings: Source,
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
        self._number.say_in_language(unit(self.setting))
        super().retranslate()

    def dress(self) -> None:
        self._number.setMinimumWidth(3 * self._theme.sizes.control)
        super().dress()

    def _tell(self, shown: float) -> None:
        self._settings.set(self.setting, round(shown) if self._is_whole else round(shown / self._scale, 3))


class ChoiceField(Field):
    """One of a few values, side by side."""

    def __init__(self, theme: Theme, settings: Source, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(theme, settings, setting, parent)
        self._choices = Segmented(theme, focus=Qt.FocusPolicy.StrongFocus, parent=self)
        self._choices.chosen.connect(self._tell)
        self._place(self._choices)
        self.adapt_to(theme)
        self.refresh()

    def refresh(self) -> None:
        self._choices.set_current(str(self._settings.value(self.setting)))

    def searched(self) -> str:
        return " ".join([super().searched(), *choice_words(self.setting).values()])

    def retranslate(self) -> None:
        self._choices.set_segments([(str(value), words) for value, words in choice_words(self.setting).items()])
        super().retranslate()

    def _tell(self, key: str) -> None:
        self._settings.set(self.setting, next(value for value in choice_words(self.setting) if str(value) == key))


class ListField(Field):
    """One of more values than have room side by side."""

    def __init__(self, theme: Theme, settings: Source, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(theme, settings, setting, parent)
        self._list = ComboBox(self)
        self._list.activated.connect(self._tell)
        self._place(self._list)
        self.adapt_to(theme)
        self.refresh()

    def refresh(self) -> None:
        self._list.setCurrentIndex(list(choice_words(self.setting)).index(self._settings.value(self.setting)))

    def searched(self) -> str:
        return " ".join([super().searched(), *choice_words(self.setting).values()])

    def retranslate(self) -> None:
        self._list.clear()
        self._list.addItems(list(choice_words(self.setting).values()))
        self.refresh()
        super().retranslate()

    def _tell(self, at: int) -> None:
        self._settings.set(self.setting, list(choice_words(self.setting))[at])


class SwitchField(Field):
    """On or off."""

    def __init__(self, theme: Theme, settings: Source, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(theme, settings, setting, parent)
        self._switch = QCheckBox(self)
        self._switch.clicked.connect(self._tell)
        self._place(self._switch)
        self.refresh()
        self.adapt_to(theme)

    def refresh(self) -> None:
        self._switch.setChecked(bool(self._settings.value(self.setting)))

    def dress(self) -> None:
        sizes = self._theme.sizes
        side = sizes.icon_s + 2 * sizes.space_xs
        self._switch.setFixedSize(side, side)
        super().dress()

    def _tell(self, is_on: bool) -> None:
        self._settings.set(self.setting, is_on)
