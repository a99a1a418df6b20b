"""Visibility of widgets that may not be in a window yet."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def show_when(widget: QWidget, is_wanted: bool) -> None:
    """Call `setVisible`, but never turn a widget without a parent into a window: its layout shows it later."""
    if widget.parentWidget() is not None:
        widget.setVisible(is_wanted)
    else:
        widget.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, not is_wanted)
