"""The user's key bindings, saved in `window.json` and applied immediately (UI §4, §8)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from desktop.shortcuts.keymap import Keymap
from desktop.window_state import WindowState

KeyOverrides = Mapping[str, Any]


class CustomKeys:
    """`state` returns the window's current state; `save` writes a state, or raises OSError without a change.

    `with_keys`, `without_command` and `without_commands` return complete bindings for `save`.
    """

    def __init__(self, keymap: Keymap, state: Callable[[], WindowState], save: Callable[[WindowState], object]) -> None:
        self.keymap = keymap
        self._state = state
        self._save = save

    def save(self, overrides: KeyOverrides) -> bool:
        """Save and apply these bindings. Return False if they could not be written."""
        try:
            self._save(replace(self._state(), keys=dict(overrides)))
        except OSError:
            return False
        self.keymap.use(overrides)
        return True

    def with_keys(self, command_id: str, chords: Sequence[str]) -> KeyOverrides:
        """Return the bindings in which the command has these keys, and no other command in the same context has any of
        them.
        """
        keymap, overrides = self.keymap, dict(self.keymap.own)
        command = keymap.command(command_id)
        changed: dict[str, list[str]] = {}
        for chord in chords:
            for holder in keymap.holders(chord, command):
                changed.setdefault(holder.id, list(keymap.chords(holder.id))).remove(chord)
        for id_, keys in {**changed, command_id: list(chords)}.items():
            # Default keys are not stored, so that a later version can change them.
            if tuple(keys) == keymap.defaults(id_):
                overrides.pop(id_, None)
            else:
                overrides[id_] = keys
        return overrides

    def without_command(self, command_id: str) -> KeyOverrides:
        """Return the bindings without this command's own keys."""
        return {id_: keys for id_, keys in self.keymap.own.items() if id_ != command_id}

    def without_commands(self) -> KeyOverrides:
        """Return the bindings without any known command's own keys; unknown commands of another version stay."""
        known = {command.id for command in self.keymap.commands}
        return {id_: keys for id_, keys in self.keymap.own.items() if id_ not in known}
