"""Which keys each command has now: the default ones, or a person's own."""

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
    """The one place that knows. Who shows or hears keys asks it, and again when they have `changed`."""

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
        self._reading = self._read()
        self._by_key = self._indexed()
        self._covered: frozenset[str] = frozenset()

    def command(self, command_id: str) -> Command:
        """Raises KeyError for one that there is not."""
        return self._by_id[command_id]

    def chords(self, command_id: str) -> tuple[str, ...]:
        """The keys of a command by their normal names, those first that its buttons name."""
        return self._reading.keys[command_id]

    def keys(self, command_id: str) -> list[QKeySequence]:
        """The same, for Qt."""
        return [key_sequence(chord) for chord in self.chords(command_id)]

    def shown(self, command_id: str) -> list[QKeySequence]:
        """The keys that a person can press on their keyboard, as far as that is known; for Qt."""
        found = [key_sequence(chord) for chord in self.chords(command_id) if chord not in self._covered]
        return found or self.keys(command_id)

    def cover(self, chords: frozenset[str]) -> None:
        """On this keyboard these keys mean something else, by the characters that they give."""
        if chords != self._covered:
            self._covered = chords
            self.changed.emit()

    def first(self, command_id: str) -> QKeySequence:
        """What a button names that does the same; empty where the command has no key."""
        return key_sequence(next(iter(self.chords(command_id)), ""))

    def defaults(self, command_id: str) -> tuple[str, ...]:
        return self._defaults[command_id]

    def has_own(self, command_id: str) -> bool:
        """Whether a person gave it other keys than it has by default."""
        return command_id in self._own and self.chords(command_id) != self._defaults[command_id]

    def at(self, chord: str, where: KeyScope) -> Command | None:
        """What a key means in a place. What holds everywhere is meant by EVERYWHERE alone."""
        return self._by_key.get((chord, where))

    def holders(self, chord: str, wanted: Command) -> list[Command]:
        """The other commands that have this key where `wanted` would have it: one, or of different places several."""
        others = (one for one in self.commands if one is not wanted and overlap(one, wanted))
        return [one for one in others if chord in self.chords(one.id)]

    @property
    def own(self) -> Mapping[str, Any]:
        """What is kept of a person's own keys, by command, with what cannot be used."""
        return self._own

    @property
    def problems(self) -> tuple[KeyProblem, ...]:
        """What cannot be used of it."""
        return self._reading.problems

    def use(self, own: Mapping[str, Any]) -> None:
        """These are a person's own keys from now on."""
        self._own = dict(own)
        self._read_again()

    def set_defaults(self, defaults: Mapping[str, tuple[str, ...]]) -> None:
        """Some commands have other default keys by a setting; the rest have those that they were shipped with."""
        self._defaults = {**self._shipped, **defaults}
        self._read_again()

    def _read_again(self) -> None:
        before, self._reading = self._reading, self._read()
        self._by_key = self._indexed()
        if before != self._reading:
            self.changed.emit()

    def _indexed(self) -> dict[tuple[str, KeyScope], Command]:
        """What each key means in each place: looked up at every key that is pressed."""
        return {(chord, where): one for one in self.commands for chord in self.chords(one.id) for where in one.where}

    def _read(self) -> ParsedKeys:
        return parse_custom_keys(self.commands, self._defaults, self._own, is_mac=self.is_mac)


def _shipped_keys(command: Command, *, is_mac: bool) -> tuple[str, ...]:
    keys = command.mac if is_mac and command.mac is not None else command.keys
    return tuple(map(normalized, keys))
