"""A number that may be left open: then it says a word instead."""

from PySide6.QtWidgets import QWidget

from desktop.settings.number_box import NumberBox


class OpenNumber(NumberBox):
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
