"""A box that opens a list."""

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox

LEAST_SIGNS = 8


class ComboBox(QComboBox):
    """Leaves the wheel to the page unless it has focus."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def bound(box: QComboBox) -> None:
    """Let a box be as narrow as its place, however long its items are."""
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(LEAST_SIGNS)
