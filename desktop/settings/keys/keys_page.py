"""Keys: every command with its keys, which can be others (UI §8)."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.settings.keys.key_editor import KeyBindingEditor
from desktop.settings.keys.key_tree import KeyBindingTree
from desktop.settings.parts.page import Page, PageId
from desktop.settings.parts.setting_strings import setting_refusal_text
from desktop.settings.sources.custom_keys import CustomKeys, KeyOverrides
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.shortcuts.key_strings import key_names, problem_sentence
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

_LISTED_PROBLEMS = 5


class _SearchField(QLineEdit):
    """`left`: a person goes on in what was found. Esc empties it first."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class KeysPage(Page):
    """What was done last is `told`, with its undo."""

    def __init__(
        self, theme: Theme, own: CustomKeys, told: Callable[[UndoableAction], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, PageId.KEYS, parent)
        self._own = own
        self._told = told
        keymap = own.keymap
        self._problems = Paragraph("", "label", "warn")
        self._find = _SearchField()
        self._find.addAction(theme.icon(Icon.SEARCH), QLineEdit.ActionPosition.LeadingPosition)
        self._tree = KeyBindingTree(theme, keymap)
        self._card = KeyBindingEditor(theme, keymap)
        self._reset_all = Button(theme)
        self._list = QWidget()
        self._list_column = QVBoxLayout(self._list)
        self._list_column.setContentsMargins(0, 0, 0, 0)
        for widget in (self._problems, self._find, self._tree, self._card):
            self._list_column.addWidget(widget)
        self._list_column.addWidget(self._reset_all, 0, Qt.AlignmentFlag.AlignLeft)
        self.add(self._list, self._searched)
        self._list_column.setStretchFactor(self._tree, 1)
        self.fill_with(self._list)
        self._find.textChanged.connect(self._tree.narrow)
        self._find.left.connect(partial(self._tree.setFocus, Qt.FocusReason.OtherFocusReason))
        self._tree.chosen.connect(self._card.show_command)
        self._tree.entered.connect(self._card.focus_first)
        self._card.left.connect(partial(self._tree.setFocus, Qt.FocusReason.OtherFocusReason))
        self._card.given.connect(self._give)
        self._card.grown.connect(partial(QTimer.singleShot, 0, self, self._reveal_card))  # when it has its place
        self._card.reset.connect(self._reset)
        self._reset_all.clicked.connect(self._reset_every)
        keymap.changed.connect(self._refresh)
        self._card.show_command(self._tree.current)
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

    def _reveal_card(self) -> None:
        self.ensureWidgetVisible(self._card, 0, self._theme.sizes.space_s)

    def _searched(self) -> str:
        return self._tree.searched()

    def _refresh(self) -> None:
        keymap = self._own.keymap
        show_when(self._reset_all, any(one.id in keymap.own for one in keymap.commands))
        problems = keymap.problems
        told = [(problem_sentence(one.kind), self._name(one.command_id), one.key) for one in problems]
        lines = [sentence.format(command=name, key=key) for sentence, name, key in told]
        if len(lines) > _LISTED_PROBLEMS:
            lines = [*lines[:_LISTED_PROBLEMS], "…"]
        self._problems.setText("\n".join([self.tr("Some of the keys that were kept are not used:"), *lines]))
        show_when(self._problems, bool(problems))

    def _name(self, command_id: str) -> str:
        known = {one.id: one for one in self._own.keymap.commands}
        return known[command_id].label if command_id in known else command_id

    # Changing

    def _give(self, command_id: str, chords: list[str]) -> None:
        self._change(self._own.given(command_id, chords), partial(self._keys_words, command_id))

    def _reset(self, command_id: str) -> None:
        self._change(self._own.reset(command_id), partial(self._keys_words, command_id))

    def _reset_every(self) -> None:
        self._change(self._own.reset_all(), self._all_words)
        self._find.setFocus(Qt.FocusReason.OtherFocusReason)

    def _change(self, own: KeyOverrides, words: Callable[[bool], str]) -> None:
        former = dict(self._own.keymap.own)
        if self._keep(own):
            self._told(UndoableAction(words, partial(self._keep, former), partial(self._keep, own)))

    def _keep(self, own: KeyOverrides) -> bool:
        is_kept = self._own.keep(own)
        if not is_kept:
            refused = setting_refusal_text("window_state_not_kept")
            self._told(UndoableAction(lambda _: refused, is_problem=True))
        return is_kept

    def _keys_words(self, command_id: str, is_undone: bool) -> str:
        keys = key_names(self._own.keymap.keys(command_id)) or self.tr("no key")
        words = self.tr("Undone. {command}: {keys}") if is_undone else self.tr("{command}: {keys}")
        return words.format(command=self._name(command_id), keys=keys)

    def _all_words(self, is_undone: bool) -> str:
        return self.tr("Your own keys are back.") if is_undone else self.tr("All keys are as they came.")
