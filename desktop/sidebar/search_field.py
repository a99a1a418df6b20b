"""Finds workflows by what is in their title, as it is typed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive

_TO_LIST = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SearchField(Adaptive, QLineEdit):
    """Emits `left` when the keys are to go on in the list (Down, Enter), `closed` on Esc."""

    left = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.addAction(theme.icon(Icon.SEARCH), QLineEdit.ActionPosition.LeadingPosition)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        self.setPlaceholderText(self.tr("Find by name"))
        self.setAccessibleName(self.tr("Find a workflow by name"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif event.key() in _TO_LIST:
            self.left.emit()
        else:
            super().keyPressEvent(event)
