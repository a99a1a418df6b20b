"""A number between bounds, with its unit."""

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QFocusEvent, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QPlainTextEdit, QWidget


class NumberBox(QDoubleSpinBox):
    """Tells a typed number when it is complete, and leaves the wheel to the page unless it has focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)

    def say_in_language(self, unit: str) -> None:
        """Writes the number and its unit as the language of now does."""
        self.setLocale(QLocale())
        self.setSuffix(unit)

    def textFromValue(self, value: float) -> str:
        """No zeros at the end: `20`, `0.5`."""
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
    """Its smallest place, one step below `least`, means that it is left open."""

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
        """None where it is left open; a whole number where it has no decimals."""
        value = self.value()
        if value < self._least - 1e-9:
            return None
        return round(value) if self._decimals == 0 else round(value, self._decimals)

    def set_number(self, number: float | None) -> None:
        self.setValue(self.minimum() if number is None else number)

    def say_open(self, word: str) -> None:
        """What stands where it is left open."""
        self.setSpecialValueText(word)

    def _keep_bounds(self, value: float) -> None:
        """What is typed below the least number is that number."""
        if self.minimum() < value < self._least:
            self.setValue(self._least)

    def textFromValue(self, value: float) -> str:
        """Whole numbers as they are, however large."""
        if self._decimals == 0:
            return self.locale().toString(round(value))
        return super().textFromValue(value)


_BREAKS = str.maketrans({"\u2028": "\n", "\u2029": "\n"})


def plain_text(field: QPlainTextEdit) -> str:
    """Its text; Qt's own plain text has no no-break spaces."""
    return field.document().toRawText().translate(_BREAKS)
