"""What had the focus before something was opened over it, to have it again."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid


class FocusBefore:
    """`otherwise` takes the focus where what had it is gone."""

    def __init__(self, otherwise: Callable[[], object]) -> None:
        self._otherwise = otherwise
        self._widget: QWidget | None = None

    @property
    def widget(self) -> QWidget | None:
        """None where it is gone, or nothing is kept."""
        kept = self._widget
        return kept if kept is not None and isValid(kept) else None

    def keep(self) -> None:
        """What has it now."""
        self._widget = QApplication.focusWidget()

    def forget(self) -> None:
        self._widget = None

    def give_back(self) -> None:
        before = self.widget
        self.forget()
        if before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        else:
            self._otherwise()
