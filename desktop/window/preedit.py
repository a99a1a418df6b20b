"""Where an input method has something in it that it has not committed yet: its keys are its own (UI §4)."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QWidget


class Preedit:
    """What an event filter of the application knows of it; give it every event but those of keys."""

    def __init__(self) -> None:
        self._at: QWidget | None = None

    def look(self, watched: QObject, event: QEvent) -> None:
        if isinstance(event, QInputMethodEvent):
            self._at = watched if event.preeditString() and isinstance(watched, QWidget) else None

    def is_at(self, watched: QObject) -> bool:
        if self._at is not None and self._at is not QApplication.focusWidget():
            self._at = None  # what loses the focus loses what was not committed, or has it committed
        return self._at is watched
