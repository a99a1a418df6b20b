"""The event filter for all keys of the window (UI §4).

In this order: keys during a composition belong to the input method and do nothing here; then custom keys of the focused
scope are applied; then Ctrl or Alt with a key of the digit row works by the position of the key, unless its character
has a meaning. Keys that lead to pending requests work in open menus and questions too.
"""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox, QWidget
from shiboken6 import isValid

from desktop.settings.keys.key_editor import KeyRecorder
from desktop.shortcuts.chords import chord_of, digit_of, key_combination, types_character
from desktop.shortcuts.command import LOCAL_SCOPES, Command, KeyScope
from desktop.shortcuts.keymap import Keymap
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.focus import PreeditTracker
from desktop.window.commands.key_context import KeyContext, takes_text

_COMMANDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_ATTENTION_COMMANDS = ("go.next_attention", "go.previous_attention")


class Keyboard(Controller):
    """An event filter of the application for the keys of one window. `run_command` runs a global command.

    Qt sends a key twice: as a ShortcutOverride, which a widget accepts to keep the key from shortcuts, and then, if it
    was accepted or no shortcut has the key, as a KeyPress. The filter sees both before any widget.

    A widget knows the default keys of its scope only, so that it works without a keymap. A custom key is translated:
    the filter swallows it and sends the default key instead. A default key that the user reassigned is withheld from
    the widget. While the filter sends, it lets its own events pass (`_is_sending`).
    """

    def __init__(self, context: WindowContext, scopes: KeyContext, run_command: Callable[[str], None]) -> None:
        super().__init__(context)
        self._window = context.window
        self._keymap = keymap = context.keymap
        self._scopes = scopes
        self._run_command = run_command
        self._preedit = PreeditTracker()
        self._is_sending = False
        self._typed_by_digit: dict[int, str] = {}
        keymap.changed.connect(self._update_covered)
        self._widget_keys: dict[KeyScope, frozenset[str]] = {s: _widget_keys(keymap, s) for s in LOCAL_SCOPES}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):  # first, since all events of the app pass here
            return self._preedit.track(watched, event)
        kind = event.type()
        if self._is_sending or not isinstance(watched, QWidget):
            return False
        if self._preedit.is_at(watched):
            event.accept()  # else a shortcut would take the key from the input method
            return True
        if kind == QEvent.Type.KeyRelease or isinstance(watched, KeyRecorder) or not self._is_ours(watched):
            return False
        self._learn(event)
        if isinstance(QApplication.activePopupWidget(), QMenu):
            return self._on_menu(event)
        if isinstance(question := QApplication.activeModalWidget(), QMessageBox):
            return self._on_question(question, event)
        if watched is QApplication.focusWidget() and self._on_local(watched, event):
            return True
        return kind == QEvent.Type.KeyPress and self._on_digit(event)

    def replay(self, keys: Iterable[QKeyEvent], begin_writing: Callable[[], object]) -> None:
        """Handle keys that were pressed before the window could. A command acts, and text is typed where the focus is
        by then; where that takes no text, `begin_writing` leads to the composer first.

        Other keys of a widget do nothing: whoever pressed Enter had not seen the button that has the focus.
        """
        for key in keys:
            command = self._keymap.at(chord_of(key), KeyScope.EVERYWHERE) if chord_of(key) else None
            is_text = key.text().isprintable() and bool(key.text()) and not key.modifiers() & _COMMANDING
            if command is not None and not is_text:
                self._run_command(command.id)
                continue
            if is_text and not takes_text(QApplication.focusWidget()):
                begin_writing()
            focused = QApplication.focusWidget()
            if focused is not None and takes_text(focused):
                QCoreApplication.sendEvent(focused, key)

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
        command = self._keymap.at(chord, KeyScope.EVERYWHERE)
        if command is None:
            return False
        event.accept()
        if event.type() == QEvent.Type.ShortcutOverride:
            return True  # accepted, so that it comes as a key press: no shortcut may act beside an open menu
        while (menu := QApplication.activePopupWidget()) is not None and menu.close():
            pass
        self._run_command(command.id)
        return True

    def _on_question(self, question: QMessageBox, event: QKeyEvent) -> bool:
        """Close the question as by Esc when the key leads to a pending request."""
        command = self._keymap.at(chord_of(event), KeyScope.EVERYWHERE)
        if event.type() != QEvent.Type.KeyPress or command is None or command.id not in _ATTENTION_COMMANDS:
            return False
        if question.close():
            self._run_command(command.id)
        return True

    # Keys of a scope

    def _on_local(self, watched: QWidget, event: QKeyEvent) -> bool:
        """Apply the keys of the focused scope. Return whether the event is handled."""
        scopes, chord = self._scopes.of(watched), chord_of(event)
        if not scopes or not chord:
            return False
        command = next((found for scope in scopes if (found := self._keymap.at(chord, scope)) is not None), None)
        if command is not None:
            if _is_widget_key(command, chord):
                return False
            return self._send(watched, event, command.acts_as or command.keys[0])
        digit = digit_of(event, QGuiApplication.platformName(), (Qt.KeyboardModifier.NoModifier,))
        if KeyScope.CHOOSING in scopes and digit is not None:
            option = self._keymap.at(str(digit), KeyScope.CHOOSING)  # by position: AZERTY types `&` with the key of 1
            if option is not None:
                return self._send(watched, event, option.keys[0])
        if any(chord in self._widget_keys[scope] for scope in scopes):
            # no command has this default key any more: withhold it from the widget, but not from a global shortcut
            event.setAccepted(event.type() != QEvent.Type.ShortcutOverride)
            return True
        return False

    def _send(self, watched: QWidget, event: QKeyEvent, chord: str) -> bool:
        event.accept()  # the override: no shortcut may take a key of this scope
        if event.type() == QEvent.Type.KeyPress:
            keys = key_combination(chord)
            self._is_sending = True
            try:
                for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):  # a button acts on the release
                    if isValid(watched):  # the press may have deleted it
                        sent = QKeyEvent(kind, keys.key(), keys.keyboardModifiers(), "", event.isAutoRepeat())
                        QCoreApplication.sendEvent(watched, sent)
            finally:
                self._is_sending = False
        return True

    # Keys of the digit row

    def _learn(self, event: QKeyEvent) -> None:
        """Record the character that this keyboard layout types with a key of the digit row."""
        number = digit_of(event, QGuiApplication.platformName(), (Qt.KeyboardModifier.NoModifier,))
        if number is not None and self._typed_by_digit.get(number) != (typed := chord_of(event)):
            self._typed_by_digit[number] = typed
            self._update_covered()

    def _update_covered(self) -> None:
        """Exclude digit shortcuts that cannot be typed: `Ctrl+6` where the key of 6 types `-` and `Ctrl+-` is a
        command.
        """
        covered = (
            f"{modifier}+{number}"
            for number, typed in self._typed_by_digit.items()
            for modifier in ("Ctrl", "Alt")
            if typed != str(number) and self._keymap.at(f"{modifier}+{typed}", KeyScope.EVERYWHERE) is not None
        )
        self._keymap.cover(frozenset(covered))

    def _on_digit(self, event: QKeyEvent) -> bool:
        number = digit_of(event, QGuiApplication.platformName())
        if number is None:
            return False
        modifier = "Ctrl" if event.modifiers() & Qt.KeyboardModifier.ControlModifier else "Alt"
        command = self._keymap.at(f"{modifier}+{number}", KeyScope.EVERYWHERE)
        if command is not None:
            self._run_command(command.id)
        return command is not None


def _widget_keys(keymap: Keymap, scope: KeyScope) -> frozenset[str]:
    """Return the default keys that the widgets of a scope handle."""
    commands = [command for command in keymap.commands if scope in command.scopes]
    return frozenset(key for command in commands for key in (*command.keys, command.acts_as) if key)


def _is_widget_key(command: Command, chord: str) -> bool:
    """Return whether the widgets of the command's scopes handle this key."""
    return chord in command.keys or chord == command.acts_as
