"""Overlays of the conversation: the button to its end, and the target of a link."""

import re

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, Label, Surface


class LatestButton(Adaptive, Button):
    """The way back to the end, with the number of new items; shown while the transcript does not follow."""

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
        """Set the number of turns and blocks that arrived since following stopped."""
        if count != self._count or not self.text():
            self._count = count
            self.retranslate()

    def place_in(self, area: QRect) -> None:
        """Move to the lower edge of the area, in the middle."""
        self._room = area
        size = self.sizeHint()
        self.resize(size)
        x = area.left() + (area.width() - size.width()) // 2
        self.move(x, area.bottom() - size.height() - self._theme.sizes.space_m)

    def retranslate(self) -> None:
        self.setText(self.tr("%n new", None, self._count) if self._count else self.tr("Latest"))
        self.place_in(self._room)


_TO_HOST = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
# Of the available width, at most.
_MAX_SHARE = 0.8


class LinkHint(Adaptive, Surface):
    """Shows where a link leads, at the lower edge, while the mouse or the focus is on it (UI §5). The whole address if
    it fits; else the end of the host stays visible, which shows whose site it is.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self._theme = theme
        self._target = ""
        self._room = QRect()
        self._label = Label("", "secondary", "muted", self)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._label)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self.adapt_to(theme)

    @property
    def target(self) -> str:
        """The whole address; empty while hidden."""
        return self._target

    def show_target(self, target: str) -> None:
        """Show the address; hide if it is empty."""
        self._target = target
        self._place()
        self.setVisible(bool(target))
        self.raise_()

    def place_in(self, area: QRect) -> None:
        """Move to the lower left of the area."""
        self._room = area
        self._place()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_s, sizes.space_xs, sizes.space_s, sizes.space_xs)
        self._place()

    def _place(self) -> None:
        sizes = self._theme.sizes
        widest = round(self._room.width() * _MAX_SHARE) - 2 * sizes.space_s
        self._label.setText(_shortened(self._target, QFontMetrics(self._theme.font("secondary")), widest))
        self.adjustSize()
        self.move(self._room.left() + sizes.space_s, self._room.bottom() - self.height() - sizes.space_s)


def _shortened(target: str, metrics: QFontMetrics, widest: int) -> str:
    if metrics.horizontalAdvance(target) <= widest:
        return target
    to_host = _TO_HOST.match(target)
    host = to_host[0] if to_host is not None else ""
    rest = widest - metrics.horizontalAdvance(host)
    if rest < widest // 4:
        return metrics.elidedText(host, Qt.TextElideMode.ElideLeft, widest)
    return host + metrics.elidedText(target[len(host) :], Qt.TextElideMode.ElideMiddle, rest)
