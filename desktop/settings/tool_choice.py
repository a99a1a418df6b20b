"""Which tools an agent has: all there are, or those that are checked."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLayout, QWidget

from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import plain_tool_tip

_COLUMNS = 2


class ToolChoice(Adaptive, QWidget):
    """Every tool has a box; while all are wanted, with those to come, the boxes are checked and cannot be changed."""

    def __init__(self, theme: Theme, tools: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._all = QCheckBox(self)
        self._boxes: dict[str, QCheckBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._columns = 1
        self._grid.addWidget(self._all, 0, 0, 1, _COLUMNS)
        for tool in tools:
            self._add(tool)
        self._all.toggled.connect(self._follow)
        self.setFocusProxy(self._all)
        self.adapt_to(theme)

    def show_chosen(self, tools: Sequence[str] | None) -> None:
        """None: all. One that is not there now has a box too, so that it is not lost."""
        for tool in tools or ():
            if tool not in self._boxes:
                self._add(tool)
        for tool, box in self._boxes.items():
            box.setChecked(tools is None or tool in tools)
        self._all.setChecked(tools is None)
        self._follow(tools is None)

    def chosen(self) -> tuple[str, ...] | None:
        if self._all.isChecked():
            return None
        return tuple(tool for tool, box in self._boxes.items() if box.isChecked())

    def retranslate(self) -> None:
        self._all.setText(self.tr("All tools, also those to come"))
        self._all.setAccessibleName(self._all.text())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._all.sizeHint().width(), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def dress(self) -> None:
        self._grid.setHorizontalSpacing(self._theme.sizes.space_m)
        self._grid.setVerticalSpacing(0)
        self._fit()

    def _add(self, tool: str) -> None:
        box = QCheckBox(tool.replace("&", "&&"), self)
        box.setAccessibleName(tool)
        self._boxes[tool] = box
        self._place()

    def _place(self) -> None:
        """Every box where the columns of now have it."""
        for at, box in enumerate(self._boxes.values()):
            self._grid.addWidget(box, 1 + at // self._columns, at % self._columns, Qt.AlignmentFlag.AlignLeft)

    def _fit(self) -> None:
        """Two columns if every name has the room; one that has none in one column is cut, with a tool tip."""
        sizes = self._theme.sizes
        around = sizes.icon_s + 2 * sizes.space_s + 2 * sizes.space_xs
        metrics = self._all.fontMetrics()
        widest = max((metrics.horizontalAdvance(tool) for tool in self._boxes), default=0) + around
        columns = _COLUMNS if self.width() >= _COLUMNS * widest + self._grid.horizontalSpacing() else 1
        if columns != self._columns:
            self._columns = columns
            self._place()
        for tool, box in self._boxes.items():
            shown = metrics.elidedText(tool, Qt.TextElideMode.ElideRight, max(around, self.width() - around))
            box.setText(shown.replace("&", "&&"))
            box.setToolTip(plain_tool_tip(tool if shown != tool else ""))

    def _follow(self, is_all: bool) -> None:
        for box in self._boxes.values():
            box.setEnabled(not is_all)
            if is_all:
                box.setChecked(True)
