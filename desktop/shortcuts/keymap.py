"""The keys of each command: default or custom."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence

from desktop.shortcuts.chords import key_sequence, normalized
from desktop.shortcuts.command import Command, KeyScope, overlap
from desktop.shortcuts.custom_keys import KeyProblem, ParsedKeys, parse_custom_keys

IS_MAC = sys.platform == "darwin"


class Keymap(QObject):
    """Resolves commands to keys and keys to commands. Emits `changed`."""

    changed = Signal()

    def __init__(
        self,
        commands: Sequence[Command],
        own: Mapping[str, Any] | None = None,
        parent: QObject | None = None,
        *,
        is_mac: bool = IS_MAC,
    ) -> None:
        super().__init__(parent)
        self.commands = tuple(commands)
        self.is_mac = is_mac
        self._by_id = {command.id: command for command in commands}
        self._shipped = {command.id: _shipped_keys(command, is_mac=is_mac) for command in commands}
        self._defaults = dict(self._shipped)
        self._own: Mapping[str, Any] = dict(own or {})
        self._parsed = self._parse()
        self._by_key = self._indexed()
        self._covered: frozenset[str] = frozenset()

    def command(self, command_id: str) -> Command:
        """Return the command. Raises KeyError."""
        return self._by_id[command_id]

    def chords(self, command_id: str) -> tuple[str, ...]:
        """Return the normalized keys of a command; the first is the key that buttons show."""
        return self._parsed.keys[command_id]

    def keys(self, command_id: str) -> list[QKeySequence]:
        """Return the keys of a command as Qt sequences."""
        return [key_sequence(chord) for chord in self.chords(command_id)]

    def shown(self, command_id: str) -> list[QKeySequence]:
        """Return the keys that can be typed on this keyboard, as far as known."""
        typable = [key_sequence(chord) for chord in self.chords(command_id) if chord not in self._covered]
        return typable or self.keys(command_id)

    def cover(self, chords: frozenset[str]) -> None:
        """Exclude chords that this keyboard layout types as other characters."""
        if chords != self._covered:
            self._covered = chords
            self.changed.emit()

    def first(self, command_id: str) -> QKeySequence:
        """Return the key that buttons show; empty if the command has none."""
        return key_sequence(next(iter(self.chords(command_id)), ""))

    def defaults(self, command_id: str) -> tuple[str, ...]:
        return self._defaults[command_id]

    def has_own(self, command_id: str) -> bool:
        """Return whether the command has custom keys."""
        return command_id in self._own and self.chords(command_id) != self._defaults[command_id]

    def at(self, chord: str, scope: KeyScope) -> Command | None:
        """Return the command of a chord in a scope. A global command is found under EVERYWHERE only."""
        return self._by_key.get((chord, scope))

    def holders(self, chord: str, wanted: Command) -> list[Command]:
        """Return the other commands that have this key in an overlapping scope."""
        others = (command for command in self.commands if command is not wanted and overlap(command, wanted))
        return [command for command in others if chord in self.chords(command.id)]

    @property
    def own(self) -> Mapping[str, Any]:
        """The custom keys by command, as saved, with invalid entries."""
        return self._own

    @property
    def problems(self) -> tuple[KeyProblem, ...]:
        """The invalid entries of the custom keys."""
        return self._parsed.problems

    def use(self, own: Mapping[str, Any]) -> None:
        """Replace the custom keys."""
        self._own = dict(own)
        self._update()

    def set_defaults(self, defaults: Mapping[str, tuple[str, ...]]) -> None:
        """Override the default keys of some commands; the others get their shipped keys."""
        self._defaults = {**self._shipped, **defaults}
        self._update()

    def _update(self) -> None:
        before, self._parsed = self._parsed, self._parse()
        self._by_key = self._indexed()
        if before != self._parsed:
            self.changed.emit()

    def _indexed(self) -> dict[tuple[str, KeyScope], Command]:
        """Return the index of commands by chord and scope, used for every key press."""
        return {
            (chord, scope): command
            for command in self.commands
            for chord in self.chords(command.id)
            for scope in command.scopes
        }

    def _parse(self) -> ParsedKeys:
        return parse_custom_keys(self.commands, self._defaults, self._own, is_mac=self.is_mac)


def _shipped_keys(command: Command, *, is_mac: bool) -> tuple[str, ...]:
    keys = command.mac if is_mac and command.mac is not None else command.keys
    return tuple(map(normalized, keys))
