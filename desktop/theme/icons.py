"""Icons: Lucide's drawings in a colour of the theme, crisp at any size and scale.

The files are unchanged (ISC licence beside them); colour and stroke are set on loading.
"""

from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop.theme.icon_names import Icon
from desktop.tokens import ColorName, Colors

ICONS = Path(__file__).parents[2] / "resources" / "icons"

# Lucide draws on a grid of 24, and its strokes grow with the icon. Ours have one weight at 16 and 20.
_GRID = 24
_STROKE_PX = 1.3
_LEAST_STROKE = 1.5

_MARK_SIZES = (16, 24, 32, 48, 64, 128, 256)


class Icons:
    """The icons of a theme. A returned icon is painted in the colours that hold at the time of painting."""

    def __init__(self, colors: Colors) -> None:
        self._colors = colors
        self._icons: dict[tuple[Icon, ColorName], QIcon] = {}
        self._pixmaps: dict[tuple[Icon, str, int, float], QPixmap] = {}

    def use(self, colors: Colors) -> None:
        """Use these colours from the next paint on."""
        self._colors = colors
        self._pixmaps.clear()

    def icon(self, name: Icon, color: ColorName) -> QIcon:
        """Return an icon for buttons, menus and actions; it is painted in `faint` while disabled."""
        if (name, color) not in self._icons:
            self._icons[name, color] = QIcon(_LiveIcon(self, name, color))
        return self._icons[name, color]

    def pixmap(self, name: Icon, color: ColorName, size: int, scale: float) -> QPixmap:
        """Return a pixmap for delegates. `size` is in device-independent pixels, `scale` the device pixel ratio."""
        key = (name, getattr(self._colors, color), size, scale)
        if key not in self._pixmaps:
            self._pixmaps[key] = _render(*key)
        return self._pixmaps[key]


class _LiveIcon(QIconEngine):
    def __init__(self, icons: Icons, name: Icon, color: ColorName) -> None:
        super().__init__()
        self._icons = icons
        self._name = name
        self._color = color
        self._copies: list[QIconEngine] = []

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        side = min(rect.width(), rect.height())
        target = QRect(0, 0, side, side)
        target.moveCenter(rect.center())
        painter.drawPixmap(target, self._icons.pixmap(self._name, self._color_in(mode), side, scale_of(painter)))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State, scale: float) -> QPixmap:
        """Render at `size`, in device-independent pixels. If `size` is wider than high, the icon is at the left (see
        Button).
        """
        side = min(size.width(), size.height())
        pixmap = self._icons.pixmap(self._name, self._color_in(mode), side, scale)
        return pixmap if size.width() <= side else _widen(pixmap, size, scale)

    def clone(self) -> QIconEngine:
        copy = _LiveIcon(self._icons, self._name, self._color)
        self._copies.append(copy)  # Qt deletes it, but crashes where Python lets go of it first
        return copy

    def _color_in(self, mode: QIcon.Mode) -> ColorName:
        return "faint" if mode is QIcon.Mode.Disabled else self._color


def scale_of(painter: QPainter) -> float:
    """Return the device pixel ratio of the painter's device."""
    device = painter.device()
    return 1.0 if device is None else device.devicePixelRatio()


def _widen(pixmap: QPixmap, size: QSize, scale: float) -> QPixmap:
    wide = QPixmap(size * scale)
    wide.setDevicePixelRatio(scale)
    wide.fill(Qt.GlobalColor.transparent)
    painter = QPainter(wide)
    painter.drawPixmap(0, 0, pixmap)
    painter.end()
    return wide


def _render(name: Icon, color: str, size: int, scale: float) -> QPixmap:
    stroke = max(_STROKE_PX * _GRID / max(size, 1), _LEAST_STROKE)
    drawing = _source(name).replace("currentColor", color).replace('stroke-width="2"', f'stroke-width="{stroke:.3f}"')
    pixmap = _draw(drawing, QSize(size, size) * scale)
    pixmap.setDevicePixelRatio(scale)
    return pixmap


def _draw(drawing: str, size: QSize) -> QPixmap:
    pixmap = QPixmap(size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(drawing.encode())).render(painter)
    painter.end()
    return pixmap


@cache
def _source(name: Icon) -> str:
    return (ICONS / "lucide" / f"{name}.svg").read_text(encoding="utf-8")


def app_icon() -> QIcon:
    """Return the app's mark for windows, notifications and the system's window lists."""
    icon = QIcon()
    for size in _MARK_SIZES:
        icon.addPixmap(app_mark(size))
    return icon


def app_mark(size: int) -> QPixmap:
    """Return the app's mark at `size` × `size` pixels."""
    return _draw((ICONS / "metier.svg").read_text(encoding="utf-8"), QSize(size, size))
