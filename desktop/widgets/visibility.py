"""Helpers for the visibility and the focus of widgets."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


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
