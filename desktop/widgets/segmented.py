"""A row of choices of which one holds: Chat, Graph, Timeline."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from desktop.theme.theme import Theme
from desktop.widgets.choices import Choices


class Segmented(Choices[QPushButton]):
    """Side by side. `focus` is the policy of the chosen one: with the usual one a click leaves focus where it is.

    `is_tight`: many of them share little room.
    """

    def __init__(
        self,
        theme: Theme,
        *,
        focus: Qt.FocusPolicy = Qt.FocusPolicy.TabFocus,
        is_tight: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("surface", "track")
        self._theme = theme
        self._focus = focus
        self._is_tight = is_tight
        self._row = QHBoxLayout(self)
        self._row.setSpacing(0)
        self.adapt_to(theme)

    def set_segments(self, segments: Sequence[tuple[str, str]]) -> None:
        """Id and words of each, in order: made once, and said again in another language or with another count. The
        words may have two lines."""
        for key, words in segments:
            if key not in self._buttons:
                self._add(key)
            self._buttons[key].setText(words.replace("&", "&&"))
            self._buttons[key].setAccessibleName(" ".join(words.split()))

    def dress(self) -> None:
        margin = self._theme.sizes.space_xs // 2
        self._row.setContentsMargins(margin, margin, margin, margin)

    def _add(self, key: str) -> None:
        button = QPushButton(self)
        button.setProperty("kind", "segment")
        button.setProperty("tight", self._is_tight)
        button.setCheckable(True)
        button.setAutoDefault(False)
        button.setFocusPolicy(self._focus)
        button.setChecked(not self._buttons)
        self._offer(key, button)
        self._row.addWidget(button)
