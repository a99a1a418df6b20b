"""A row of choices of which one holds: Chat, Graph, Timeline."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface


class Segmented(Adaptive, Surface):
    """Tab reaches the chosen segment, the arrows choose another. `chosen` is emitted when a person chose."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__("track", parent=parent)
        self._theme = theme
        self._buttons: dict[str, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._choose)
        self._row = QHBoxLayout(self)
        self._row.setSpacing(0)
        self.setAccessibleName(name)
        self.adapt_to(theme)

    def set_segments(self, segments: Sequence[tuple[str, str]]) -> None:
        """Id and words of each, in order: made once, and said again in another language or with another count."""
        for key, words in segments:
            if key not in self._buttons:
                self._add(key)
            self._buttons[key].setText(words.replace("&", "&&"))
            self._buttons[key].setAccessibleName(words)

    @property
    def current(self) -> str | None:
        return next((key for key, button in self._buttons.items() if button.isChecked()), None)

    def set_current(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def dress(self) -> None:
        margin = self._theme.sizes.space_xs // 2
        self._row.setContentsMargins(margin, margin, margin, margin)

    def _add(self, key: str) -> None:
        button = QPushButton(self)
        button.setProperty("kind", "segment")
        button.setCheckable(True)
        button.setAutoDefault(False)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setChecked(not self._buttons)
        self._buttons[key] = button
        self._group.addButton(button)
        self._row.addWidget(button)

    def _choose(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)
