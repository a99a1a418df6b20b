"""A button as wide as the sidebar, with its words and keys; of the collapsed sidebar only its icon is left."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button, ButtonKind, IconButton
from desktop.widgets.chips import KeyHint


class FoldingButton(Adaptive, QWidget):
    """Emits `pressed`, whichever of the two was."""

    pressed = Signal()

    def __init__(self, theme: Theme, kind: ButtonKind, icon: Icon, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._wide = Button(theme, "", kind, icon)
        self._wide.setStyleSheet("QPushButton { text-align: left; }")
        self._small = IconButton(theme, icon, is_large=True)
        self._small.hide()
        self._keys = KeyHint()
        self._keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._wide.clicked.connect(self._press)
        self._small.clicked.connect(self._press)
        self._inner = QHBoxLayout(self._wide)
        self._inner.addWidget(self._keys, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._wide)
        outer.addWidget(self._small, 0, Qt.AlignmentFlag.AlignCenter)
        self.adapt_to(theme)

    def describe(self, text: str, keys: QKeySequence) -> None:
        """Its words in the language of now, and the keys that do the same."""
        self._wide.setText(text)
        self._keys.set_keys(keys)
        self._small.describe(text, keys)

    def fold(self, is_folded: bool) -> None:
        has_focus = self._wide.hasFocus() or self._small.hasFocus()
        self._wide.setVisible(not is_folded)
        self._small.setVisible(is_folded)
        if has_focus:
            (self._small if is_folded else self._wide).setFocus()

    def dress(self) -> None:
        self._inner.setContentsMargins(0, 0, self._theme.sizes.space_m, 0)

    def _press(self) -> None:
        self.pressed.emit()
