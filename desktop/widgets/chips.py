"""Small framed words: a state, a count, the keys of an action."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.shortcuts.names import key_name
from desktop.widgets.labels import Label
from desktop.widgets.visibility import show_when


class Chip(Label):
    """Words on a soft ground of the accent."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, "chip", "accent", parent)
        self.setProperty("chip", "soft")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class KeyHint(Label):
    """A key cap. Hidden where the action has no keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "meta", "muted", parent)
        self.setProperty("chip", "key")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_keys(None)

    def set_keys(self, keys: QKeySequence | None) -> None:
        text = "" if keys is None else key_name(keys)
        self.setText(text)
        show_when(self, bool(text))
