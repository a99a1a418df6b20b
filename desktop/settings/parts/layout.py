"""Rows of a form beside each other, or below each other where there is no room."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QWidget,
)

from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive


class ResponsiveRow(Adaptive, QWidget):
    """All share the width alike; where they are `compact`, each has its own, from the left."""

    def __init__(
        self, theme: Theme, rows: Sequence[QWidget], parent: QWidget | None = None, *, compact: bool = False
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = list(rows)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._is_compact = compact
        sides = Qt.AlignmentFlag.AlignLeft if compact else Qt.AlignmentFlag(0)
        for row in rows:
            self._box.addWidget(row, 0 if compact else 1, Qt.AlignmentFlag.AlignTop | sides)
        if compact:
            self._box.addStretch(1)
        self.adapt_to(theme)

    def apply_theme(self) -> None:
        self._box.setSpacing(self._theme.sizes.space_m)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(max(row.minimumSizeHint().width() for row in self._rows), 0)

    def _arrange(self) -> None:
        gaps = self._box.spacing() * (len(self._rows) - 1)
        widths = [row.minimumSizeHint().width() for row in self._rows]
        wanted = gaps + (sum(widths) if self._is_compact else len(widths) * max(widths))
        directions = QBoxLayout.Direction
        self._box.setDirection(directions.LeftToRight if self.width() >= wanted else directions.TopToBottom)


def center_column(column: QWidget, parent: QWidget) -> QHBoxLayout:
    """Gives `parent` a layout that holds the column in its middle, as wide as there is room and it may be."""
    layout = QHBoxLayout(parent)
    layout.addStretch()
    layout.addWidget(column, 1)
    layout.addStretch()
    return layout


_COMPOUND = QAbstractScrollArea | QAbstractSpinBox | QComboBox | QLineEdit
"""What is inside of these is theirs."""


def tab_stops(part: QWidget) -> list[QWidget]:
    """The controls of a part, in the order in which they were put into it."""
    return [
        one
        for one in (part, *part.findChildren(QWidget))
        if _is_tab_stop(one) and not isinstance(one.parentWidget(), _COMPOUND)
    ]


def chain_tab_stops(stops: Iterable[QWidget]) -> None:
    """Tab goes from each to the next."""
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)


def previous_tab_stop(control: QWidget) -> QWidget:
    """The control that comes before. Qt leaves the order as it is for what takes no focus, and takes another widget for
    one that hands its focus on."""
    before = control.previousInFocusChain()
    while before is not None and before is not control and not _is_tab_stop(before):
        before = before.previousInFocusChain()
    return before or control


def _is_tab_stop(widget: QWidget) -> bool:
    return widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and widget.focusProxy() is None
