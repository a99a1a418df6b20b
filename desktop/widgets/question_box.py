"""A short question in a message box with equal margins."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QMessageBox, QWidget


class QuestionBox(QMessageBox):
    """A message box of plain text that deletes itself once it is answered."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def showEvent(self, event: QShowEvent) -> None:
        """Remove the indent that Qt gives the text of a box without an icon."""
        grid = self.layout()
        if isinstance(grid, QGridLayout):
            grid.setHorizontalSpacing(0)
            for at in range(grid.count()):
                item = grid.itemAt(at)
                spacer = item.spacerItem() if item is not None else None
                if spacer is not None:
                    spacer.changeSize(0, 0)
            grid.invalidate()
        super().showEvent(event)
