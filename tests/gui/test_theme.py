"""Colours keep their contrast, a change of theme reaches everything, icons, fonts and the focus ring are drawn."""

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import get_args

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontInfo, QIcon, QImage, QPalette, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSlider,
    QSpinBox,
    QTabBar,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.theme import (
    ICONS,
    Appearance,
    Icon,
    Scheme,
    SystemLook,
    TextRole,
    Theme,
    app_icon,
    make_palette,
    style_sheet,
)
from desktop.tokens import DARK, DARK_CONTRAST, LIGHT, LIGHT_CONTRAST, ColorName, Colors
from desktop.widgets import Button, ChoiceCard, IconButton, Surface

# the offscreen platform's own remark on every window that has a least size
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

PALETTES = {"light": LIGHT, "dark": DARK, "light contrast": LIGHT_CONTRAST, "dark contrast": DARK_CONTRAST}
SURFACES = ("app", "canvas", "raised", "hover", "selected", "accent_soft", "user", "code", "code_header")
TEXTS = ("text", "muted", "accent", "ok", "warn", "error")
SIGNS = ("sign_ok", "sign_warn", "sign_error", "sign_idle", "accent")
SYNTAX = ("syntax_keyword", "syntax_string", "syntax_number", "syntax_comment", "syntax_function")


class System(SystemLook):
    """A system that a test can change."""

    def __init__(self) -> None:
        super().__init__()
        self.has_dark_windows = False
        self.wants_contrast = False

    @property
    def scheme(self) -> Qt.ColorScheme:
        return Qt.ColorScheme.Dark if self.has_dark_windows else Qt.ColorScheme.Unknown

    @property
    def has_high_contrast(self) -> bool:
        return self.wants_contrast


@pytest.fixture
def system(qapp: QApplication) -> System:
    return System()


@pytest.fixture
def theme(qapp: QApplication, system: System) -> Iterator[Theme]:
    theme = Theme(qapp, system)
    yield theme
    qapp.setStyleSheet("")
    theme.deleteLater()


def luminance(color: str) -> float:
    """WCAG 2.2, relative luminance."""
    tint = QColor(color)
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (tint.redF(), tint.greenF(), tint.blueF())
    )
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def low_contrasts(colors: Colors, names: tuple[str, ...], surfaces: tuple[str, ...], least: float) -> list[str]:
    return [
        f"{name} on {surface}: {contrast(getattr(colors, name), getattr(colors, surface)):.2f}"
        for name in names
        for surface in surfaces
        if contrast(getattr(colors, name), getattr(colors, surface)) < least
    ]


@pytest.mark.parametrize("colors", PALETTES.values(), ids=PALETTES)
def test_every_text_can_be_read_on_every_surface(colors: Colors) -> None:
    assert low_contrasts(colors, TEXTS, SURFACES, 4.5) == []
    assert low_contrasts(colors, SYNTAX, ("code",), 4.5) == []
    in_diffs = (*SYNTAX, "text", "muted", "ok", "warn", "error")
    assert low_contrasts(colors, in_diffs, ("added", "removed"), 4.5) == []
    assert low_contrasts(colors, ("on_accent",), ("accent", "accent_hover"), 4.5) == []
    assert low_contrasts(colors, ("on_badge",), ("badge",), 4.5) == []
    assert low_contrasts(colors, ("text",), ("found", "found_now"), 4.5) == []


@pytest.mark.parametrize("colors", PALETTES.values(), ids=PALETTES)
def test_every_sign_and_the_focus_ring_can_be_seen_on_every_surface(colors: Colors) -> None:
    assert low_contrasts(colors, SIGNS, SURFACES, 3) == []


WRITTEN_ON = {
    *((QPalette.ColorRole.WindowText, QPalette.ColorRole.Window), (QPalette.ColorRole.Text, QPalette.ColorRole.Base)),
    (QPalette.ColorRole.Text, QPalette.ColorRole.AlternateBase),
    (QPalette.ColorRole.PlaceholderText, QPalette.ColorRole.Base),
    (QPalette.ColorRole.ButtonText, QPalette.ColorRole.Button),
    (QPalette.ColorRole.ToolTipText, QPalette.ColorRole.ToolTipBase),
    (QPalette.ColorRole.HighlightedText, QPalette.ColorRole.Highlight),
    *((link, QPalette.ColorRole.Base) for link in (QPalette.ColorRole.Link, QPalette.ColorRole.LinkVisited)),
}


@pytest.mark.parametrize("colors", PALETTES.values(), ids=PALETTES)
def test_what_qt_writes_by_itself_can_be_read(colors: Colors) -> None:
    """Hints in empty fields, selections, links and tool tips too."""
    palette = make_palette(colors)
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
        for written, ground in WRITTEN_ON:
            found = contrast(palette.color(group, written).name(), palette.color(group, ground).name())
            assert found >= 4.5, (group, written, ground)


@pytest.mark.parametrize("colors", PALETTES.values(), ids=PALETTES)
def test_every_rule_of_the_style_sheet_writes_what_can_be_read(colors: Colors) -> None:
    """Hovered, pressed and chosen too. What is disabled may be faint (WCAG 2.2, 1.4.3); that is still told apart."""
    parts = [value for name, value in vars(style_sheet).items() if name.startswith("_") and isinstance(value, str)]
    seen = 0
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", "\n".join(parts)):
        for prefix in ("", "selection-"):
            written = re.search(rf"(?<![\w-]){prefix}color: \$(\w+)", body)
            ground = re.search(rf"(?<![\w-]){prefix}background(?:-color)?: \$(\w+)", body)
            if written is None:
                continue
            seen += 1
            least = 2 if ":disabled" in selector else 4.5
            surfaces = (ground[1],) if ground else SURFACES
            assert low_contrasts(colors, (written[1],), surfaces, least) == [], (selector, body)
    assert seen > 10


def test_the_names_of_colours_are_those_of_the_palette() -> None:
    assert set(get_args(ColorName)) == {field.name for field in fields(Colors)}


def test_the_style_sheet_names_no_colour_of_its_own() -> None:
    parts = [value for name, value in vars(style_sheet).items() if name.startswith("_") and isinstance(value, str)]
    sheet = "".join(part for part in parts if "{" in part)
    assert "QPushButton" in sheet
    assert "#" not in sheet
    assert "rgb" not in sheet


def color_at(widget: QWidget, place: QPoint) -> str:
    return widget.grab().toImage().pixelColor(place).name().upper()


def is_inked(pixmap: QPixmap, color: QColor) -> bool:
    """Whether its fullest pixel has this colour, but for the rounding of a stroke that covers no pixel wholly."""
    image = pixmap.toImage()
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    fullest = max(pixels, key=QColor.alpha)
    distance = max(abs(part(fullest) - part(color)) for part in (QColor.red, QColor.green, QColor.blue))
    return fullest.alpha() > 100 and distance <= 4


def test_a_change_of_scheme_reaches_what_is_on_the_screen(theme: Theme, qtbot: QtBot) -> None:
    surface = Surface("canvas")
    qtbot.addWidget(surface)
    surface.resize(40, 40)
    assert color_at(surface, QPoint(20, 20)) == LIGHT.canvas
    with qtbot.waitSignal(theme.changed):
        theme.set_appearance(Appearance(Scheme.DARK))
    assert color_at(surface, QPoint(20, 20)) == DARK.canvas
    assert theme.color("text").name().upper() == DARK.text


def test_a_live_icon_takes_the_colour_that_holds(theme: Theme, qtbot: QtBot) -> None:
    button = Button(theme, "", "secondary", Icon.SQUARE)
    qtbot.addWidget(button)
    assert is_inked(button.icon().pixmap(QSize(16, 16)), QColor(LIGHT.muted))
    theme.set_appearance(Appearance(Scheme.DARK))
    assert is_inked(button.icon().pixmap(QSize(16, 16)), QColor(DARK.muted))


def test_system_follows_the_system_live(theme: Theme, system: System, qtbot: QtBot) -> None:
    system.has_dark_windows = True
    with qtbot.waitSignal(theme.changed):
        system.changed.emit()
    assert theme.colors == DARK
    system.wants_contrast = True
    with qtbot.waitSignal(theme.changed):
        system.changed.emit()
    assert theme.colors == DARK_CONTRAST


def test_a_chosen_scheme_does_not_follow_the_system(theme: Theme, system: System, qtbot: QtBot) -> None:
    theme.set_appearance(Appearance(Scheme.LIGHT))
    system.has_dark_windows = True
    with qtbot.assertNotEmitted(theme.changed, wait=20):
        system.changed.emit()
    assert theme.colors == LIGHT


def test_zoom_grows_lengths_and_texts_within_its_limits(theme: Theme) -> None:
    theme.set_appearance(Appearance(zoom=1.5))
    assert (theme.sizes.row, theme.font("body").pixelSize(), theme.sizes.body_line) == (78, 22, 1.45)
    theme.set_appearance(Appearance(zoom=9))
    assert theme.sizes.row == 104


def test_reduced_motion_leaves_no_animation(theme: Theme) -> None:
    assert theme.motion_ms(150) == 150
    theme.set_appearance(Appearance(reduced_motion=True))
    assert theme.motion_ms(150) == 0
    assert theme.pulse.opacity == 1


@pytest.mark.parametrize("role", get_args(TextRole))
def test_every_text_role_is_drawn_with_a_shipped_font(theme: Theme, role: TextRole) -> None:
    font = theme.font(role)
    info = QFontInfo(font)
    assert info.family().startswith("JetBrains Mono" if role.startswith("code") else "Inter")
    assert info.weight() == font.weight()
    assert info.pixelSize() == font.pixelSize()


def test_the_names_of_icons_are_the_files_of_icons() -> None:
    assert sorted(Icon) == sorted(path.stem for path in (ICONS / "lucide").glob("*.svg"))


@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
@pytest.mark.parametrize("size", [16, 20])
def test_every_icon_is_drawn_in_its_colour_at_its_size(theme: Theme, size: int, scale: float) -> None:
    for name in Icon:
        pixmap = theme.pixmap(name, "accent", size, scale)
        assert pixmap.deviceIndependentSize().toSize() == QSize(size, size)
        assert is_inked(pixmap, theme.color("accent")), name


@pytest.mark.parametrize("size", [QSize(16, 16), QSize(20, 16)], ids=["alone", "before words"])
@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
def test_a_live_icon_is_as_sharp_as_the_screen(theme: Theme, size: QSize, scale: float) -> None:
    pixmap = theme.icon(Icon.SQUARE, "text").pixmap(size, scale)
    assert pixmap.size() == size * scale
    left = [pixmap.toImage().pixelColor(x, round(8 * scale)).alpha() for x in range(round(8 * scale))]
    assert sum(left) / 255 == pytest.approx(1.3 * scale, abs=0.15)  # the stroke of the left edge, in pixels


def test_a_disabled_icon_is_faint(theme: Theme) -> None:
    icon = theme.icon(Icon.SQUARE, "accent")
    assert is_inked(icon.pixmap(QSize(16, 16), QIcon.Mode.Disabled), QColor(LIGHT.faint))


def test_a_copy_that_qt_makes_of_an_icon_outlives_ours(theme: Theme) -> None:
    copy = QIcon(theme.icon(Icon.SQUARE, "accent"))
    copy.setIsMask(True)  # detaches: Qt clones the engine
    assert not copy.pixmap(QSize(16, 16)).isNull()


@pytest.mark.parametrize("size", [16, 256])
def test_the_mark_of_the_app_is_drawn(qapp: QApplication, size: int) -> None:
    pixmap = app_icon().pixmap(QSize(size, size), 1.0)
    assert pixmap.size() == QSize(size, size)
    assert is_inked(pixmap, QColor(LIGHT.accent))


def list_of_two(theme: Theme) -> QWidget:
    items = QListWidget()
    items.addItems(["One", "Two"])
    items.setCurrentRow(0)
    return items


def tabs(theme: Theme) -> QWidget:
    bar = QTabBar()
    bar.addTab("Chat")
    bar.addTab("Graph")
    return bar


def choice_card(theme: Theme) -> QWidget:
    card = ChoiceCard(theme)
    card.describe("Auto", "Runs without asking.")
    return card


FOCUSABLE: dict[str, Callable[[Theme], QWidget]] = {
    "primary": lambda theme: Button(theme, "Send", "primary"),
    "secondary": lambda theme: Button(theme, "Stop"),
    "ghost": lambda theme: Button(theme, "Later", "ghost"),
    "icon button": lambda theme: IconButton(theme, Icon.COPY, "Copy"),
    "plain button": lambda theme: QPushButton("OK"),
    "choice card": choice_card,
    "check box": lambda theme: QCheckBox("Remember"),
    "radio button": lambda theme: QRadioButton("One"),
    "line edit": lambda theme: QLineEdit("text"),
    "editor": lambda theme: QPlainTextEdit("text"),
    "combo box": lambda theme: QComboBox(),
    "spin box": lambda theme: QSpinBox(),
    "slider": lambda theme: QSlider(Qt.Orientation.Horizontal),
    "list": list_of_two,
    "tabs": tabs,
}


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
@pytest.mark.parametrize("make", FOCUSABLE.values(), ids=FOCUSABLE)
def test_focus_is_seen_as_a_ring_of_two_pixels(
    theme: Theme, qtbot: QtBot, scheme: Scheme, make: Callable[[Theme], QWidget]
) -> None:
    theme.set_appearance(Appearance(scheme))
    window = Surface("canvas")
    qtbot.addWidget(window)
    elsewhere, control = QPushButton("elsewhere"), make(theme)
    column = QVBoxLayout(window)
    column.addWidget(elsewhere)
    column.addWidget(control)
    window.resize(200, 160)
    window.show()
    window.activateWindow()
    elsewhere.setFocus()
    without = picture_of(control, window)
    control.setFocus(Qt.FocusReason.TabFocusReason)
    ringed = picture_of(control, window)
    middle = ringed.width() // 2 if not isinstance(control, QTabBar | QCheckBox | QRadioButton) else 30
    column_of = [(without.pixelColor(middle, y).name(), ringed.pixelColor(middle, y).name()) for y in range(24)]
    changed = [after for before, after in column_of if before != after and contrast(before, after) >= 3]
    assert len(changed) >= 2, column_of


def picture_of(control: QWidget, window: QWidget) -> QImage:
    QApplication.processEvents()
    picture = QPixmap(window.size())
    window.render(picture)
    return picture.copy(QRect(control.mapTo(window, QPoint(0, 0)), control.size())).toImage()


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
@pytest.mark.parametrize("field", [QLineEdit, QPlainTextEdit])
def test_what_a_field_is_for_is_as_dark_as_the_palette_says(
    field: type[QLineEdit | QPlainTextEdit], scheme: Scheme, theme: Theme, qtbot: QtBot
) -> None:
    """A style sheet with a colour has Qt write it at half that, which is too pale to read."""
    theme.set_appearance(Appearance(scheme))
    shown = field()
    qtbot.addWidget(shown)
    shown.setPlaceholderText("MMMMMM IIIIII ||||||")
    shown.resize(300, 60)
    shown.show()
    image = shown.grab().toImage()
    inner = image.rect().adjusted(4, 4, -4, -4)
    found = {image.pixelColor(x, y).name() for x in range(4, inner.right()) for y in range(4, inner.bottom())}
    assert theme.color("muted").name() in found
