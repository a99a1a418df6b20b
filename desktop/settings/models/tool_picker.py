"""The tools of an origin, with check boxes: built-in tools, or an MCP server's."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLayout, QLineEdit, QWidget

from core.domain.tool import mcp_server_of
from desktop.theme import Theme
from desktop.translation import number, short_tool_name
from desktop.widgets import Adaptive, Button, Paragraph, column_of, matches, set_plain_tool_tip, show_when

_COLUMNS = 2
_FOLDED_FROM = 12


class ToolGroup(Adaptive, QWidget):
    """`server` is the server's id, None for built-in tools. The group's own check box checks or clears all. Long groups
    start collapsed; a search expands matches.
    """

    changed = Signal()

    def __init__(self, theme: Theme, server: str | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.server = server
        self.boxes: dict[str, QCheckBox] = {}
        self._shown: list[str] = []
        self._query = ""
        self._is_open: bool | None = None
        self._columns = 0
        self.group_box = QCheckBox(self)
        self.fold_button = Button(theme, kind="link", is_small=True, parent=self)
        self._head = QHBoxLayout()
        self._head.addWidget(self.group_box, 1)
        self._head.addWidget(self.fold_button)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._column = column_of(self)
        self._column.setSpacing(0)
        self._column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._column.addLayout(self._head)
        self._column.addLayout(self._grid)
        self.group_box.clicked.connect(self._check_all)
        self.fold_button.clicked.connect(self._on_fold_clicked)
        self.adapt_to(theme)

    def add(self, tool: str) -> None:
        box = QCheckBox(self)
        box.setAccessibleName(tool)
        box.toggled.connect(self._update_check_state)
        self.boxes[tool] = box

    def set_chosen(self, tools: set[str] | None) -> None:
        """Check these tools; None checks and disables all."""
        for tool, box in self.boxes.items():
            box.setChecked(tools is None or tool in tools)
            box.setEnabled(tools is not None)
        self.group_box.setEnabled(tools is not None)
        self.search(self._query)
        self._update_check_state()

    def search(self, query: str) -> bool:
        """Show the matching tools. Return whether there are any."""
        self._query = query
        name = self.server or ""
        self._shown = [tool for tool in self.boxes if matches(query, f"{name} {tool}")]
        self._arrange()
        return bool(self._shown)

    def retranslate(self) -> None:
        self._update_check_state()

    def apply_theme(self) -> None:
        self._grid.setHorizontalSpacing(self._theme.sizes.space_m)
        self._grid.setContentsMargins(self._theme.sizes.space_l, 0, 0, self._theme.sizes.space_xs)
        self._grid.setVerticalSpacing(0)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fold_button.sizeHint().width() + self._theme.sizes.row, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def is_open(self) -> bool:
        if self._query.strip():
            return True
        return self._is_open if self._is_open is not None else self.server is None or len(self.boxes) < _FOLDED_FROM

    def _arrange(self) -> None:
        """Arrange the visible tools in as many columns as fit."""
        for box in self.boxes.values():
            self._grid.removeWidget(box)
        shown = self._shown if self.is_open else []
        columns = max(1, self._columns)
        for at, tool in enumerate(shown):
            self._grid.addWidget(self.boxes[tool], at // columns, at % columns, Qt.AlignmentFlag.AlignLeft)
        for tool, box in self.boxes.items():
            show_when(box, tool in shown)
        show_when(self.fold_button, not self._query.strip() and self.server is not None)
        self._update_labels()

    def _fit(self) -> None:
        """Use two columns if every name fits; elide names that are too long for one column, with a tool tip."""
        sizes = self._theme.sizes
        around = sizes.icon_s + 2 * sizes.space_s + 2 * sizes.space_xs
        width = self.width() - sizes.space_l
        metrics = self.group_box.fontMetrics()
        names = {tool: short_tool_name(tool) for tool in self.boxes}
        widest = max(map(metrics.horizontalAdvance, names.values()), default=0) + around
        columns = _COLUMNS if width >= _COLUMNS * widest + self._grid.horizontalSpacing() else 1
        if columns != self._columns:
            self._columns = columns
            self._arrange()
        for tool, box in self.boxes.items():
            shown = metrics.elidedText(names[tool], Qt.TextElideMode.ElideRight, max(around, width - around))
            box.setText(shown.replace("&", "&&"))
            set_plain_tool_tip(box, tool if shown != tool else "")

    def _update_check_state(self) -> None:
        """Update the group's check state and its label."""
        checked = sum(box.isChecked() for box in self.boxes.values())
        states = Qt.CheckState
        is_some = 0 < checked < len(self.boxes)
        # A tristate box would cycle through the partial state on clicks.
        self.group_box.setTristate(is_some)
        self.group_box.setCheckState(
            states.PartiallyChecked if is_some else states.Checked if checked else states.Unchecked
        )
        self._update_labels()
        self.changed.emit()

    def _update_labels(self) -> None:
        checked = sum(box.isChecked() for box in self.boxes.values())
        text = self.tr("Of Metier") if self.server is None else self.tr("Of the server “{server}”")
        counted = self.tr("{words}: {count} of {all}").format(
            words=text.format(server=self.server), count=number(checked), all=number(len(self.boxes))
        )
        self.group_box.setText(counted.replace("&", "&&"))
        self.group_box.setAccessibleName(counted)
        self.fold_button.setText(self.tr("Hide") if self.is_open else self.tr("Show"))
        name = self.tr("Hide: {words}") if self.is_open else self.tr("Show: {words}")
        self.fold_button.setAccessibleName(name.format(words=text.format(server=self.server)))

    def _check_all(self) -> None:
        """Check all visible tools, or clear them if all are checked."""
        # Only visible tools: a search limits what the box changes.
        is_wanted = not all(self.boxes[tool].isChecked() for tool in self._shown)
        for tool in self._shown:
            self.boxes[tool].setChecked(is_wanted)
        self._update_check_state()

    def _on_fold_clicked(self) -> None:
        self._is_open = not self.is_open
        self._arrange()


_SEARCHED_FROM = 12


class ToolPicker(Adaptive, QWidget):
    """A check box per tool, grouped by server; while all tools are allowed, including future ones, the boxes are
    checked and disabled. A search only filters what is visible.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._all = QCheckBox(self)
        self._search = QLineEdit(self)
        self._search.setClearButtonEnabled(True)
        self._nothing = Paragraph("", "secondary", "muted", parent=self)
        self._groups: dict[str | None, ToolGroup] = {}
        self._column = column_of(self)
        self._column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        for widget in (self._all, self._search, self._nothing):
            self._column.addWidget(widget)
        self._all.toggled.connect(self._on_all_toggled)
        self._search.textChanged.connect(self._filter)
        self.setFocusProxy(self._all)
        self.adapt_to(theme)

    def set_options(self, tools: Sequence[str], chosen: Sequence[str] | None) -> None:
        """Show these tools and the agent's choice; None: all. A missing tool keeps a box, so that it is not lost."""
        for group in self._groups.values():
            self._column.removeWidget(group)
            group.hide()
            group.deleteLater()
        self._groups = {}
        # Without its box a missing tool would be lost on saving.
        for tool in dict.fromkeys([*tools, *(chosen or ())]):
            self._group(mcp_server_of(tool)).add(tool)
        for server in sorted(self._groups, key=lambda server: (server is not None, server or "")):
            self._column.addWidget(self._groups[server])
        self._all.setChecked(chosen is None)
        for group in self._groups.values():
            group.set_chosen(None if chosen is None else set(chosen))
            group.show()
        show_when(self._search, sum(len(group.boxes) for group in self._groups.values()) >= _SEARCHED_FROM)
        self._search.setText("")
        self._filter("")

    def chosen(self) -> tuple[str, ...] | None:
        if self._all.isChecked():
            return None
        boxes = [pair for group in self._groups.values() for pair in group.boxes.items()]
        return tuple(tool for tool, box in boxes if box.isChecked())

    def retranslate(self) -> None:
        self._all.setText(self.tr("All tools, also those to come"))
        self._all.setAccessibleName(self._all.text())
        self._search.setPlaceholderText(self.tr("Search tools"))
        self._search.setAccessibleName(self.tr("Search tools"))
        self._nothing.setText(self.tr("No tool has these words in its name. Other words may find one."))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._all.sizeHint().width(), 0)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _group(self, server: str | None) -> ToolGroup:
        if server not in self._groups:
            self._groups[server] = ToolGroup(self._theme, server, self)
        return self._groups[server]

    def _filter(self, query: str) -> None:
        matching = [(group, group.search(query)) for group in self._groups.values()]
        for group, is_found in matching:
            show_when(group, is_found)
        show_when(self._nothing, bool(matching) and not any(is_found for _, is_found in matching))

    def _on_all_toggled(self, is_all: bool) -> None:
        for group in self._groups.values():
            group.set_chosen(None if is_all else set(group.boxes))
