"""From what was kept of a person's own keys to the keys that hold.

The file may be of another version, or have been written by hand: what cannot be used is told and kept, and takes
nothing else with it. A key means one thing in one place: a person's own key wins over a default one, and among equals
the command that stands first in the table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from desktop.shortcuts.chords import normal
from desktop.shortcuts.command import Command, meet
from desktop.shortcuts.rules import refusal

MOST_KEYS = 4
_LONGEST = 100


class Trouble(StrEnum):
    """What is wrong with something that was kept."""

    UNKNOWN = "unknown"
    """No command has this id."""
    UNREADABLE = "unreadable"
    """It names no key."""
    REFUSED = "refused"
    """No command, or not this one, may have the key."""
    TAKEN = "taken"
    """Another command has the key, in the same place."""


@dataclass(frozen=True, slots=True)
class Problem:
    """`key` is what stands in the file, empty where all that is kept for the command is meant."""

    command_id: str
    key: str
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class Reading:
    """The keys of each command, by their normal names, and what could not be used."""

    keys: Mapping[str, tuple[str, ...]]
    problems: tuple[Problem, ...]


def read(
    commands: Sequence[Command], defaults: Mapping[str, tuple[str, ...]], own: Mapping[str, Any], *, is_mac: bool
) -> Reading:
    """`defaults` are those of every command, `own` is what was kept: by command a list of names of keys."""
    known = {command.id: command for command in commands}
    problems = [Problem(_short(one), "", Trouble.UNKNOWN) for one in own if one not in known]
    wanted: dict[str, tuple[str, ...]] = {}
    for command_id, command in known.items():
        if command_id in own:
            readable = _readable(command, own[command_id], problems, is_mac=is_mac)
            if readable is not None:
                wanted[command_id] = readable
    held: dict[str, list[Command]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for command in sorted(commands, key=lambda one: one.id not in wanted):  # the order is kept among equals
        chords = wanted.get(command.id, defaults[command.id])
        keys[command.id] = _free(command, chords, held, problems)
    return Reading(keys, tuple(problems))


def _readable(command: Command, kept: Any, problems: list[Problem], *, is_mac: bool) -> tuple[str, ...] | None:
    """None where nothing of it can be used: the default keys hold then. An empty list is none at all, and is meant."""
    if not isinstance(kept, list) or len(kept) > MOST_KEYS:
        problems.append(Problem(command.id, _short(kept), Trouble.UNREADABLE))
        return None
    found: list[str] = []
    for one in kept:
        chord = normal(one) if isinstance(one, str) and len(one) <= _LONGEST else ""
        if not chord:
            problems.append(Problem(command.id, _short(one), Trouble.UNREADABLE))
        elif refusal(command, chord, is_mac=is_mac) is not None:
            problems.append(Problem(command.id, chord, Trouble.REFUSED))
        elif chord not in found:
            found.append(chord)
    return tuple(found) if found or not kept else None


def _free(
    command: Command, chords: Iterable[str], held: dict[str, list[Command]], problems: list[Problem]
) -> tuple[str, ...]:
    found: list[str] = []
    for chord in chords:
        holders = held.setdefault(chord, [])
        if any(meet(command, holder) for holder in holders):
            problems.append(Problem(command.id, chord, Trouble.TAKEN))
        else:
            holders.append(command)
            found.append(chord)
    return tuple(found)


def _short(kept: object) -> str:
    text = kept if isinstance(kept, str) else repr(kept)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
