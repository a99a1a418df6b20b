"""Layouts and surfaces: columns and rows without margins, cards, and the visibility of widgets."""

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QVBoxLayout, QWidget


def column_of(parent: QWidget, *widgets: QWidget) -> QVBoxLayout:
    """Return a layout of `parent` with the widgets below each other."""
    column = QVBoxLayout(parent)
    column.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        column.addWidget(widget)
    return column


def row_of(parent: QWidget, *widgets: QWidget) -> QHBoxLayout:
    """Return a layout of `parent` with the widgets side by side."""
    row = QHBoxLayout(parent)
    row.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        row.addWidget(widget)
    return row


SurfaceKind = Literal["app", "canvas", "raised", "card", "user", "code", "composer", "track", "info", "warning"]
Edge = Literal["left", "right", "top", "bottom"]


class Surface(QFrame):
    """A frame that the style sheet fills, rounds and borders by its kind; `edge` draws a line at one side."""

    def __init__(self, kind: SurfaceKind, edge: Edge | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", kind)
        if edge is not None:
            self.setProperty("edge", edge)


class Card(Surface):
    """A bordered box on the canvas."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("card", parent=parent)


def show_when(widget: QWidget, is_wanted: bool) -> None:
    """Call `setVisible`, but never turn a widget without a parent into a window: its layout shows it later."""
    if widget.parentWidget() is not None:
        widget.setVisible(is_wanted)
    else:
        widget.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, not is_wanted)


def has_focus_within(widget: QWidget) -> bool:
    """Return whether the widget or one of its descendants has the focus."""
    focus = QApplication.focusWidget()
    return focus is not None and (focus is widget or widget.isAncestorOf(focus))
