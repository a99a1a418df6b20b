"""Columns and rows without margins, as most composed widgets have them."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget


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
