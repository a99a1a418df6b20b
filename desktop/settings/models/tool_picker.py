"""The tools of an origin, with check boxes: built-in tools, or an MCP server's."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLayout, QLineEdit, QWidget

from core.domain.tool import mcp_server_of
from desktop.theme import Theme
from desktop.translation import number, short_tool_name
from desktop.widgets import Adaptive, Button, Paragraph, column_of, matches, set_plain_tool_tip, show_when

_COLUMNS = 2
_FOLDED_FROM = 12
_MOST_BOXES = 100


class ToolGroup(Adaptive, QWidget):
    """`server` is the server's id, None for built-in tools. The group's own check box checks or clears all. Long groups
    start collapsed; a search expands matches. Only the first matches have boxes: a server may have thousands of tools.
    """

    changed = Signal()

    def __init__(self, theme: Theme, server: str | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.server = server
        self.tools: dict[str, bool] = {}
        self._boxes: dict[str, QCheckBox] = {}
        self._found: list[str] = []
        self._query = ""
        self._is_open: bool | None = None
        self._can_choose = True
        self._columns = 0
        self.group_box = QCheckBox(self)
        self.fold_button = Button(theme, kind="link", is_small=True, parent=self)
        self._more = Paragraph("", "secondary", "muted", parent=self)
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
        self._column.addWidget(self._more)
        self.group_box.clicked.connect(self._check_all)
        self.fold_button.clicked.connect(self._on_fold_clicked)
        self.adapt_to(theme)

    def add(self, tool: str) -> None:
        self.tools[tool] = False

    def set_chosen(self, tools: set[str] | None) -> None:
        """Check these tools; None checks and disables all."""
        self.tools = {tool: tools is None or tool in tools for tool in self.tools}
        self._can_choose = tools is not None
        self.group_box.setEnabled(self._can_choose)
        self.search(self._query)
        self._update_check_state()

    def search(self, query: str) -> bool:
        """Show the matching tools. Return whether there are any."""
        self._query = query
        name = self.server or ""
        self._found = [tool for tool in self.tools if matches(query, f"{name} {tool}")]
        self._arrange()
        return bool(self._found)

    def retranslate(self) -> None:
        self._update_check_state()

    def apply_theme(self) -> None:
        self._grid.setHorizontalSpacing(self._theme.sizes.space_m)
        self._grid.setContentsMargins(self._theme.sizes.space_l, 0, 0, self._theme.sizes.space_xs)
        self._grid.setVerticalSpacing(0)
        self._more.setContentsMargins(self._theme.sizes.space_l, 0, 0, 0)
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
        return self._is_open if self._is_open is not None else self.server is None or len(self.tools) < _FOLDED_FROM

    def _arrange(self) -> None:
        """Arrange the visible tools in as many columns as fit."""
        for box in self._boxes.values():
            self._grid.removeWidget(box)
        shown = self._found[:_MOST_BOXES] if self.is_open else []
        visible = frozenset(shown)
        for tool in shown:
            if tool not in self._boxes:
                self._boxes[tool] = self._new_box(tool)
        columns = self._columns = self._fitting_columns()
        for at, tool in enumerate(shown):
            self._grid.addWidget(self._boxes[tool], at // columns, at % columns, Qt.AlignmentFlag.AlignLeft)
        for tool, box in self._boxes.items():
            self._show_state(tool)
            show_when(box, tool in visible)
        self._elide()
        show_when(self.fold_button, not self._query.strip() and self.server is not None)
        show_when(self._more, self.is_open and len(self._found) > len(shown))
        self._update_labels()

    def _new_box(self, tool: str) -> QCheckBox:
        box = QCheckBox(self)
        box.setAccessibleName(tool)
        box.toggled.connect(partial(self._on_toggled, tool))
        return box

    def _show_state(self, tool: str) -> None:
        """Show whether the tool is chosen, without the signal of a click."""
        box = self._boxes[tool]
        blocker = QSignalBlocker(box)
        box.setChecked(self.tools[tool])
        blocker.unblock()
        box.setEnabled(self._can_choose)

    def _fit(self) -> None:
        if self._fitting_columns() != self._columns:
            self._arrange()
        else:
            self._elide()

    def _around(self) -> int:
        sizes = self._theme.sizes
        return sizes.icon_s + 2 * sizes.space_s + 2 * sizes.space_xs

    def _fitting_columns(self) -> int:
        """Return two columns if every name fits, else one."""
        metrics = self.group_box.fontMetrics()
        widest = max((metrics.horizontalAdvance(short_tool_name(tool)) for tool in self._boxes), default=0)
        needed = _COLUMNS * (widest + self._around()) + self._grid.horizontalSpacing()
        return _COLUMNS if self.width() - self._theme.sizes.space_l >= needed else 1

    def _elide(self) -> None:
        """Elide names that are too long for one column, with a tool tip."""
        metrics, around = self.group_box.fontMetrics(), self._around()
        width = self.width() - self._theme.sizes.space_l
        for tool, box in self._boxes.items():
            name = short_tool_name(tool)
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(around, width - around))
            box.setText(shown.replace("&", "&&"))
            set_plain_tool_tip(box, tool if shown != tool else "")

    def _update_check_state(self) -> None:
        """Update the group's check state and its label."""
        checked = sum(self.tools.values())
        states = Qt.CheckState
        is_some = 0 < checked < len(self.tools)
        # A tristate box would cycle through the partial state on clicks.
        self.group_box.setTristate(is_some)
        self.group_box.setCheckState(
            states.PartiallyChecked if is_some else states.Checked if checked else states.Unchecked
        )
        self._update_labels()
        self.changed.emit()

    def _update_labels(self) -> None:
        text = self.tr("Of Metier") if self.server is None else self.tr("Of the server “{server}”")
        counted = self.tr("{words}: {count} of {all}").format(
            words=text.format(server=self.server), count=number(sum(self.tools.values())), all=number(len(self.tools))
        )
        self.group_box.setText(counted.replace("&", "&&"))
        self.group_box.setAccessibleName(counted)
        self.fold_button.setText(self.tr("Hide") if self.is_open else self.tr("Show"))
        name = self.tr("Hide: {words}") if self.is_open else self.tr("Show: {words}")
        self.fold_button.setAccessibleName(name.format(words=text.format(server=self.server)))
        rest = number(len(self._found) - _MOST_BOXES)
        self._more.setText(self.tr("{count} more: search for their names.").format(count=rest))

    def _on_toggled(self, tool: str, is_checked: bool) -> None:
        self.tools[tool] = is_checked
        self._update_check_state()

    def _check_all(self) -> None:
        """Check all matching tools, or clear them if all are checked."""
        # Only those: a search limits what the box changes.
        is_wanted = not all(self.tools[tool] for tool in self._found)
        self.tools |= dict.fromkeys(self._found, is_wanted)
        for tool in self._boxes:
            self._show_state(tool)
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
        show_when(self._search, sum(len(group.tools) for group in self._groups.values()) >= _SEARCHED_FROM)
        self._search.setText("")
        self._filter("")

    def chosen(self) -> tuple[str, ...] | None:
        if self._all.isChecked():
            return None
        pairs = [pair for group in self._groups.values() for pair in group.tools.items()]
        return tuple(tool for tool, is_chosen in pairs if is_chosen)

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
            group.set_chosen(None if is_all else set(group.tools))
