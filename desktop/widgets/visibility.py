"""Showing and hiding a widget that may not stand in a window yet."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def show_when(widget: QWidget, is_wanted: bool) -> None:
    """`setVisible`, but a widget without a parent does not become a window: the layout that takes it in shows it."""
    if widget.parentWidget() is not None:
        widget.setVisible(is_wanted)
    else:
        widget.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, not is_wanted)
