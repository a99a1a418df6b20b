"""Colours and sizes by purpose. Nothing else in the desktop names a colour or a size.

The values and their contrast are those of the design (ARCHITECTURE §8): every text token is at least 4.5:1 on every
surface named there, every sign at least 3:1; a test computes it.
"""

from dataclasses import dataclass, fields, replace
from typing import Literal, Self

ColorName = Literal[
    "app",
    "canvas",
    "raised",
    "border",
    "border_strong",
    "hover",
    "selected",
    "text",
    "muted",
    "faint",
    "accent",
    "accent_hover",
    "on_accent",
    "accent_soft",
    "user",
    "code",
    "code_header",
    "ok",
    "warn",
    "error",
    "sign_ok",
    "sign_warn",
    "sign_error",
    "sign_idle",
    "badge",
    "on_badge",
    "found",
    "found_now",
    "added",
    "removed",
    "shadow",
    "syntax_keyword",
    "syntax_string",
    "syntax_number",
    "syntax_comment",
    "syntax_function",
]


@dataclass(frozen=True, slots=True)
class Colors:
    """A palette of `#RRGGBB` strings (`shadow`: `#AARRGGBB`).

    `found` marks search hits, `found_now` the current hit; only `text` is painted on them. `added` and `removed` are
    the grounds of code in a diff. `faint` is for decoration, never for text that carries meaning. `ok`, `warn` and
    `error` are text colours, the `sign_` colours are for shapes: dots, rings and icons.
    """

    app: str
    canvas: str
    raised: str
    border: str
    border_strong: str
    hover: str
    selected: str
    text: str
    muted: str
    faint: str
    accent: str
    accent_hover: str
    on_accent: str
    accent_soft: str
    user: str
    code: str
    code_header: str
    ok: str
    warn: str
    error: str
    sign_ok: str
    sign_warn: str
    sign_error: str
    sign_idle: str
    badge: str
    on_badge: str
    found: str
    found_now: str
    added: str
    removed: str
    shadow: str
    syntax_keyword: str
    syntax_string: str
    syntax_number: str
    syntax_comment: str
    syntax_function: str


LIGHT = Colors(
    app="#F5F4F1",
    canvas="#FFFFFF",
    raised="#FFFFFF",
    border="#E7E5E0",
    border_strong="#CFCCC5",
    hover="#ECEAE5",
    selected="#E3E4F8",
    text="#201F1D",
    muted="#5F5D57",
    faint="#98958E",
    accent="#4650C4",
    accent_hover="#3C45AE",
    on_accent="#FFFFFF",
    accent_soft="#EEEFFC",
    user="#F1F0EC",
    code="#F8F7F4",
    code_header="#F1EFEB",
    ok="#19653F",
    warn="#7F4F09",
    error="#B02E2A",
    sign_ok="#23875A",
    sign_warn="#B3700A",
    sign_error="#C93B36",
    sign_idle="#827F77",
    badge="#E8912D",
    on_badge="#201F1D",
    found="#FBEFB8",
    found_now="#FFC94D",
    added="#DDF4E4",
    removed="#FCE6E4",
    shadow="#1A201F1D",
    syntax_keyword="#7A3592",
    syntax_string="#1E6A4F",
    syntax_number="#974609",
    syntax_comment="#6B6962",
    syntax_function="#2A56B3",
)

DARK = Colors(
    app="#161719",
    canvas="#1C1D20",
    raised="#27292D",
    border="#2F3136",
    border_strong="#484B52",
    hover="#222427",
    selected="#2B2F52",
    text="#E9E8E5",
    muted="#A3A5AB",
    faint="#73767D",
    accent="#8B95F6",
    accent_hover="#A3ABFA",
    on_accent="#14152B",
    accent_soft="#262A45",
    user="#292B30",
    code="#17181A",
    code_header="#212327",
    ok="#4FC38A",
    warn="#E0A545",
    error="#F0736D",
    sign_ok="#4FC38A",
    sign_warn="#E0A545",
    sign_error="#F0736D",
    sign_idle="#85888F",
    badge="#E8A33D",
    on_badge="#14152B",
    found="#4D4420",
    found_now="#7D5F0C",
    added="#16301F",
    removed="#3B1D1F",
    shadow="#60000000",
    syntax_keyword="#C89BF0",
    syntax_string="#8FD0A8",
    syntax_number="#F0B07A",
    syntax_comment="#9194A0",
    syntax_function="#8FB4F8",
)

# Where the system asks for high contrast: borders that can be seen, and nothing said in grey.
LIGHT_CONTRAST = replace(
    LIGHT,
    app="#FFFFFF",
    border="#5F5D57",
    border_strong="#201F1D",
    text="#000000",
    muted="#201F1D",
    faint="#5F5D57",
    sign_ok=LIGHT.ok,
    sign_warn=LIGHT.warn,
    sign_error=LIGHT.error,
    sign_idle=LIGHT.muted,
)

DARK_CONTRAST = replace(
    DARK,
    app="#000000",
    canvas="#000000",
    border="#A3A5AB",
    border_strong="#E9E8E5",
    text="#FFFFFF",
    muted="#E9E8E5",
    faint="#A3A5AB",
    sign_idle=DARK.muted,
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Lengths and text sizes in device-independent pixels. Widgets take them zoomed, from `Theme.sizes`."""

    sidebar: int = 276
    sidebar_collapsed: int = 60
    sidebar_tile: int = 36
    activity: int = 304
    activity_collapsed: int = 48
    header: int = 52
    chat_column: int = 720
    composer: int = 752
    composer_min: int = 40
    composer_max: int = 200
    row: int = 52
    tool_line: int = 38
    user_bubble: int = 440
    toast: int = 316
    empty_state: int = 360
    control: int = 32
    control_small: int = 28
    icon_s: int = 16
    icon_m: int = 20
    icon_l: int = 32
    dot: int = 8
    radius_badge: int = 9
    radius_row: int = 9
    radius_button: int = 8
    radius_card: int = 10
    radius_toast: int = 12
    radius_bubble: int = 14
    radius_composer: int = 14
    radius_small: int = 5
    space_xs: int = 4
    space_s: int = 8
    space_m: int = 12
    space_l: int = 16
    space_xl: int = 28
    text_xs: int = 11
    text_s: int = 12
    text_m: int = 13
    text_l: int = 15
    text_xl: int = 16
    body_line: float = 1.45
    code_line: float = 1.38
    focus_ring: int = 2

    def zoomed(self, zoom: float) -> Self:
        """Return every length and text size times `zoom`, in whole pixels; line heights are multiples and stay."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: round(value * zoom) for name, value in values.items() if isinstance(value, int)})


SIZES = Sizes()

MOTION_SHORT_MS = 150
MOTION_LONG_MS = 200
