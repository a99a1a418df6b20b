"""The Keys page: every command with its keys, which can be changed (UI §8)."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.settings.keys.key_editor import KeyBindingEditor
from desktop.settings.keys.key_tree import KeyBindingTree
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.setting_strings import setting_refusal_text
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.custom_keys import KeyOverrides
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.shortcuts.key_strings import key_names, problem_sentence
from desktop.theme.icon_names import Icon
from desktop.widgets.buttons import Button
from desktop.widgets.layouts import column_of
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

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
