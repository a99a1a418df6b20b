"""The look of the whole app, as one object that bootstrap makes and hands down."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon, QPixmap
from PySide6.QtWidgets import QApplication

from desktop.theme.controls import ControlPainter
from desktop.theme.icon_names import Icon
from desktop.theme.icons import Icons
from desktop.theme.palette import Scheme, SystemLook, choose_colors, is_dark, make_palette
from desktop.theme.pulse import PulseClock
from desktop.theme.style import style_of
from desktop.theme.style_sheet import make_style_sheet
from desktop.theme.typography import TextRole, load_fonts, make_font, text_styles
from desktop.tokens import LIGHT, SIZES, ColorName, Colors, Sizes
from desktop.window_state import LEAST_ZOOM, MOST_ZOOM


@dataclass(frozen=True, slots=True)
class Appearance:
    """The user's choice. `zoom` scales texts and lengths alike, between 0.8 and 2."""

    scheme: Scheme = Scheme.SYSTEM
    zoom: float = 1.0
    reduced_motion: bool = False


class Theme(QObject):
    """The current colours, sizes, fonts and icons; applied to the application and every standard control.

    `changed` is emitted after the application is styled again. Widgets that read the theme while painting, and icons
    returned by it, need no connection, since Qt repaints everything then.
    """

    changed = Signal()

    def __init__(self, app: QApplication, system: SystemLook, appearance: Appearance = Appearance()) -> None:
        super().__init__(app)
        load_fonts()
        self._app = app
        self._system = system
        self._appearance = appearance
        self._colors: Colors = LIGHT
        self._sizes: Sizes = SIZES
        self._fonts: dict[TextRole, QFont] = {}
        self._icons = Icons(LIGHT)
        self._style = style_of(app, ControlPainter(self._icons, LIGHT, SIZES))
        self.pulse = PulseClock(self)
        self._dress()
        # queued: Qt first finishes its own change of palette
        system.changed.connect(self._follow_system, Qt.ConnectionType.QueuedConnection)

    @property
    def appearance(self) -> Appearance:
        return self._appearance

    @property
    def colors(self) -> Colors:
        return self._colors

    @property
    def sizes(self) -> Sizes:
        return self._sizes

    def set_appearance(self, appearance: Appearance) -> None:
        if appearance != self._appearance:
            self._appearance = appearance
            self._dress()

    def color(self, name: ColorName) -> QColor:
        return QColor(getattr(self._colors, name))

    def font(self, role: TextRole) -> QFont:
        """Return a font for painters; labels take a role instead."""
        return QFont(self._fonts[role])

    def icon(self, name: Icon, color: ColorName = "muted") -> QIcon:
        """Return a live icon: it is painted in the colour that holds at that time."""
        return self._icons.icon(name, color)

    def pixmap(self, name: Icon, color: ColorName, size: int, scale: float) -> QPixmap:
        """Return a pixmap for painters; `size` in device-independent pixels at the device pixel ratio `scale`."""
        return self._icons.pixmap(name, color, size, scale)

    def motion_ms(self, wanted_ms: int) -> int:
        """Return the duration of an animation in milliseconds; 0 under reduced motion."""
        return 0 if self._appearance.reduced_motion else wanted_ms

    def _follow_system(self) -> None:
        if self._chosen_colors() != self._colors:
            self._dress()

    def _chosen_colors(self) -> Colors:
        dark = is_dark(self._appearance.scheme, self._system.scheme)
        return choose_colors(dark=dark, high_contrast=self._system.has_high_contrast)

    def _dress(self) -> None:
        self._system.prefer(_QT_SCHEMES[self._appearance.scheme])
        self._colors = self._chosen_colors()
        self._sizes = SIZES.zoomed(min(max(self._appearance.zoom, LEAST_ZOOM), MOST_ZOOM))
        self._fonts = {role: make_font(style) for role, style in text_styles(self._sizes).items()}
        self._icons.use(self._colors)
        self._style.use(ControlPainter(self._icons, self._colors, self._sizes))
        self.pulse.reduced_motion = self._appearance.reduced_motion
        self._app.setPalette(make_palette(self._colors))
        self._app.setFont(self.font("label"))
        self._app.setStyleSheet(make_style_sheet(self._colors, self._sizes))
        self.changed.emit()


_QT_SCHEMES = {
    Scheme.SYSTEM: Qt.ColorScheme.Unknown,
    Scheme.LIGHT: Qt.ColorScheme.Light,
    Scheme.DARK: Qt.ColorScheme.Dark,
}
