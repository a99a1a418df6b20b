"""What the rows and columns of choices share: one of them holds, and Tab stops at that one."""

from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QWidget

from desktop.widgets.adaptive import Adaptive

B = TypeVar("B", bound=QAbstractButton)


class Choices(Adaptive, QFrame, Generic[B]):
    """Tab reaches the chosen one, the arrows choose another. `chosen` is emitted when a person chose."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, B] = {}
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._tell)
        self._group.buttonToggled.connect(_stop_tab)

    @property
    def current(self) -> str | None:
        return next((key for key, button in self._buttons.items() if button.isChecked()), None)

    def set_current(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def _offer(self, key: str, button: B) -> None:
        """One more. Who derives from this puts it in its place."""
        self._buttons[key] = button
        self._group.addButton(button)
        _stop_tab(button, button.isChecked())

    def _tell(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)


def _stop_tab(button: QAbstractButton, is_chosen: bool) -> None:
    """As Qt has it too, but only from the time that one of them had focus."""
    policy, tab = button.focusPolicy(), Qt.FocusPolicy.TabFocus
    button.setFocusPolicy(policy | tab if is_chosen else policy & ~tab)
