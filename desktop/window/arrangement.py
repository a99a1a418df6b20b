"""How the parts of the window stand: the sidebar, the middle, the activity; the status line below all (UI §1)."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget


def arrange(
    content: QWidget, sidebar: QWidget, heads: Sequence[QWidget], centre: QWidget, activity: QWidget, status: QWidget
) -> None:
    """Lay the content out; `heads` stand above the centre."""
    middle = QWidget(content)
    column = QVBoxLayout(middle)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for head in heads:
        column.addWidget(head)
    column.addWidget(centre, 1)
    outer = QVBoxLayout(content)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.setSpacing(0)
    row = QHBoxLayout()
    row.setSpacing(0)
    outer.addLayout(row, 1)
    outer.addWidget(status)
    row.addWidget(sidebar)
    row.addWidget(middle, 1)
    row.addWidget(activity)
