"""Lines that unfold: the base of tool calls, steps and sub-agents. Painted, since a long run has hundreds of them."""

from dataclasses import dataclass
from datetime import datetime
from math import ceil

from PySide6.QtCore import QPointF, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetricsF, QHideEvent, QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from desktop.chat.views.view_context import ViewContext
from desktop.theme import Icon, TextRole
from desktop.tokens import ColorName
from desktop.translation import duration
from desktop.widgets import Indicator, draw_line, paint_focus, paint_ground, paint_indicator, plain_tool_tip

_MIN_DETAIL_WIDTH = 60
_FOLD_KEYS: dict[int, bool] = {Qt.Key.Key_Right: True, Qt.Key.Key_Left: False}


@dataclass(frozen=True, slots=True)
class Line:
    """The content of a line: an icon, a title, a detail, and a result at the right."""

    sign: Icon | Indicator
    sign_color: ColorName
    title: str
    detail: str = ""
    result: str = ""
    result_color: ColorName = "muted"
    is_separated: bool = False


class LineButton(QAbstractButton):
    """Click, Enter or Space toggle it, Right unfolds and Left folds it. Screen readers get title, detail, result and
    whether it is unfolded.
    """

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._intents = context.intents
        self._line = Line(Icon.WRENCH, "muted", "")
        self._is_unfolded = False
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._on_clicked)

    def set_line(self, line: Line, *, is_unfolded: bool, is_foldable: bool = True) -> None:
        self._line = line
        self._is_unfolded = is_unfolded
        self.setEnabled(is_foldable)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_foldable else Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(", ".join(filter(None, (line.title, line.detail, line.result))))
        self.setAccessibleDescription(self._fold_state() if is_foldable else line.detail)
        self.setToolTip(plain_tool_tip(line.detail))
        self.update()

    def fit(self, _width: int) -> int:
        return self._theme.sizes.tool_line

    def sizeHint(self) -> QSize:
        return QSize(self._theme.sizes.chat_column, self._theme.sizes.tool_line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() in _FOLD_KEYS and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            if _FOLD_KEYS[event.key()] is not self._is_unfolded:
                self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        sizes = self._theme.sizes
        if self._line.is_separated:
            painter.fillRect(0, 0, self.width(), 1, self._theme.color("border"))
        if self.underMouse() and self.isEnabled():
            hovered = self.rect().adjusted(1, 1, -1, -1)
            paint_ground(painter, self._theme, hovered, sizes.radius_card - 1, "hover")
        box = self.rect().adjusted(sizes.space_m, 0, -sizes.space_m, 0)
        box = self._paint_sign(painter, box)
        box = self._paint_chevron(painter, box)
        self._paint_words(painter, box)
        if self.hasFocus():
            paint_focus(painter, self._theme, self.rect(), sizes.radius_card)

    def _paint_sign(self, painter: QPainter, box: QRect) -> QRect:
        sizes, sign = self._theme.sizes, self._line.sign
        center = QPointF(box.left() + sizes.icon_s / 2, box.center().y() + 0.5)
        if isinstance(sign, Indicator):
            paint_indicator(painter, self._theme, sign, center, self)
        else:
            pixmap = self._theme.pixmap(sign, self._line.sign_color, sizes.icon_s, self.devicePixelRatioF())
            painter.drawPixmap(center - QPointF(sizes.icon_s / 2, sizes.icon_s / 2), pixmap)
        return box.adjusted(sizes.icon_s + sizes.space_s + 2, 0, 0, 0)

    def _paint_chevron(self, painter: QPainter, box: QRect) -> QRect:
        sizes = self._theme.sizes
        if self.isEnabled():
            icon = Icon.CHEVRON_DOWN if self._is_unfolded else Icon.CHEVRON_RIGHT
            side = sizes.icon_s - 2
            pixmap = self._theme.pixmap(icon, "muted", side, self.devicePixelRatioF())
            painter.drawPixmap(box.right() - side + 1, box.center().y() - side // 2 + 1, pixmap)
        return box.adjusted(0, 0, -sizes.icon_s - sizes.space_s, 0)

    def _paint_words(self, painter: QPainter, box: QRect) -> None:
        line, gap = self._line, self._theme.sizes.space_m
        left = self._paint_text(painter, box, line.title, "row", "text")
        available = box.adjusted(left + gap if left else 0, 0, 0, 0)
        result = QRect(available)
        # a long result leaves some width to the detail, which names what the line is about
        least = _MIN_DETAIL_WIDTH if line.detail else 0
        result.setLeft(max(available.right() - self._width_of(line.result, "secondary"), available.left() + least))
        if line.result:
            self._paint_text(painter, result, line.result, "secondary", line.result_color)
            available.setRight(result.left() - gap)
        self._paint_text(painter, available, line.detail, "code_small", "muted")

    def _paint_text(self, painter: QPainter, box: QRect, text: str, role: TextRole, color: ColorName) -> int:
        """Paint as much text as fits, and return its width."""
        if not text or box.width() <= 0:
            return 0
        font = self._theme.font(role)
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.setFont(font)
        painter.setPen(self._theme.color(color))
        draw_line(painter, box, shown)
        return self._width_of(shown, role)

    def _width_of(self, text: str, role: TextRole) -> int:
        return ceil(QFontMetricsF(self._theme.font(role)).horizontalAdvance(text))

    def _fold_state(self) -> str:
        return self.tr("unfolded") if self._is_unfolded else self.tr("folded")

    def _on_clicked(self) -> None:
        self._intents.fold.emit(self)


_SECOND_MS = 1000


class TimedLine(LineButton):
    """A line whose duration is updated every second while it is running and visible."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self._now = context.now
        self._is_running = False
        self._seconds = QTimer(self, interval=_SECOND_MS)
        self._seconds.timeout.connect(self.update_line)

    def update_line(self) -> None:
        """Set the line for the current time."""
        raise NotImplementedError

    def start_line(self, *, is_running: bool) -> None:
        """Show another line."""
        self._is_running = is_running
        self.update_line()
        self._start_or_stop()

    def elapsed(self, since: datetime | None) -> str:
        """Return the duration so far; empty in the first second."""
        seconds = (self._now() - since).total_seconds() // 1 if since is not None else 0
        return duration(seconds) if seconds > 0 else ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._start_or_stop()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._seconds.stop()

    def _start_or_stop(self) -> None:
        if self._is_running and self.isVisible():
            self._seconds.start()
        else:
            self._seconds.stop()
