"""The line below text that is not whole."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.chat.layout.blocks import CutOffBlock
from desktop.chat.views.intents import Intents
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.buttons import Button


class CutOffView(QWidget):
    """A sign and words: stopped by a person, interrupted, or what else is to be known of it. *Try again* stands at the
    right where it is possible."""

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
