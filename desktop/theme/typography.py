"""Text roles: face, size and weight of each kind of text, and the fonts that ship with the app."""

import logging
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from PySide6.QtGui import QFont, QFontDatabase

from desktop.tokens import Sizes

TextRole = Literal[
    "title",
    "heading",
    "body",
    "row",
    "row_unread",
    "label",
    "strong",
    "secondary",
    "meta",
    "section",
    "chip",
    "badge",
    "code",
    "code_small",
]

FONTS = Path(__file__).parents[2] / "resources" / "fonts"

_REFUSED = -1
_log = logging.getLogger(__name__)

# No second name: where one of these is missing, the style hint finds what the system has.
_SANS = "Inter"
_MONO = "JetBrains Mono"


@dataclass(frozen=True, slots=True)
class TextStyle:
    """`size` in pixels; `tracking` in pixels between letters."""

    size: int
    weight: QFont.Weight = QFont.Weight.Normal
    mono: bool = False
    upper: bool = False
    tracking: float = 0.0


def text_styles(sizes: Sizes) -> dict[TextRole, TextStyle]:
    """Return every role at these sizes."""
    medium, semibold = QFont.Weight.Medium, QFont.Weight.DemiBold
    return {
        "title": TextStyle(sizes.text_l, semibold),
        "heading": TextStyle(sizes.text_xl, semibold),
        "body": TextStyle(sizes.text_l),
        "row": TextStyle(sizes.text_m, medium),
        "row_unread": TextStyle(sizes.text_m, semibold),
        "label": TextStyle(sizes.text_m),
        "strong": TextStyle(sizes.text_m, semibold),
        "secondary": TextStyle(sizes.text_s),
        "meta": TextStyle(sizes.text_xs),
        "section": TextStyle(sizes.text_xs, semibold, upper=True, tracking=0.6),
        "chip": TextStyle(sizes.text_xs, medium),
        "badge": TextStyle(sizes.text_xs, semibold),
        "code": TextStyle(sizes.text_m, mono=True),
        "code_small": TextStyle(sizes.text_s, mono=True),
    }


def make_font(style: TextStyle) -> QFont:
    """Return the font of a style."""
    font = make_face(style)
    font.setPixelSize(style.size)
    font.setWeight(style.weight)
    if style.tracking:
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, style.tracking)
    return font


def make_face(style: TextStyle) -> QFont:
    """Return the part of a font that the zoom does not change and a style sheet cannot express.

    Digits have equal widths, so that running times and counts do not jiggle. Contextual forms are off, so that `!=`,
    `->` and the `x` in a file name are shown as written.
    """
    font = QFont(_MONO if style.mono else _SANS)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if style.mono:
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setFixedPitch(True)
    else:
        font.setStyleHint(QFont.StyleHint.SansSerif)
        font.setFeature(QFont.Tag("tnum"), 1)
    font.setFeature(QFont.Tag("calt"), 0)
    if style.upper:
        font.setCapitalization(QFont.Capitalization.AllUppercase)
    return font


@cache
def load_fonts() -> None:
    """Register the shipped fonts with Qt, once for the process. Needs a QGuiApplication."""
    for file in sorted([*FONTS.glob("*.otf"), *FONTS.glob("*.ttf")]):
        if QFontDatabase.addApplicationFont(str(file)) == _REFUSED:
            _log.warning("Qt does not take the font %s", file.name)
