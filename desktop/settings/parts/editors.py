"""Editors for numbers and amounts, and for a choice that may be left open."""

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QFocusEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from desktop.widgets import ComboBox


class NumberBox(QDoubleSpinBox):
    """Emits a typed number when it is complete; the wheel changes it only while focused."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)

    def localize(self, unit: str) -> None:
        """Format the number and its unit in the current language."""
        self.setLocale(QLocale())
        self.setSuffix(unit)

    def textFromValue(self, value: float) -> str:
        """Format without trailing zeros: `20`, `0.5`."""
        return self.locale().toString(value, "g", 6)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() is not Qt.FocusReason.MouseFocusReason:
            self.selectAll()  # what is typed takes the place of the number

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class OptionalNumberBox(NumberBox):
    """Its minimum, a step below `least`, stands for no number."""

    def __init__(self, least: float, most: float, step: float, decimals: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = least
        self._decimals = decimals
        self.setDecimals(decimals)
        self.setRange(least - step, most)
        self.setSingleStep(step)
        self.setValue(self.minimum())
        self.valueChanged.connect(self._keep_bounds)

    @property
    def number(self) -> float | None:
        """The number, an int without decimals; None if there is none."""
        value = self.value()
        # Steps of floats are not exact.
        if value < self._least - 1e-9:
            return None
        return round(value) if self._decimals == 0 else round(value, self._decimals)

    def set_number(self, number: float | None) -> None:
        self.setValue(self.minimum() if number is None else number)

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        """Accept an empty box."""
        return (QValidator.State.Acceptable, text, at) if self._is_empty(text) else super().validate(text, at)

    def valueFromText(self, text: str) -> float:
        """Take an empty box for no number."""
        return self.minimum() if self._is_empty(text) else super().valueFromText(text)

    def _is_empty(self, text: str) -> bool:
        return not text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()

    def set_empty_text(self, word: str) -> None:
        """Set the text that is shown without a number."""
        self.setSpecialValueText(word)

    def _keep_bounds(self, value: float) -> None:
        """Raise numbers typed below `least` to `least`."""
        # The range of the box includes the extra step that stands for no number.
        if self.minimum() < value < self._least:
            self.setValue(self._least)

    def textFromValue(self, value: float) -> str:
        """Format whole numbers in full, however large."""
        if self._decimals == 0:
            return self.locale().toString(round(value))
        return super().textFromValue(value)


class OptionalChoiceBox(ComboBox):
    """Yes, no, or neither; beside number boxes in a form, with their interface."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        for choice in _CHOICES:
            self.addItem("", choice)

    @property
    def number(self) -> bool | None:
        """The choice; None if there is none."""
        choice: bool | None = _CHOICES[self.currentIndex()]
        return choice

    def set_number(self, number: bool | None) -> None:  # as of a number
        self.setCurrentIndex(_CHOICES.index(number))

    def localize(self, _unit: str) -> None:
        """Show the choices in the current language."""
        self.setItemText(1, self.tr("yes"))
        self.setItemText(2, self.tr("no"))

    def set_empty_text(self, word: str) -> None:
        """Set the text that is shown without a choice."""
        self.setItemText(0, word)


_CHOICES = (None, True, False)


class DollarBox(OptionalNumberBox):
    """An amount of dollars, or none; 0 is none, too. It is stepped by whole dollars."""

    def __init__(self, most: float, parent: QWidget | None = None) -> None:
        super().__init__(0.01, most, 0.01, 2, parent)
        self.setSingleStep(1)

    def textFromValue(self, value: float) -> str:
        """Format with cents only if there are some: `5`, `2.50`."""
        return amount_text(value)


def amount_text(amount: float) -> str:
    """Return a number of dollars in the current language, without a sign."""
    return QLocale().toString(amount, "f", 0 if amount == round(amount) else 2)
