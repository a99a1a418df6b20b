"""Views that are painted: the header of a turn, the context boundary, notices of incomplete text, and activity."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QDateTime, QLocale, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.chat.layout.blocks import ActivityBlock, BoundaryBlock, CutOffBlock, HeaderBlock
from desktop.chat.layout.display_text import reveal_hidden
from desktop.chat.turn_parts import Boundary
from desktop.chat.views.chat_strings import activity_text
from desktop.chat.views.intents import Intents
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.translation.agent_strings import agent_words
from desktop.translation.formats import duration, time_of_day
from desktop.widgets.buttons import Button
from desktop.widgets.labels import plain_tool_tip
from desktop.widgets.painting import draw_line


class HeaderView(QWidget):
    """Author and time above an answer. The turn has the same accessible name, so this widget has none."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = Icon.SPARKLES
        self._author = ""
        self._model = ""
        self._time = ""

    def show_block(self, block: HeaderBlock) -> None:
        self._icon = Icon.WORKFLOW if block.is_template else Icon.SPARKLES
        self._author = self.tr("Assistant") if not block.author else reveal_hidden(agent_words(block.author))
        self._model = reveal_hidden(block.model or "")
        self._time = time_of_day(block.at.astimezone())
        self.setToolTip(plain_tool_tip(full_time(block.at)))
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


def full_time(at: datetime) -> str:
    """Return date and time in the current locale."""
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(round(at.timestamp())), QLocale.FormatType.LongFormat)


class BoundaryView(QWidget):
    """A rule with a label: what stands above it is no longer sent to the model."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def show_block(self, block: BoundaryBlock) -> None:
        self.setAccessibleName(self._words(block.boundary))
        self.update()

    def fit(self, width: int) -> int:
        metrics, sizes = QFontMetrics(self._theme.font("secondary")), self._theme.sizes
        lines = metrics.boundingRect(QRect(0, 0, self._room(width), 10_000), self._flags(), self.accessibleName())
        return lines.height() + sizes.space_s

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, sizes = QPainter(self), self._theme.sizes
        painter.setFont(self._theme.font("secondary"))
        left = (self.width() - self._room(self.width())) // 2
        box = QRect(left, 0, self._room(self.width()), self.height())
        words = painter.boundingRect(box, self._flags(), self.accessibleName())
        painter.setPen(self._theme.color("border_strong"))
        middle = self.height() // 2
        painter.drawLine(0, middle, words.left() - sizes.space_m, middle)
        painter.drawLine(words.right() + sizes.space_m, middle, self.width(), middle)
        painter.setPen(self._theme.color("muted"))
        painter.drawText(box, self._flags(), self.accessibleName())

    def _room(self, width: int) -> int:
        return max(1, width - 4 * self._theme.sizes.space_xl)

    def _flags(self) -> int:
        return int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)

    def _words(self, boundary: Boundary) -> str:
        if boundary is Boundary.SUMMARY:
            return self.tr("Older messages are not sent any more: this summary stands for them")
        return self.tr("Older messages are not sent any more")


class CutOffView(QWidget):
    """The line below incomplete text: stopped, interrupted, or a warning about the answer. *Try again* stands at the
    right where it is possible.
    """

    def __init__(self, theme: Theme, intents: Intents, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._intents = intents
        self._retry = Button(theme, "", "secondary", Icon.ROTATE_CCW, is_small=True, parent=self)
        self._retry.clicked.connect(self._on_retry)
        self._is_stopped = False

    def show_block(self, block: CutOffBlock, *, can_retry: bool) -> None:
        self._is_stopped = block.is_stopped
        words = self._words(block)
        self.setAccessibleName(words)
        self.setToolTip(words if block.warning is not None else "")
        self._retry.setText(self.tr("Try again"))
        self._retry.setVisible(can_retry)
        self.update()

    def _words(self, block: CutOffBlock) -> str:
        match block.warning:
            case "length":
                return self.tr("Cut off: the answer reached the most that the model may say")
            case "content_filter":
                return self.tr("Cut off by the provider’s filter")
            case "skipped_data":
                return self.tr("Parts of this answer could not be read, and may be missing")
            case "empty_answer":
                return self.tr("The model answered without a word")
            case "unknown_agent":
                return self.tr("Another agent answered than the step names")
            case "unknown_server":
                return self.tr("An MCP server that this agent is limited to is not there any more")
        return self.tr("Stopped") if block.is_stopped else self.tr("Interrupted: this text was cut off")

    def fit(self, width: int) -> int:
        if self._retry.isHidden():
            return self._theme.sizes.icon_m
        size, sizes = self._retry.sizeHint(), self._theme.sizes
        words = QFontMetrics(self._theme.font("secondary")).horizontalAdvance(self.accessibleName())
        left = min(sizes.icon_s + sizes.space_s + words + sizes.space_m, width - size.width())
        self._retry.setGeometry(left, 0, size.width(), size.height())
        return size.height()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, sizes = QPainter(self), self._theme.sizes
        color: ColorName = "muted" if self._is_stopped else "warn"
        icon = Icon.CIRCLE_STOP if self._is_stopped else Icon.TRIANGLE_ALERT
        pixmap = self._theme.pixmap(icon, color, sizes.icon_s, self.devicePixelRatioF())
        painter.drawPixmap(0, (self.height() - sizes.icon_s) // 2, pixmap)
        left = sizes.icon_s + sizes.space_s
        painter.setFont(self._theme.font("secondary"))
        painter.setPen(self._theme.color(color))
        end = self.width() if self._retry.isHidden() else self._retry.x()
        place = QRect(left, 0, end - left, self.height())
        words = painter.fontMetrics().elidedText(self.accessibleName(), Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)

    def _on_retry(self) -> None:
        self._intents.retry.emit(self)


_HIDDEN_S = 0.2
_BRIEF_S = 1.0
_LONG_S = 10.0
_SECOND_MS = 1000
_DOT_OPACITIES = (1.0, 0.6, 0.3)


class ActivityView(QWidget):
    """What an active run does: hidden at first, then a label, after 1 s with moving dots and the duration, after 10 s
    with what it waits for.
    """

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
        place = QRect(0, 0, round(step * len(_DOT_OPACITIES)), sizes.icon_m)
        phase = self._theme.pulse.beat(self, place)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("accent"))
        for number, share in enumerate(_DOT_OPACITIES):
            painter.setOpacity(1 - (1 - share) * phase if number else phase)
            painter.drawEllipse(QPointF(radius + 1 + number * step, sizes.icon_m / 2), radius, radius)
        painter.setOpacity(1.0)
        return place.width() + sizes.space_s

    def _tell(self) -> None:
        if self._block is None:
            return
        elapsed = self._elapsed_s()
        words = activity_text(self._block.activity, is_long=elapsed >= _LONG_S)
        if elapsed < _HIDDEN_S:
            self._words = ""
        else:
            self._words = words if elapsed < _BRIEF_S else f"{words}, {duration(elapsed // 1)}"
        self.setAccessibleName(words)
        self.update()
        if self.isVisible():
            self._seconds.start(_SECOND_MS if elapsed >= _BRIEF_S else round(_HIDDEN_S * 1000))

    def _elapsed_s(self) -> float:
        if self._block is None:
            return 0.0
        return max(0.0, (self._now() - self._block.activity.since).total_seconds())
