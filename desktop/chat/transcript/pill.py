"""The way back to the end: how much is new there, on a button over the conversation."""

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button


class Pill(Adaptive, Button):
    """Shown while the transcript does not follow."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, "", "secondary", Icon.ARROW_DOWN, is_small=True, parent=parent)
        self._theme = theme
        self._count = 0
        self._room = QRect()
        self.hide()
        self.adapt_to(theme)

    @property
    def count(self) -> int:
        return self._count

    def set_count(self, count: int) -> None:
        """How many turns and blocks have come since following stopped."""
        if count != self._count or not self.text():
            self._count = count
            self.retranslate()

    def place_in(self, room: QRect) -> None:
        """At the foot of the room, in the middle."""
        self._room = room
        size = self.sizeHint()
        self.resize(size)
        x = room.left() + (room.width() - size.width()) // 2
        self.move(x, room.bottom() - size.height() - self._theme.sizes.space_m)

    def retranslate(self) -> None:
        self.setText(self.tr("%n new", None, self._count) if self._count else self.tr("Latest"))
        self.place_in(self._room)
