"""A run that is at work without a word to show: what it does, for how long, and dots that move."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.chat.layout.blocks import ActivityBlock
from desktop.chat.views.words import activity_words
from desktop.theme.theme import Theme
from desktop.translation.formats import duration

_SILENT_S = 0.2
_BRIEF_S = 1.0
_LONG_S = 10.0
_SECOND_MS = 1000
_DOTS = (1.0, 0.6, 0.3)


class ActivityView(QWidget):
    """Nothing at first, soon a word, after a second moving dots and the time, after ten what it waits for."""

    def __init__(self, theme: Theme, now: Callable[[], datetime], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._now = now
        self._block: ActivityBlock | None = None
        self._words = ""
        self._seconds = QTimer(self)
        self._seconds.timeout.connect(self._tell)

    def show_block(self, block: ActivityBlock) -> None:
        self._block = block
        self._tell()

    def fit(self, _width: int) -> int:
        return self._theme.sizes.icon_m

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tell()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._seconds.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._words:
            return
        painter, sizes = QPainter(self), self._theme.sizes
        left = 0
        if self._elapsed_s() >= _BRIEF_S:
            left = self._paint_dots(painter)
        painter.setFont(self._theme.font("secondary"))
        painter.setPen(self._theme.color("muted"))
        box = QRect(left, 0, self.width() - left, sizes.icon_m)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self._words)

    def _paint_dots(self, painter: QPainter) -> int:
        sizes = self._theme.sizes
        radius, step = sizes.dot * 0.4, sizes.dot * 1.4
        place = QRect(0, 0, round(step * len(_DOTS)), sizes.icon_m)
        phase = self._theme.pulse.beat(self, place)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("accent"))
        for number, share in enumerate(_DOTS):
            painter.setOpacity(1 - (1 - share) * phase if number else phase)
            painter.drawEllipse(QPointF(radius + 1 + number * step, sizes.icon_m / 2), radius, radius)
        painter.setOpacity(1.0)
        return place.width() + sizes.space_s

    def _tell(self) -> None:
        if self._block is None:
            return
        elapsed = self._elapsed_s()
        words = activity_words(self._block.activity, is_long=elapsed >= _LONG_S)
        if elapsed < _SILENT_S:
            self._words = ""
        else:
            self._words = words if elapsed < _BRIEF_S else f"{words}, {duration(elapsed // 1)}"
        self.setAccessibleName(words)
        self.update()
        if self.isVisible():
            self._seconds.start(_SECOND_MS if elapsed >= _BRIEF_S else round(_SILENT_S * 1000))

    def _elapsed_s(self) -> float:
        if self._block is None:
            return 0.0
        return max(0.0, (self._now() - self._block.activity.since).total_seconds())
