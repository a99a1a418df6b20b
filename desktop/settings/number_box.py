"""A number between bounds, with its unit."""

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QFocusEvent, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QWidget


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
