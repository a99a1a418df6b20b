"""The event filter for all keys of the window (UI §4).

In this order: keys of an input method's composition pass untouched; then custom keys of the focused scope are applied;
then Ctrl or Alt with a key of the digit row works by the position of the key, unless its character has a meaning. Keys
that lead to pending requests work in open menus and questions too.
"""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox, QWidget
from shiboken6 import isValid

from desktop.settings.keys.key_editor import KeyRecorder
from desktop.shortcuts.chords import chord_of, digit_of, key_combination, types_character
from desktop.shortcuts.command import LOCAL_SCOPES, Command, KeyScope
from desktop.shortcuts.keymap import Keymap
from desktop.window.base.focus import PreeditTracker
from desktop.window.commands.key_context import KeyContext

_ATTENTION_COMMANDS = ("go.next_attention", "go.previous_attention")


class Keyboard(QObject):
    """An event filter of the application for the keys of one window. `carry_out` runs a global command.

    A widget handles the default keys of its scope only. A custom key is sent to it as the default key, and a default
    key that the user reassigned is withheld.
    """

    def __init__(
        self, window: QWidget, keymap: Keymap, places: KeyContext, carry_out: Callable[[str], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._keymap = keymap
        self._places = places
        self._carry_out = carry_out
        self._preedit = PreeditTracker()
        self._is_sending = False
        self._row: dict[int, str] = {}
        keymap.changed.connect(self._tell_covered)
        self._heard: dict[KeyScope, frozenset[str]] = {where: _widget_keys(keymap, where) for where in LOCAL_SCOPES}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):  # first: this is asked of every event that there is
            self._preedit.look(watched, event)
            return False
        kind = event.type()
        if self._is_sending or not isinstance(watched, QWidget):
            return False
        if self._preedit.is_at(watched):
            event.accept()  # or a shortcut would take the key from the input method
            return True
        if kind == QEvent.Type.KeyRelease or isinstance(watched, KeyRecorder) or not self._is_ours(watched):
            return False
        self._learn(event)
        if isinstance(QApplication.activePopupWidget(), QMenu):
            return self._on_menu(event)
        if isinstance(asked := QApplication.activeModalWidget(), QMessageBox):
            return self._on_question(asked, event)
        if watched is QApplication.focusWidget() and self._on_local(watched, event):
            return True
        return kind == QEvent.Type.KeyPress and self._on_digit(event)

    def _is_ours(self, watched: QWidget) -> bool:
        """Return whether the widget belongs to the window, to its dialogs, or to a menu of either."""
        window = watched.window()
        while window is not self._window:
            parent = window.parentWidget()
            if parent is None:
                return False
            window = parent.window()
        return True

    def _on_menu(self, event: QKeyEvent) -> bool:
        """Run the global command of a key that an open menu does not use, and close the menu."""
        chord = chord_of(event)
        is_plain = not event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier)
        if not chord or (types_character(chord) and is_plain):
            return False
        meant = self._keymap.at(chord, KeyScope.EVERYWHERE)
        if meant is None:
            return False
        event.accept()
        if event.type() == QEvent.Type.ShortcutOverride:
            return True  # it comes as a key next: no shortcut may act beside an open menu
        while (menu := QApplication.activePopupWidget()) is not None and menu.close():
            pass
        self._carry_out(meant.id)
        return True

    def _on_question(self, asked: QMessageBox, event: QKeyEvent) -> bool:
        """Close the question as by Esc when the key leads to a pending request."""
        meant = self._keymap.at(chord_of(event), KeyScope.EVERYWHERE)
        if event.type() != QEvent.Type.KeyPress or meant is None or meant.id not in _ATTENTION_COMMANDS:
            return False
        if asked.close():
            self._carry_out(meant.id)
        return True

    # Keys of a place

    def _on_local(self, watched: QWidget, event: QKeyEvent) -> bool:
        """Apply the keys of the focused scope. Return whether the event is handled."""
        places = self._places.of(watched)
        chord = chord_of(event)
        if not places or not chord:
            return False
        meant = next((one for where in places if (one := self._keymap.at(chord, where)) is not None), None)
        if meant is not None:
            return (
                self._send(watched, event, meant.acts_as or meant.keys[0])
                if not _is_widget_key(meant, chord)
                else False
            )
        digit = digit_of(event, QGuiApplication.platformName(), (Qt.KeyboardModifier.NoModifier,))
        if KeyScope.CHOOSING in places and digit is not None:
            by_place = self._keymap.at(str(digit), KeyScope.CHOOSING)
            if by_place is not None:
                return self._send(watched, event, by_place.keys[0])
        return self._keep_from(event) if self._is_given_up(chord, places) else False

    def _is_given_up(self, chord: str, places: tuple[KeyScope, ...]) -> bool:
        """Return whether a widget of these scopes would handle the key although no command has it."""
        return any(chord in self._heard[where] for where in places)

    def _keep_from(self, event: QKeyEvent) -> bool:
        """Withhold the key from the widget but not from a global shortcut."""
        event.setAccepted(event.type() != QEvent.Type.ShortcutOverride)
        return True

    def _send(self, watched: QWidget, event: QKeyEvent, chord: str) -> bool:
        event.accept()  # the override: the key belongs to this place
        if event.type() == QEvent.Type.KeyPress:
            keys = key_combination(chord)
            self._is_sending = True
            try:
                for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):  # a button acts when its key comes up
                    if isValid(watched):
                        sent = QKeyEvent(kind, keys.key(), keys.keyboardModifiers(), "", event.isAutoRepeat())
                        QCoreApplication.sendEvent(watched, sent)
            finally:
                self._is_sending = False
        return True

    # Keys of the digit row

    def _learn(self, event: QKeyEvent) -> None:
        """Record the character that this keyboard layout types with a key of the digit row."""
        number = digit_of(event, QGuiApplication.platformName(), (Qt.KeyboardModifier.NoModifier,))
        if number is not None and self._row.get(number) != (written := chord_of(event)):
            self._row[number] = written
            self._tell_covered()

    def _tell_covered(self) -> None:
        """Exclude digit shortcuts that cannot be typed: `Ctrl+6` where the key of 6 types `-` and `Ctrl+-` is a
        command.
        """
        found = (
            f"{modifier}+{number}"
            for number, written in self._row.items()
            for modifier in ("Ctrl", "Alt")
            if written != str(number) and self._keymap.at(f"{modifier}+{written}", KeyScope.EVERYWHERE) is not None
        )
        self._keymap.cover(frozenset(found))

    def _on_digit(self, event: QKeyEvent) -> bool:
        number = digit_of(event, QGuiApplication.platformName())
        if number is None:
            return False
        modifier = "Ctrl" if event.modifiers() & Qt.KeyboardModifier.ControlModifier else "Alt"
        meant = self._keymap.at(f"{modifier}+{number}", KeyScope.EVERYWHERE)
        if meant is not None:
            self._carry_out(meant.id)
        return meant is not None


def _widget_keys(keymap: Keymap, where: KeyScope) -> frozenset[str]:
    """Return the default keys that the widgets of a scope handle."""
    commands = [one for one in keymap.commands if where in one.where]
    return frozenset(key for one in commands for key in (*one.keys, one.acts_as) if key)


def _is_widget_key(command: Command, chord: str) -> bool:
    """Return whether the widgets of the command's scopes handle this key."""
    return chord in command.keys or chord == command.acts_as
