"""Which tools an agent has: all there are, or those that are checked."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QCheckBox, QLayout, QLineEdit, QVBoxLayout, QWidget

from core.domain.tool import server_of
from desktop.settings.tool_group import ToolGroup
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

_SEARCHED_FROM = 12


class ToolChoice(Adaptive, QWidget):
    """Every tool has a box, by the server that it is of; while all are wanted, with those to come, the boxes are
    checked and cannot be changed. A search narrows what is shown, never what is chosen."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._all = QCheckBox(self)
        self._search = QLineEdit(self)
        self._search.setClearButtonEnabled(True)
        self._nothing = Paragraph("", "secondary", "muted", parent=self)
        self._groups: dict[str | None, ToolGroup] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        for widget in (self._all, self._search, self._nothing):
            self._column.addWidget(widget)
        self._all.toggled.connect(self._follow)
        self._search.textChanged.connect(self._filter)
        self.setFocusProxy(self._all)
        self.adapt_to(theme)

    def offer(self, tools: Sequence[str], chosen: Sequence[str] | None) -> None:
        """These are there now, and an agent has those; None: all. One that is not there has a box too, so that it is
        not lost."""
        for group in self._groups.values():
            self._column.removeWidget(group)
            group.hide()
            group.deleteLater()
        self._groups = {}
        for tool in dict.fromkeys([*tools, *(chosen or ())]):
            self._group(server_of(tool)).add(tool)
        for server in sorted(self._groups, key=lambda server: (server is not None, server or "")):
            self._column.addWidget(self._groups[server])
        self._all.setChecked(chosen is None)
        for group in self._groups.values():
            group.show_chosen(None if chosen is None else set(chosen))
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

    def dress(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _group(self, server: str | None) -> ToolGroup:
        if server not in self._groups:
            self._groups[server] = ToolGroup(self._theme, server, self)
        return self._groups[server]

    def _filter(self, query: str) -> None:
        found = [(group, group.search(query)) for group in self._groups.values()]
        for group, is_found in found:
            show_when(group, is_found)
        show_when(self._nothing, bool(found) and not any(is_found for _, is_found in found))

    def _follow(self, is_all: bool) -> None:
        for group in self._groups.values():
            group.show_chosen(None if is_all else set(group.boxes))
