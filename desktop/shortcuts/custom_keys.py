"""Parse custom keys into the effective keys of all commands.

The file may come from another version or be edited by hand: invalid entries are reported, kept, and affect nothing
else. A key has one meaning in a scope: a custom key wins over a default, and otherwise the command that comes first in
the table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from desktop.shortcuts.chords import normalized
from desktop.shortcuts.command import Command, overlap
from desktop.shortcuts.rules import refusal_of

MOST_KEYS = 4
_LONGEST = 100


class ProblemKind(StrEnum):
    """Why an entry of the custom keys is invalid."""

    UNKNOWN = "unknown"
    """No command has this id."""
    UNREADABLE = "unreadable"
    """It is not a key."""
    REFUSED = "refused"
    """The key is not allowed for this command."""
    TAKEN = "taken"
    """Another command has the key in an overlapping scope."""


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """An invalid entry. `key` is its text, empty if it concerns all keys of the command."""

    command_id: str
    key: str
    kind: ProblemKind


@dataclass(frozen=True, slots=True)
class ParsedKeys:
    """The keys of each command by normalized name, and the invalid entries."""

    keys: Mapping[str, tuple[str, ...]]
    problems: tuple[KeyProblem, ...]


def parse_custom_keys(
    commands: Sequence[Command], defaults: Mapping[str, tuple[str, ...]], own: Mapping[str, Any], *, is_mac: bool
) -> ParsedKeys:
    """Return the effective keys. `defaults` covers every command; `own` maps command ids to lists of key names."""
    known = {command.id: command for command in commands}
    problems = [KeyProblem(_shortened(key), "", ProblemKind.UNKNOWN) for key in own if key not in known]
    custom: dict[str, tuple[str, ...]] = {}
    for command_id, command in known.items():
        if command_id in own:
            chords = _parse_command_keys(command, own[command_id], problems, is_mac=is_mac)
            if chords is not None:
                custom[command_id] = chords
    holders: dict[str, list[Command]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    # custom keys first, so that they win; the sort is stable, so that otherwise the order of the table decides
    for command in sorted(commands, key=lambda command: command.id not in custom):
        wanted = custom.get(command.id, defaults[command.id])
        keys[command.id] = _without_conflicts(command, wanted, holders, problems)
    return ParsedKeys(keys, tuple(problems))


def _parse_command_keys(
    command: Command, entry: Any, problems: list[KeyProblem], *, is_mac: bool
) -> tuple[str, ...] | None:
    """Return the valid keys of an entry; None if there are none, so that the defaults apply. An empty list is valid."""
    if not isinstance(entry, list) or len(entry) > MOST_KEYS:
        problems.append(KeyProblem(command.id, _shortened(entry), ProblemKind.UNREADABLE))
        return None
    chords: list[str] = []
    for key in entry:
        chord = normalized(key) if isinstance(key, str) and len(key) <= _LONGEST else ""
        if not chord:
            problems.append(KeyProblem(command.id, _shortened(key), ProblemKind.UNREADABLE))
        elif refusal_of(command, chord, is_mac=is_mac) is not None:
            problems.append(KeyProblem(command.id, chord, ProblemKind.REFUSED))
        elif chord not in chords:
            chords.append(chord)
    return tuple(chords) if chords or not entry else None


def _without_conflicts(
    command: Command, chords: Iterable[str], holders: dict[str, list[Command]], problems: list[KeyProblem]
) -> tuple[str, ...]:
    free: list[str] = []
    for chord in chords:
        others = holders.setdefault(chord, [])
        if any(overlap(command, other) for other in others):
            problems.append(KeyProblem(command.id, chord, ProblemKind.TAKEN))
        else:
            others.append(command)
            free.append(chord)
    return tuple(free)


def _shortened(entry: object) -> str:
    text = entry if isinstance(entry, str) else repr(entry)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
