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
    """It names no key."""
    REFUSED = "refused"
    """No command, or not this one, may have the key."""
    TAKEN = "taken"
    """Another command has the key, in the same place."""


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """An invalid entry. `key` is its text, empty if it concerns all keys of the command."""

    command_id: str
    key: str
    trouble: ProblemKind


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
    problems = [KeyProblem(_shortened(one), "", ProblemKind.UNKNOWN) for one in own if one not in known]
    wanted: dict[str, tuple[str, ...]] = {}
    for command_id, command in known.items():
        if command_id in own:
            readable = _parse_command_keys(command, own[command_id], problems, is_mac=is_mac)
            if readable is not None:
                wanted[command_id] = readable
    held: dict[str, list[Command]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for command in sorted(commands, key=lambda one: one.id not in wanted):  # the order is kept among equals
        chords = wanted.get(command.id, defaults[command.id])
        keys[command.id] = _without_conflicts(command, chords, held, problems)
    return ParsedKeys(keys, tuple(problems))


def _parse_command_keys(
    command: Command, kept: Any, problems: list[KeyProblem], *, is_mac: bool
) -> tuple[str, ...] | None:
    """Return the valid keys of an entry; None if there are none, so that the defaults apply. An empty list is valid."""
    if not isinstance(kept, list) or len(kept) > MOST_KEYS:
        problems.append(KeyProblem(command.id, _shortened(kept), ProblemKind.UNREADABLE))
        return None
    found: list[str] = []
    for one in kept:
        chord = normalized(one) if isinstance(one, str) and len(one) <= _LONGEST else ""
        if not chord:
            problems.append(KeyProblem(command.id, _shortened(one), ProblemKind.UNREADABLE))
        elif refusal_of(command, chord, is_mac=is_mac) is not None:
            problems.append(KeyProblem(command.id, chord, ProblemKind.REFUSED))
        elif chord not in found:
            found.append(chord)
    return tuple(found) if found or not kept else None


def _without_conflicts(
    command: Command, chords: Iterable[str], held: dict[str, list[Command]], problems: list[KeyProblem]
) -> tuple[str, ...]:
    found: list[str] = []
    for chord in chords:
        holders = held.setdefault(chord, [])
        if any(overlap(command, holder) for holder in holders):
            problems.append(KeyProblem(command.id, chord, ProblemKind.TAKEN))
        else:
            holders.append(command)
            found.append(chord)
    return tuple(found)


def _shortened(kept: object) -> str:
    text = kept if isinstance(kept, str) else repr(kept)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
