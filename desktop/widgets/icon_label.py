"""An icon that is not to be pressed."""

from typing import Literal

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.adaptive import Adaptive

IconSize = Literal["icon_s", "icon_m", "icon_l"]


class IconLabel(Adaptive, QWidget):
    """Sized by the token `size`; has no accessible name of its own, since the words beside it say the same."""

    def __init__(
        self,
        theme: Theme,
        icon: Icon,
        color: ColorName = "muted",
        size: IconSize = "icon_s",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._color: ColorName = color
        self._size: IconSize = size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.adapt_to(theme)

    def set_icon(self, icon: Icon, color: ColorName) -> None:
        self._icon = icon
        self._color = color
        self.update()

    def sizeHint(self) -> QSize:
        side: int = getattr(self._theme.sizes, self._size)
        return QSize(side, side)

    def dress(self) -> None:
        self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        side = self.sizeHint().width()
        pixmap = self._theme.pixmap(self._icon, self._color, side, self.devicePixelRatioF())
        QPainter(self).drawPixmap((self.width() - side) // 2, (self.height() - side) // 2, pixmap)
