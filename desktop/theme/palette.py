"""The colour scheme: the system's, the user's choice, and the QPalette made from it."""

from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette

from desktop.tokens import DARK, DARK_CONTRAST, LIGHT, LIGHT_CONTRAST, ColorName, Colors


class SystemLook(QObject):
    """The desktop's colour scheme and contrast; `changed` is emitted when either changes. Needs a QGuiApplication."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Held, since PySide takes a wrapper of them that nobody holds for deleted.
        self._hints = QGuiApplication.styleHints()
        self._accessibility = self._hints.accessibility()
        self._hints.colorSchemeChanged.connect(self._tell)
        self._accessibility.contrastPreferenceChanged.connect(self._tell)

    @property
    def scheme(self) -> Qt.ColorScheme:
        """The desktop's scheme; `Unknown` if the system does not report it."""
        return self._hints.colorScheme()

    @property
    def has_high_contrast(self) -> bool:
        return self._accessibility.contrastPreference() is Qt.ContrastPreference.HighContrast

    def prefer(self, scheme: Qt.ColorScheme) -> None:
        """Set the scheme of title bars and native dialogs; `Unknown` leaves them to the system."""
        self._hints.setColorScheme(scheme)

    def _tell(self) -> None:
        self.changed.emit()


class Scheme(StrEnum):
    """The user's choice; `system` follows the desktop, live."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def choose_colors(*, dark: bool, high_contrast: bool) -> Colors:
    if high_contrast:
        return DARK_CONTRAST if dark else LIGHT_CONTRAST
    return DARK if dark else LIGHT


_ROLES: dict[QPalette.ColorRole, ColorName] = {
    QPalette.ColorRole.Window: "app",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "canvas",
    QPalette.ColorRole.AlternateBase: "app",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "on_accent",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "accent",
    QPalette.ColorRole.Light: "raised",
    QPalette.ColorRole.Midlight: "hover",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Dark: "border_strong",
    QPalette.ColorRole.Shadow: "border_strong",
}

_DISABLED = (
    QPalette.ColorRole.WindowText,
    QPalette.ColorRole.Text,
    QPalette.ColorRole.ButtonText,
    QPalette.ColorRole.HighlightedText,
)


def make_palette(colors: Colors) -> QPalette:
    """Return a palette whose active and inactive colours are equal, so that a selection keeps its colour without
    focus.
    """
    palette = QPalette()
    for role, name in _ROLES.items():
        palette.setColor(role, QColor(getattr(colors, name)))
    for role in _DISABLED:
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colors.faint))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(colors.hover))
    return palette


def is_dark(scheme: Scheme, system: Qt.ColorScheme) -> bool:
    """Return whether the scheme is dark; an unknown system scheme is light."""
    return scheme is Scheme.DARK or (scheme is Scheme.SYSTEM and system is Qt.ColorScheme.Dark)
