"""Where Tab stops in a row of choices."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget


def stop_at_chosen(choices: QWidget) -> None:
    """Tab stops at the chosen button alone, as Qt has it too, but only from the time that one of them had focus."""
    for button in choices.findChildren(QAbstractButton):
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if button.isChecked() else Qt.FocusPolicy.ClickFocus)
