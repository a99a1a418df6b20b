"""Layout helpers: responsive rows and the centred column."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QWidget

from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive


class ResponsiveRow(Adaptive, QWidget):
    """Shares the width equally; with `compact`, each widget has its own width, from the left."""

    def __init__(
        self, theme: Theme, rows: Sequence[QWidget], parent: QWidget | None = None, *, compact: bool = False
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = list(rows)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        # The minimum of the wide arrangement would keep the widget from ever becoming narrow.
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
        needed = gaps + (sum(widths) if self._is_compact else len(widths) * max(widths))
        directions = QBoxLayout.Direction
        self._box.setDirection(directions.LeftToRight if self.width() >= needed else directions.TopToBottom)


def center_column(column: QWidget, parent: QWidget) -> QHBoxLayout:
    """Return a layout of `parent` that centres the column, at most at its maximum width."""
    layout = QHBoxLayout(parent)
    layout.addStretch()
    layout.addWidget(column, 1)
    layout.addStretch()
    return layout
