"""A combo box for scrolling pages."""

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QWidget

LEAST_SIGNS = 8


class ComboBox(QComboBox):
    """Leaves wheel events to the page unless it has focus. Its list looks like the menus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(QStyledItemDelegate(self))  # Qt's own ignores the style sheet

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def limit_width(box: QComboBox) -> None:
    """Let the box be as narrow as its layout wants, however long its items are."""
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(LEAST_SIGNS)
