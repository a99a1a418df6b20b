"""A person's own keys: kept in `window.json`, and in force at once (UI §4, §8)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from desktop.shortcuts.keymap import Keymap
from desktop.window_state import WindowState

KeyOverrides = Mapping[str, Any]


class CustomKeys:
    """`state` gives how the window is kept now, `save` keeps the one it is given, and raises OSError where the disk
    refuses: then nothing has changed.

    What others of its methods give is all that is to be kept, for `keep`.
    """

    def __init__(self, keymap: Keymap, state: Callable[[], WindowState], save: Callable[[WindowState], object]) -> None:
        self.keymap = keymap
        self._state = state
        self._save = save

    def keep(self, own: KeyOverrides) -> bool:
        """Have these, on disk too. False: the disk refused."""
        try:
            self._save(replace(self._state(), keys=dict(own)))
        except OSError:
            return False
        self.keymap.use(own)
        return True

    def given(self, command_id: str, chords: Sequence[str]) -> KeyOverrides:
        """That command has these keys, and no other command has one of them in the same place any more."""
        keymap, own = self.keymap, dict(self.keymap.own)
        wanted = keymap.command(command_id)
        held: dict[str, list[str]] = {}
        for chord in chords:
            for holder in keymap.holders(chord, wanted):
                held.setdefault(holder.id, list(keymap.chords(holder.id))).remove(chord)
        for one, left in {**held, command_id: list(chords)}.items():
            if tuple(left) == keymap.defaults(one):
                own.pop(one, None)
            else:
                own[one] = left
        return own

    def reset(self, command_id: str) -> KeyOverrides:
        """That command has its default keys, as far as no other command was given them."""
        return {one: kept for one, kept in self.keymap.own.items() if one != command_id}

    def reset_all(self) -> KeyOverrides:
        """Every command has its default keys. What another version has kept stays."""
        known = {command.id for command in self.keymap.commands}
        return {one: kept for one, kept in self.keymap.own.items() if one not in known}
