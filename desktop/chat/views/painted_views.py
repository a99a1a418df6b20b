"""Views that are painted: the header of a turn, the context boundary, notices of incomplete text, and activity."""

from datetime import datetime

from PySide6.QtCore import QDateTime, QLocale, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from core.domain.text.hidden import reveal
from desktop.chat.layout.blocks import ActivityBlock, BoundaryBlock, CutOffBlock, HeaderBlock
from desktop.chat.turn_parts import Boundary
from desktop.chat.views.chat_strings import activity_text
from desktop.chat.views.view_context import BlockContext, ViewContext
from desktop.theme import Icon
from desktop.tokens import ColorName
from desktop.translation import agent_display_name, duration, time_of_day
from desktop.widgets import Button, paint_icon, paint_text, plain_tool_tip


class HeaderView(QWidget):
    """Author and time above an answer. The turn has the same accessible name, so this widget has none."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._icon = Icon.SPARKLES
        self._author = ""
        self._model = ""
        self._time = ""

    def show_block(self, block: HeaderBlock) -> None:
        self._icon = Icon.WORKFLOW if block.is_template else Icon.SPARKLES
        self._author = self.tr("Assistant") if not block.author else reveal(agent_display_name(block.author))
        self._model = reveal(block.model or "")
        self._time = time_of_day(block.at.astimezone())
        self.setToolTip(plain_tool_tip(full_time(block.at)))
        self.update()

    def fit(self, _width: int) -> int:
        return self._theme.sizes.icon_m

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        box = paint_icon(painter, theme, self._icon, self.rect(), "accent")
        metrics = QFontMetrics(theme.font("strong"))
        author = metrics.elidedText(self._author, Qt.TextElideMode.ElideRight, box.width() * 2 // 3)
        paint_text(painter, theme, author, box, "strong", "text")
        box.setLeft(box.left() + metrics.horizontalAdvance(author) + theme.sizes.space_s)
        origin = " · ".join(filter(None, (self._model, self._time)))
        paint_text(painter, theme, origin, box, "secondary", "muted", cut=Qt.TextElideMode.ElideMiddle)


def full_time(at: datetime) -> str:
    """Return date and time in the current locale."""
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(round(at.timestamp())), QLocale.FormatType.LongFormat)


_WRAPPED = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)


class BoundaryView(QWidget):
    """A rule with a label: what stands above it is no longer sent to the model."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme

    def show_block(self, block: BoundaryBlock) -> None:
        if block.boundary is Boundary.SUMMARY:
            self.setAccessibleName(self.tr("Older messages are no longer sent: this summary replaces them"))
        else:
            self.setAccessibleName(self.tr("Older messages are no longer sent"))
        self.update()

    def fit(self, width: int) -> int:
        metrics, sizes = QFontMetrics(self._theme.font("secondary")), self._theme.sizes
        box = QRect(0, 0, self._text_width(width), 10_000)
        return metrics.boundingRect(box, _WRAPPED, self.accessibleName()).height() + sizes.space_s

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, sizes = QPainter(self), self._theme.sizes
        painter.setFont(self._theme.font("secondary"))
        width = self._text_width(self.width())
        box = QRect((self.width() - width) // 2, 0, width, self.height())
        text = painter.boundingRect(box, _WRAPPED, self.accessibleName())
        painter.setPen(self._theme.color("border_strong"))
        middle = self.height() // 2
        painter.drawLine(0, middle, text.left() - sizes.space_m, middle)
        painter.drawLine(text.right() + sizes.space_m, middle, self.width(), middle)
        painter.setPen(self._theme.color("muted"))
        painter.drawText(box, _WRAPPED, self.accessibleName())

    def _text_width(self, width: int) -> int:
        return max(1, width - 4 * self._theme.sizes.space_xl)


class CutOffView(QWidget):
    """The line below incomplete text: stopped, interrupted, or a warning about the answer. *Try again* stands at the
    right where it is possible.
    """

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._intents = context.intents
        self._retry = Button(context.theme, "", "secondary", Icon.ROTATE_CCW, is_small=True, parent=self)
        self._retry.clicked.connect(self._on_retry)
        self._is_stopped = False

    def show_block(self, block: CutOffBlock, context: BlockContext) -> None:
        self._is_stopped = block.is_stopped
        text = self._text_of(block)
        self.setAccessibleName(text)
        self.setToolTip(text if block.warning is not None else "")
        self._retry.setText(self.tr("Try again"))
        self._retry.setVisible(context.can_retry)
        self.update()

    def _text_of(self, block: CutOffBlock) -> str:
        match block.warning:
            case "length":
                return self.tr("Cut off: the answer reached the model’s output limit")
            case "content_filter":
                return self.tr("Cut off by the provider’s filter")
            case "skipped_data":
                return self.tr("Parts of this answer could not be read, and may be missing")
            case "empty_answer":
                return self.tr("The model returned an empty answer")
            case "unknown_agent":
                return self.tr("A different agent answered than the step names")
            case "unknown_server":
                return self.tr("An MCP server that this agent is limited to no longer exists")
            case "without_tools":
                return self.tr("This model takes no tools, so it was asked without them")
            case "fewer_tools":
                sent, of, left_out = (block.details.get(name, "") for name in ("sent", "of", "left_out"))
                return self.tr("{0} of {1} tools were sent, as the provider takes no more. Left out: {2}").format(
                    sent, of, left_out
                )
            case "without_part":
                if block.details.get("part") == "temperature":
                    return self.tr("This model takes no temperature, so it was asked without one")
                if block.details.get("part") == "files":
                    return self.tr("This model takes no pictures or PDFs, so it was asked without them")
                return self.tr("This model takes no reasoning effort, so it was asked without one")
        return self.tr("Stopped") if block.is_stopped else self.tr("Interrupted: this text was cut off")

    def fit(self, width: int) -> int:
        if self._retry.isHidden():
            return self._theme.sizes.icon_m
        size, sizes = self._retry.sizeHint(), self._theme.sizes
        text_width = QFontMetrics(self._theme.font("secondary")).horizontalAdvance(self.accessibleName())
        left = min(sizes.icon_s + sizes.space_s + text_width + sizes.space_m, width - size.width())
        self._retry.setGeometry(left, 0, size.width(), size.height())
        return size.height()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        color: ColorName = "muted" if self._is_stopped else "warn"
        icon = Icon.CIRCLE_STOP if self._is_stopped else Icon.TRIANGLE_ALERT
        box = paint_icon(painter, self._theme, icon, self.rect(), color)
        if not self._retry.isHidden():
            box.setRight(self._retry.x() - 1)
        paint_text(painter, self._theme, self.accessibleName(), box, "secondary", color)

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

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._now = context.now
        self._block: ActivityBlock | None = None
        self._text = ""
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._refresh)

    def show_block(self, block: ActivityBlock) -> None:
        self._block = block
        self._refresh()

    def fit(self, _width: int) -> int:
        return self._theme.sizes.icon_m

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._text:
            painter = QPainter(self)
            left = self._paint_dots(painter) if self._elapsed_s() >= _BRIEF_S else 0
            box = QRect(left, 0, self.width() - left, self._theme.sizes.icon_m)
            paint_text(painter, self._theme, self._text, box, "secondary", "muted")

    def _paint_dots(self, painter: QPainter) -> int:
        sizes = self._theme.sizes
        radius, step = sizes.dot * 0.4, sizes.dot * 1.4
        area = QRect(0, 0, round(step * len(_DOT_OPACITIES)), sizes.icon_m)
        phase = self._theme.pulse.beat(self, area)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("accent"))
        for number, opacity in enumerate(_DOT_OPACITIES):
            painter.setOpacity(1 - (1 - opacity) * phase if number else phase)
            painter.drawEllipse(QPointF(radius + 1 + number * step, sizes.icon_m / 2), radius, radius)
        painter.setOpacity(1.0)
        return area.width() + sizes.space_s

    def _refresh(self) -> None:
        if self._block is None:
            return
        elapsed = self._elapsed_s()
        text = activity_text(self._block.activity, is_long=elapsed >= _LONG_S)
        if elapsed < _HIDDEN_S:  # most calls are over before that, and a flashing line would distract
            self._text = ""
        else:
            self._text = text if elapsed < _BRIEF_S else f"{text}, {duration(elapsed // 1)}"
        self.setAccessibleName(text)
        self.update()
        if self.isVisible():
            self._timer.start(_SECOND_MS if elapsed >= _BRIEF_S else round(_HIDDEN_S * 1000))

    def _elapsed_s(self) -> float:
        if self._block is None:
            return 0.0
        return max(0.0, (self._now() - self._block.activity.since).total_seconds())
