"""Which titles a slash command that is being typed may name."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.slash_commands import SlashCommand, SlashTarget, UnknownCommand, parse_slash
from desktop.palette.entries import rank_entries
from desktop.widgets import folded, matches

_NAME_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class AcceptedCommand:
    """A completion that was accepted, valid while the text begins with `beginning`."""

    beginning: str
    target: SlashTarget


def accepted_command(text: str, accepted: AcceptedCommand | None) -> SlashCommand | None:
    """Return the accepted command if the text still names it."""
    if accepted is None or not text.startswith(accepted.beginning):
        return None
    command = parse_slash(text, [accepted.target])
    return command if isinstance(command, SlashCommand) else None


def matching_titles(
    line: str, titles: Sequence[SlashTarget], command: SlashCommand | UnknownCommand | None
) -> Sequence[SlashTarget]:
    """Return the titles that match, best first. Behind a complete title, only longer titles with the same beginning
    match.
    """
    words = line[1:].removeprefix('"')
    if isinstance(command, SlashCommand) and (command.rest or words != words.rstrip()):
        beginning = " ".join(folded(words).split()) + (" " if words != words.rstrip() else "")
        return [target for target in titles if folded(target.title).startswith(beginning)]
    return rank_entries(words, (target for target in titles if matches(words, target.title)))


def shortened(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= _NAME_CHARACTERS else f"{line[: _NAME_CHARACTERS - 1]}…"
