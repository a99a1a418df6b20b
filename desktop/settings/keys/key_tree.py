"""All commands with their keys, grouped by context."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from desktop.shortcuts.command import Command, KeyScope
from desktop.shortcuts.key_strings import key_names, scope_title
from desktop.shortcuts.keymap import Keymap
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.list_search import matches

_ID = Qt.ItemDataRole.UserRole
_ROWS = 7


class KeyBindingTree(Adaptive, QTreeWidget):
    """Arrow keys and clicks choose a command."""

    chosen = Signal(str)
    """Its id."""
    entered = Signal()
    """Enter was pressed on a command, or it was clicked twice: its keys are to be changed."""

    def __init__(self, theme: Theme, keymap: Keymap, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._keymap = keymap
        self._query = ""
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setItemsExpandable(False)
        self.setUniformRowHeights(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.header().setStretchLastSection(False)
        self._rows: dict[str, QTreeWidgetItem] = {}
        self._groups: list[tuple[KeyScope, QTreeWidgetItem]] = []
        self._fill()
        self.currentItemChanged.connect(self._emit_chosen)
        self.itemActivated.connect(self.entered)
        keymap.changed.connect(self.retranslate)
        self.adapt_to(theme)

    def choose(self, command_id: str) -> None:
        self.setCurrentItem(self._rows[command_id])

    @property
    def current(self) -> str:
        """The id of the chosen command; empty for none."""
        item = self.currentItem()
        return str(item.data(0, _ID) or "") if item is not None else ""

    def filter(self, query: str) -> None:
        """Filter by name, context or key, and choose the first match."""
        self._query = query
        self._apply_filter()

    def visible_bindings(self) -> dict[str, str]:
        """Return the visible names with their keys."""
        return {item.text(0): item.text(1) for item in self._rows.values() if not item.isHidden()}

    def search_text(self) -> str:
        """Return the text that the settings search matches."""
        return " ".join(item.text(0) for item in self._rows.values())

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Commands and their keys"))
        for scope, group in self._groups:
            group.setText(0, scope_title(scope))
        for command_id, item in self._rows.items():
            item.setText(0, self._keymap.command(command_id).label)
            item.setText(1, key_names(self._keymap.shown(command_id)))
            font = QFont(self.font())
            font.setBold(self._keymap.has_own(command_id))
            item.setFont(1, font)
        self._apply_filter()

    def apply_theme(self) -> None:
        for _, group in self._groups:
            group.setFont(0, self._theme.font("section"))
            group.setForeground(0, self._theme.color("muted"))
        self.setMinimumHeight(_ROWS * max(self.sizeHintForRow(0), self._theme.sizes.control_small))

    def _fill(self) -> None:
        for scope in KeyScope:
            commands = [command for command in self._keymap.commands if _is_listed(command, scope)]
            if not commands:
                continue
            group = next((item for other, item in self._groups if scope_title(other) == scope_title(scope)), None)
            if group is None:
                group = QTreeWidgetItem(self)
                group.setFlags(Qt.ItemFlag.ItemIsEnabled)
                group.setFirstColumnSpanned(True)
                self._groups.append((scope, group))
            for command in commands:
                item = QTreeWidgetItem(group)
                item.setData(0, _ID, command.id)
                self._rows[command.id] = item
            group.setExpanded(True)

    def _apply_filter(self) -> None:
        for _, group in self._groups:
            is_any = False
            for item in self._rows.values():
                if item.parent() is not group:
                    continue
                is_found = matches(self._query, f"{group.text(0)} {item.text(0)} {item.text(1)}")
                item.setHidden(not is_found)
                is_any = is_any or is_found
            group.setHidden(not is_any)
        now = self.currentItem()
        if now is None or now.isHidden() or not now.data(0, _ID):
            first = next((item for item in self._rows.values() if not item.isHidden()), None)
            if first is not None:
                self.setCurrentItem(first)

    def _emit_chosen(self) -> None:
        if self.current:
            self.chosen.emit(self.current)


def _is_listed(command: Command, scope: KeyScope) -> bool:
    """Return whether the command's first context is this; each command is listed once."""
    return command.scopes[0] is scope
