"""The buttons of a card, as links on one row."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QWidget

from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button


class ActionRow(Adaptive, QWidget):
    """Emits `pressed` with the id of a button. Its words stand where a text at its left edge would."""

    pressed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: dict[str, Button] = {}
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._tell)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addStretch(1)
        self.adapt_to(theme)

    def offer(self, actions: Sequence[tuple[str, str]]) -> None:
        """These buttons, id and words, from left to right, and no others."""
        offered = dict(actions)
        for number, (action, words) in enumerate(actions):
            button = self._buttons.get(action) or self._make(action)
            button.setText(words)
            if self._row.indexOf(button) != number:  # else each offer would ask for another layout
                self._row.insertWidget(number, button)
        for action, button in self._buttons.items():
            button.setVisible(action in offered)
        self.setVisible(bool(offered))

    def press_focused(self) -> bool:
        """Press the button that has the focus. False: none of these has it."""
        focused = next((button for button in self._buttons.values() if button.hasFocus()), None)
        if focused is not None:
            focused.click()
        return focused is not None

    def wanted_height(self) -> int:
        """0 without buttons."""
        return 0 if self.isHidden() else self._theme.sizes.control_small

    def dress(self) -> None:
        self.setFixedHeight(self._theme.sizes.control_small)

    def _make(self, action: str) -> Button:
        button = Button(self._theme, "", "link", is_small=True, parent=self)
        button.setObjectName(action)
        self._buttons[action] = button
        self._group.addButton(button)
        return button

    def _tell(self, button: QAbstractButton) -> None:
        self.pressed.emit(button.objectName())
