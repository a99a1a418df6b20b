"""The look: fonts, icons, palette and style sheet, made from `desktop.tokens`.

Other packages import from here; modules of this package import each other directly.
"""

from desktop.theme.drawing import paint_focus_ring, paint_shadow
from desktop.theme.icon_names import Icon, tool_icon
from desktop.theme.icons import ICONS, app_icon, app_mark
from desktop.theme.palette import Scheme, SystemLook, make_palette
from desktop.theme.pulse import LEAST_OPACITY, PulseClock
from desktop.theme.theme import Appearance, Theme
from desktop.theme.typography import TextRole, load_fonts, make_face, text_styles

__all__ = [
    "ICONS",
    "LEAST_OPACITY",
    "Appearance",
    "Icon",
    "PulseClock",
    "Scheme",
    "SystemLook",
    "TextRole",
    "Theme",
    "app_icon",
    "app_mark",
    "load_fonts",
    "make_face",
    "make_palette",
    "paint_focus_ring",
    "paint_shadow",
    "text_styles",
    "tool_icon",
]
