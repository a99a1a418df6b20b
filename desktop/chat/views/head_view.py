"""Who speaks, and since when: the line above an agent's turn."""

from datetime import datetime

from PySide6.QtCore import QDateTime, QLocale, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.chat.layout.blocks import HeadBlock
from desktop.chat.layout.hidden import revealed
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.translation.agents import agent_words
from desktop.translation.formats import time_of_day
from desktop.widgets.labels import plain_tool_tip
from desktop.widgets.painting import draw_line


class HeadView(QWidget):
    """Its turn says the same to a screen reader, so that it has no name of its own."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = Icon.SPARKLES
        self._author = ""
        self._model = ""
        self._time = ""

    def show_block(self, block: HeadBlock) -> None:
        self._icon = Icon.WORKFLOW if block.is_template else Icon.SPARKLES
        self._author = self.tr("Assistant") if not block.author else revealed(agent_words(block.author))
        self._model = revealed(block.model or "")
        self._time = time_of_day(block.at.astimezone())
        self.setToolTip(plain_tool_tip(moment(block.at)))
        self.update()

    def fit(self, _width: int) -> int:
        return self._theme.sizes.icon_m

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, sizes = QPainter(self), self._theme.sizes
        side = sizes.icon_s
        pixmap = self._theme.pixmap(self._icon, "accent", side, self.devicePixelRatioF())
        painter.drawPixmap(0, (self.height() - side) // 2, pixmap)
        box = self.rect().adjusted(side + sizes.space_s, 0, 0, 0)
        font = self._theme.font("strong")
        author = QFontMetrics(font).elidedText(self._author, Qt.TextElideMode.ElideRight, box.width() * 2 // 3)
        painter.setFont(font)
        painter.setPen(self._theme.color("text"))
        draw_line(painter, box, author)
        left = box.left() + QFontMetrics(font).horizontalAdvance(author) + sizes.space_s
        painter.setFont(self._theme.font("secondary"))
        painter.setPen(self._theme.color("muted"))
        words = " · ".join(word for word in (self._model, self._time) if word)
        room = QRect(left, 0, self.width() - left, self.height())
        line = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, room.width())
        draw_line(painter, room, line)


def moment(at: datetime) -> str:
    """Day and time in the words of now."""
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(round(at.timestamp())), QLocale.FormatType.LongFormat)
