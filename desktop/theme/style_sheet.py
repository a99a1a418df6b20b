"""The style sheet, made of tokens.

Widgets pick a look by properties: `kind` of a button, `surface` and `edge` of a frame, `role` and `tone` of a label,
`bare` of an editor that its surroundings frame. The style draws the focus ring of buttons, boxes and items.
"""

from dataclasses import asdict
from string import Template

from desktop.theme.typography import text_styles
from desktop.tokens import Colors, Sizes


def make_style_sheet(colors: Colors, sizes: Sizes) -> str:
    inner = {  # what is left of a length within borders and margins
        "control_inner": sizes.control - 2,
        "small_inner": sizes.control_small - 2,
        "field_inner": sizes.control - 4,
        "slider_overhang": (sizes.icon_s - 4) // 2,
        "spin_inner": sizes.control - 6,  # Fusion's frame, which the style draws over
        "segment_inner": sizes.control_small - 6,
        "segment_radius": sizes.radius_button - 2,
        "user_bubble_least": sizes.user_bubble * 3 // 4,
        "pad_focused": sizes.space_s - sizes.focus_ring + 1,
    }
    tokens = asdict(colors) | asdict(sizes) | inner
    rules = [Template(part).substitute(tokens) for part in (_SURFACES, _BUTTONS, _VIEWS, _FIELDS, _MENUS, _SMALL_PARTS)]
    return "\n".join([*rules, *_text_rules(sizes), *_tone_rules(colors)])


def _text_rules(sizes: Sizes) -> list[str]:
    rules = []
    for role, style in text_styles(sizes).items():
        spacing = f"letter-spacing: {style.tracking}px; " if style.tracking else ""
        weight = style.weight.value
        rules.append(f'QLabel[role="{role}"] {{ {spacing}font-size: {style.size}px; font-weight: {weight}; }}')
    return rules


def _tone_rules(colors: Colors) -> list[str]:
    tones = ("text", "muted", "accent", "ok", "warn", "error", "on_accent")
    return [f'QLabel[tone="{tone}"] {{ color: {getattr(colors, tone)}; }}' for tone in tones]


_SURFACES = """
QMainWindow, QWidget[surface="app"] { background: $app; }
QDialog, QWidget[surface="canvas"] { background: $canvas; }
QFrame[surface="raised"] { background: $raised; border: 1px solid $border_strong; border-radius: ${radius_toast}px; }
QFrame[surface="card"] { background: $canvas; border: 1px solid $border; border-radius: ${radius_card}px; }
QFrame[surface="user"] { background: $user; border-radius: ${radius_bubble}px; }
QFrame[surface="code"] { background: $code; border: 1px solid $border; border-radius: ${radius_card}px; }
QFrame[surface="composer"] { background: $raised; border: 1px solid $border; border-radius: ${radius_composer}px; }
QFrame[surface="track"] { background: $hover; border-radius: ${radius_button}px; }
QFrame[surface="info"] { background: $accent_soft; border-radius: ${radius_card}px; }
QFrame[surface="warning"] { background: $canvas; border: 1px solid $sign_warn; border-radius: ${radius_card}px; }
QFrame[edge="right"] { border-right: 1px solid $border; }
QFrame[edge="left"] { border-left: 1px solid $border; }
QFrame[edge="bottom"] { border-bottom: 1px solid $border; }
QFrame[edge="top"] { border-top: 1px solid $border; }
QLabel { background: transparent; }
QLabel[chip="soft"] {
    background: $accent_soft; color: $accent; border-radius: ${radius_card}px; padding: 0 ${space_s}px;
    min-height: ${icon_m}px;
}
QLabel[chip="key"] {
    color: $muted; border: 1px solid $border_strong; border-radius: ${radius_small}px; padding: 0 ${space_xs}px;
}
QToolTip {
    background: $raised; color: $text; border: 1px solid $border_strong;
    padding: ${space_xs}px ${space_s}px; font-size: ${text_s}px;
}
"""

_BUTTONS = """
QPushButton {
    background: $raised; color: $text; border: 1px solid $border_strong; border-radius: ${radius_button}px;
    min-height: ${control_inner}px; padding: 0 ${space_m}px; font-size: ${text_m}px; font-weight: 500;
}
QPushButton:hover, QPushButton:pressed, QPushButton:checked { background: $hover; }
QPushButton[small="true"] { min-height: ${small_inner}px; padding: 0 ${space_s}px; font-size: ${text_s}px; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[kind="primary"]:hover, QPushButton[kind="primary"]:pressed {
    background: $accent_hover; border-color: $accent_hover;
}
QPushButton[kind="ghost"], QPushButton[kind="link"] { background: transparent; border-color: transparent; }
QPushButton[kind="link"] { color: $accent; font-weight: 600; padding: 0 ${space_s}px; }
QPushButton[kind="ghost"]:hover, QPushButton[kind="ghost"]:checked, QPushButton[kind="link"]:hover,
QPushButton[kind="ghost"]:pressed, QPushButton[kind="link"]:pressed { background: $hover; }
QPushButton[kind="segment"] {
    background: transparent; color: $muted; border-color: transparent; border-radius: ${segment_radius}px;
    min-height: ${segment_inner}px; font-size: ${text_s}px;
}
QPushButton[kind="segment"][tight="true"] { padding: 2px; }
QPushButton[kind="segment"]:hover { color: $text; }
QPushButton[kind="segment"]:checked { background: $raised; color: $text; border-color: $border_strong; }
QPushButton:disabled { color: $faint; border-color: $border; background: transparent; }
QPushButton[kind="primary"]:disabled { color: $muted; border-color: $hover; background: $hover; }
QPushButton[kind="ghost"]:disabled, QPushButton[kind="link"]:disabled, QPushButton[kind="segment"]:disabled {
    border-color: transparent;
}
QPushButton[kind="segment"]:checked:disabled { color: $muted; border-color: $border; background: $app; }

QToolButton {
    background: transparent; color: $text; border: ${focus_ring}px solid transparent;
    border-radius: ${radius_button}px; padding: 2px; icon-size: ${icon_s}px; font-size: ${text_m}px;
}
QToolButton:hover, QToolButton:pressed, QToolButton:checked, QToolButton:open { background: $hover; }
QToolButton:focus { border-color: $accent; }
QToolButton:disabled { background: transparent; color: $faint; }
QToolButton::menu-indicator { image: none; }

QCheckBox, QRadioButton { spacing: ${space_s}px; padding: ${space_xs}px; background: transparent; }
QCheckBox::indicator, QRadioButton::indicator { width: ${icon_s}px; height: ${icon_s}px; }
QCheckBox:disabled, QRadioButton:disabled { color: $faint; }
"""

# A border of 2 px in the place of 1 px of border and 1 px of padding, so that nothing moves when focus comes.
_FIELDS = """
QLineEdit, QTextEdit, QPlainTextEdit {
    background: $canvas; color: $text; border: 1px solid $border_strong; border-radius: ${radius_button}px;
    padding: 1px ${space_s}px; selection-background-color: $accent; selection-color: $on_accent;
    placeholder-text-color: $muted;
}
QLineEdit { min-height: ${field_inner}px; }
QComboBox { min-height: ${spin_inner}px; }
QAbstractSpinBox { min-height: ${spin_inner}px; max-height: ${spin_inner}px; }
QAbstractSpinBox QLineEdit, QComboBox QLineEdit { background: transparent; border: 0; min-height: 0; padding: 0; }
QAbstractSpinBox QLineEdit { padding: 0 ${space_xs}px; }
QTextEdit, QPlainTextEdit { padding: ${space_s}px; }
QLineEdit:focus { border: ${focus_ring}px solid $accent; padding: 0 ${pad_focused}px; }
QTextEdit:focus, QPlainTextEdit:focus { border: ${focus_ring}px solid $accent; padding: ${pad_focused}px; }
QLineEdit:disabled, QTextEdit:disabled, QPlainTextEdit:disabled {
    background: $app; color: $faint; border-color: $border;
}
QTextEdit[bare="true"], QPlainTextEdit[bare="true"], QLineEdit[bare="true"] {
    background: transparent; border: 0; padding: 0;
}
QComboBox QAbstractItemView {
    background: $raised; border: 1px solid $border_strong; padding: ${space_xs}px;
    selection-background-color: $selected; selection-color: $text; outline: 0;
}
QComboBox QAbstractItemView::item {
    min-height: ${control_small}px; padding: 0 ${space_s}px; border-radius: ${radius_small}px;
}
QComboBox QAbstractItemView::item:selected { background: $selected; color: $text; }
"""

_VIEWS = """
QAbstractScrollArea { background: transparent; border: 0; }
QAbstractItemView { selection-background-color: $selected; selection-color: $text; }
QTreeView::item { padding-left: ${space_xs}px; }
QTableView { gridline-color: $border; }
QTableView::item { padding-left: 5px; } /* and 3 px of Qt: as far as the header */
QTableCornerButton::section { background: $code_header; border: 0; border-bottom: 1px solid $border; }
QHeaderView::section {
    background: $code_header; color: $muted; border: 0; border-bottom: 1px solid $border;
    padding: ${space_xs}px ${space_s}px; font-size: ${text_s}px; font-weight: 600;
}
QScrollBar { background: transparent; border: 0; }
QScrollBar:vertical { width: ${space_m}px; }
QScrollBar:horizontal { height: ${space_m}px; }
QScrollBar::handle { background: $border_strong; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: ${control}px; }
QScrollBar::handle:horizontal { min-width: ${control}px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: $sign_idle; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; }
"""

_MENUS = """
QMenu {
    background: $raised; border: 1px solid $border_strong; padding: ${space_xs}px; icon-size: ${icon_s}px;
}
QMenu::item {
    min-height: ${control_small}px; padding: 0 ${space_l}px 0 ${space_s}px; border-radius: ${radius_small}px;
}
QMenu::item:selected { background: $selected; color: $text; }
QMenu::item:disabled { color: $faint; }
QMenu::icon { padding-left: ${space_s}px; }
QMenu::indicator { width: ${icon_s}px; height: ${icon_s}px; padding-left: ${space_s}px; }
QMenu::separator { height: 1px; background: $border; margin: ${space_xs}px; }
QMenuBar { background: $app; border-bottom: 1px solid $border; }
QMenuBar::item { background: transparent; padding: ${space_xs}px ${space_s}px; border-radius: ${radius_small}px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $selected; }
"""

_SMALL_PARTS = """
QProgressBar { background: $border; border: 0; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QSlider { min-height: ${icon_m}px; border: ${focus_ring}px solid transparent; border-radius: ${radius_small}px; }
QSlider:focus { border-color: $accent; }
QSlider::groove:horizontal { height: 4px; background: $border_strong; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal {
    width: ${icon_s}px; margin: -${slider_overhang}px 0; background: $accent; border-radius: ${space_s}px;
}
QTabBar { background: transparent; }
QTabBar::tab {
    background: transparent; color: $muted; border: 0; padding: ${space_xs}px ${space_m}px;
    min-height: ${small_inner}px; font-weight: 500; border-bottom: 2px solid transparent;
}
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabWidget::pane { border: 0; border-top: 1px solid $border; }
QGroupBox { border: 0; margin-top: ${space_xl}px; font-weight: 600; }
QMessageBox QLabel { min-width: ${user_bubble_least}px; }
QMessageBox QLabel[objectName="qt_msgbox_label"] { font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; subcontrol-position: top left; padding: 0; }
QSplitter::handle { background: $border; }
QStatusBar { background: $app; color: $muted; border-top: 1px solid $border; font-size: ${text_s}px; }
QStatusBar::item { border: 0; }
"""
