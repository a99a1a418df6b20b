"""The column that pages and the line below them share."""

from PySide6.QtWidgets import QHBoxLayout, QWidget


def center(column: QWidget, parent: QWidget) -> QHBoxLayout:
    """Gives `parent` a layout that holds the column in its middle, as wide as there is room and it may be."""
    layout = QHBoxLayout(parent)
    layout.addStretch()
    layout.addWidget(column, 1)
    layout.addStretch()
    return layout
