"""How full the context is, as a bar."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.chat.token_bar.words import FILLING, NEARLY_FULL
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.adaptive import Adaptive


class Gauge(Adaptive, QWidget):
    """Filled from the left. The words beside it say the same, so that it has no name of its own."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._share = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.adapt_to(theme)

    @property
    def share(self) -> float:
        return self._share

    def set_share(self, share: float) -> None:
        """From 0 to 1; more is full."""
        if share != self._share:
            self._share = share
            self.update()

    @property
    def color(self) -> ColorName:
        if self._share >= NEARLY_FULL:
            return "sign_error"
        return "sign_warn" if self._share >= FILLING else "accent"

    def dress(self) -> None:
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        sizes = self._theme.sizes
        return QSize(2 * sizes.space_xl, sizes.space_xs + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, box = QPainter(self), QRectF(self.rect())
        radius = box.height() / 2
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("border_strong"))
        painter.drawRoundedRect(box, radius, radius)
        if self._share > 0:
            box.setWidth(max(box.height(), box.width() * min(1.0, self._share)))
            painter.setBrush(self._theme.color(self.color))
            painter.drawRoundedRect(box, radius, radius)
