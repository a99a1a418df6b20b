"""The Keys page: all commands with their keys, grouped by context, and the editor of the selected command."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from desktop.settings.keys.key_editor import KeyBindingEditor
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.setting_strings import setting_refusal_text
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.custom_keys import KeyOverrides
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.shortcuts.command import Command, KeyScope
from desktop.shortcuts.key_strings import key_names, problem_sentence, scope_title
from desktop.shortcuts.keymap import Keymap
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, Paragraph, column_of, matches, show_when

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


_LISTED_PROBLEMS = 5


class _SearchField(QLineEdit):
    """A search field that emits `exited` on Down and Enter. Esc clears it first."""

    exited = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.exited.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class KeysPage(Page):
    """Reports each change with its undo."""

    page_id = PageId.KEYS

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._keys = context.keys
        theme, keymap = context.theme, context.keys.keymap
        self._problems = Paragraph("", "label", "warn")
        self._find = _SearchField()
        self._find.addAction(theme.icon(Icon.SEARCH), QLineEdit.ActionPosition.LeadingPosition)
        self._tree = KeyBindingTree(theme, keymap)
        self._editor = KeyBindingEditor(theme, keymap)
        self._reset_all = Button(theme)
        self._list = QWidget()
        self._list_column = column_of(self._list, self._problems, self._find, self._tree, self._editor)
        self._list_column.addWidget(self._reset_all, 0, Qt.AlignmentFlag.AlignLeft)
        self.add(self._list, self._search_text)
        self._list_column.setStretchFactor(self._tree, 1)
        self.fill_with(self._list)
        self._find.textChanged.connect(self._tree.filter)
        self._find.exited.connect(partial(self._tree.setFocus, Qt.FocusReason.OtherFocusReason))
        self._tree.chosen.connect(self._editor.show_command)
        self._tree.entered.connect(self._editor.focus_first)
        self._editor.closed.connect(partial(self._tree.setFocus, Qt.FocusReason.OtherFocusReason))
        self._editor.bindings_chosen.connect(self._set_keys)
        self._editor.expanded.connect(
            partial(QTimer.singleShot, 0, self, self._scroll_to_editor)
        )  # when it has its place
        self._editor.reset.connect(self._reset)
        self._reset_all.clicked.connect(self._reset_all_keys)
        keymap.changed.connect(self._refresh)
        self._editor.show_command(self._tree.current)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self._find.setPlaceholderText(self.tr("Find a command or a key"))
        self._find.setAccessibleName(self.tr("Find a command or a key"))
        self._reset_all.setText(self.tr("Reset all keys"))
        self._refresh()

    def apply_theme(self) -> None:
        super().apply_theme()
        self._list_column.setSpacing(self._theme.sizes.space_s)

    def _scroll_to_editor(self) -> None:
        self.ensureWidgetVisible(self._editor, 0, self._theme.sizes.space_s)

    def _search_text(self) -> str:
        return self._tree.search_text()

    def _refresh(self) -> None:
        keymap = self._keys.keymap
        show_when(self._reset_all, any(command.id in keymap.own for command in keymap.commands))
        lines = [
            problem_sentence(problem.kind).format(command=self._name(problem.command_id), key=problem.key)
            for problem in keymap.problems
        ]
        if len(lines) > _LISTED_PROBLEMS:
            lines = [*lines[:_LISTED_PROBLEMS], "…"]
        self._problems.setText("\n".join([self.tr("Some of the keys that were kept are not used:"), *lines]))
        show_when(self._problems, bool(lines))

    def _name(self, command_id: str) -> str:
        known = {command.id: command for command in self._keys.keymap.commands}
        return known[command_id].label if command_id in known else command_id

    # Changing

    def _set_keys(self, command_id: str, chords: list[str]) -> None:
        self._change(self._keys.with_keys(command_id, chords), partial(self._keys_text, command_id))

    def _reset(self, command_id: str) -> None:
        self._change(self._keys.without_command(command_id), partial(self._keys_text, command_id))

    def _reset_all_keys(self) -> None:
        self._change(self._keys.without_commands(), self._all_text)
        self._find.setFocus(Qt.FocusReason.OtherFocusReason)

    def _change(self, overrides: KeyOverrides, text: Callable[[bool], str]) -> None:
        former = dict(self._keys.keymap.own)
        if self._save(overrides):
            action = UndoableAction(text, partial(self._save, former), partial(self._save, overrides))
            self._context.history.record(action)

    def _save(self, overrides: KeyOverrides) -> bool:
        is_saved = self._keys.save(overrides)
        if not is_saved:
            self._context.history.report(setting_refusal_text("window_state_not_kept"), is_problem=True)
        return is_saved

    def _keys_text(self, command_id: str, is_undone: bool) -> str:
        keys = key_names(self._keys.keymap.keys(command_id)) or self.tr("no key")
        text = self.tr("Undone. {command}: {keys}") if is_undone else self.tr("{command}: {keys}")
        return text.format(command=self._name(command_id), keys=keys)

    def _all_text(self, is_undone: bool) -> str:
        return self.tr("Your own keys are back.") if is_undone else self.tr("All keys are as they came.")
