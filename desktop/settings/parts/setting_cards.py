"""Cards for single settings: number, dollars, segmented choice, combo box and switch."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QVBoxLayout, QWidget

from desktop.settings.parts.editors import DollarBox, NumberBox
from desktop.settings.parts.setting_strings import (
    choice_labels,
    dollar_signs,
    no_limit,
    setting_help,
    setting_label,
    unit_suffix,
)
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.setting_sources import Setting
from desktop.widgets import Adaptive, Card, ComboBox, Paragraph, Segmented


class SettingCard(Adaptive, Card):
    """The control is right of the texts, or below them in a narrow window.

    Subclasses create the control, place it and override `refresh`.
    """

    def __init__(self, context: SettingsContext, setting: Setting) -> None:
        super().__init__()
        self.setting = setting
        self._theme = context.theme
        self._settings = context.settings
        self._editor: QWidget | None = None
        self._name = Paragraph("", "strong")
        self._help = Paragraph("", "label", "muted")
        self._texts = QVBoxLayout()
        self._texts.addWidget(self._name)
        self._texts.addWidget(self._help)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.addLayout(self._texts, 1)
        context.settings.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the current value without emitting a change."""
        raise NotImplementedError

    def set_in_use(self, is_in_use: bool) -> None:
        """Enable the control only while the value has an effect."""
        if self._editor is not None:
            self._editor.setEnabled(is_in_use)

    def search_text(self) -> str:
        """Return the text that the settings search matches."""
        return f"{self._name.text()} {self._help.text()}"

    def retranslate(self) -> None:
        self._name.setText(setting_label(self.setting))
        self._help.setText(setting_help(self.setting))
        if self._editor is not None:
            self._editor.setAccessibleName(self._name.text())
            self._editor.setAccessibleDescription(self._help.text())
        self._arrange()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._box.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._box.setSpacing(sizes.space_m)
        self._texts.setSpacing(sizes.space_xs // 2)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _set_editor(self, editor: QWidget) -> None:
        self._editor = editor
        self._box.addWidget(editor)

    def _arrange(self) -> None:
        if self._editor is None:
            return
        sizes = self._theme.sizes
        needed = sizes.user_bubble // 2 + self._editor.sizeHint().width() + 2 * sizes.space_l + sizes.space_m
        is_wide = self.width() >= needed
        directions, sides = QBoxLayout.Direction, Qt.AlignmentFlag
        self._box.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        self._box.setAlignment(self._editor, sides.AlignRight | sides.AlignVCenter if is_wide else sides.AlignLeft)


class NumberSetting(SettingCard):
    """A number from `least` to `most`, inclusive, displayed as the value times `scale`."""

    def __init__(
        self,
        context: SettingsContext,
        setting: Setting,
        minimum: float,
        maximum: float,
        step: float = 1,
        *,
        decimals: int = 0,
        scale: int = 1,
    ) -> None:
        super().__init__(context, setting)
        self._scale = scale
        self._is_whole = decimals == 0 and scale == 1
        self._number = NumberBox(self)
        self._number.setDecimals(decimals)
        self._number.setRange(minimum, maximum)
        self._number.setSingleStep(step)
        self._number.valueChanged.connect(self._on_changed)
        self._set_editor(self._number)
        self.refresh()
        self.adapt_to(context.theme)

    def refresh(self) -> None:
        value = self._settings.value(self.setting)
        assert value is not None
        shown = round(float(value) * self._scale, self._number.decimals())
        if shown != self._number.value():  # else it would take what is being typed
            # The value comes from the settings and must not be saved again.
            with QSignalBlocker(self._number):
                self._number.setValue(shown)

    def retranslate(self) -> None:
        self._number.localize(unit_suffix(self.setting))
        super().retranslate()

    def apply_theme(self) -> None:
        self._number.setMinimumWidth(3 * self._theme.sizes.control)
        super().apply_theme()

    def _on_changed(self, shown: float) -> None:
        self._settings.set(self.setting, round(shown) if self._is_whole else round(shown / self._scale, 3))


class DollarSetting(SettingCard):
    """An amount of dollars, or none."""

    def __init__(self, context: SettingsContext, setting: Setting, most: float) -> None:
        super().__init__(context, setting)
        self._amount = DollarBox(most, self)
        self._amount.valueChanged.connect(self._on_changed)
        self._set_editor(self._amount)
        self.refresh()
        self.adapt_to(context.theme)

    def refresh(self) -> None:
        value = self._settings.value(self.setting)
        amount = None if value is None else float(value)
        if amount != self._amount.number:  # else it would take what is being typed
            # The value comes from the settings and must not be saved again.
            with QSignalBlocker(self._amount):
                self._amount.set_number(amount)

    def retranslate(self) -> None:
        before, after = dollar_signs()
        self._amount.localize(after)
        self._amount.setPrefix(before)
        self._amount.set_empty_text(no_limit())
        super().retranslate()

    def apply_theme(self) -> None:
        self._amount.setMinimumWidth(3 * self._theme.sizes.control)
        super().apply_theme()

    def _on_changed(self) -> None:
        self._settings.set(self.setting, self._amount.number)


class ChoiceSetting(SettingCard):
    """A choice of a few values, side by side."""

    def __init__(self, context: SettingsContext, setting: Setting) -> None:
        super().__init__(context, setting)
        self._choices = Segmented(context.theme, focus=Qt.FocusPolicy.StrongFocus, parent=self)
        self._choices.chosen.connect(self._on_changed)
        self._set_editor(self._choices)
        self.adapt_to(context.theme)
        self.refresh()

    def refresh(self) -> None:
        self._choices.set_current(str(self._settings.value(self.setting)))

    def search_text(self) -> str:
        return " ".join([super().search_text(), *choice_labels(self.setting).values()])

    def retranslate(self) -> None:
        self._choices.set_segments([(str(value), text) for value, text in choice_labels(self.setting).items()])
        super().retranslate()

    def _on_changed(self, key: str) -> None:
        self._settings.set(self.setting, next(value for value in choice_labels(self.setting) if str(value) == key))


class ListSetting(SettingCard):
    """A choice of more values than fit side by side."""

    def __init__(self, context: SettingsContext, setting: Setting) -> None:
        super().__init__(context, setting)
        self._list = ComboBox(self)
        self._list.activated.connect(self._on_changed)
        self._set_editor(self._list)
        self.adapt_to(context.theme)
        self.refresh()

    def refresh(self) -> None:
        self._list.setCurrentIndex(list(choice_labels(self.setting)).index(self._settings.value(self.setting)))

    def search_text(self) -> str:
        return " ".join([super().search_text(), *choice_labels(self.setting).values()])

    def retranslate(self) -> None:
        self._list.clear()
        self._list.addItems(list(choice_labels(self.setting).values()))
        self.refresh()
        super().retranslate()

    def _on_changed(self, at: int) -> None:
        self._settings.set(self.setting, list(choice_labels(self.setting))[at])


class SwitchSetting(SettingCard):
    """A setting that is on or off."""

    def __init__(self, context: SettingsContext, setting: Setting) -> None:
        super().__init__(context, setting)
        self._switch = QCheckBox(self)
        self._switch.clicked.connect(self._on_changed)
        self._set_editor(self._switch)
        self.refresh()
        self.adapt_to(context.theme)

    def refresh(self) -> None:
        self._switch.setChecked(bool(self._settings.value(self.setting)))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        side = sizes.icon_s + 2 * sizes.space_xs
        self._switch.setFixedSize(side, side)
        super().apply_theme()

    def _on_changed(self, is_on: bool) -> None:
        self._settings.set(self.setting, is_on)
