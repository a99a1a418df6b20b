"""Which commands the user has allowed for good (AGENTS_AND_TOOLS §6). Pure.

A rule is an exception under a name of its own: `command:` and the line, or `command_prefix:` and the words that a line
begins with. A prefix covers only lines of words: an operator, a substitution, a redirection or a line end could begin
another command.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

EXACT, PREFIX = "command:", "command_prefix:"
KEPT_CHARACTERS = 200  # of a line that a rule can be made of
COVERED_CHARACTERS = 2_000  # of a line that a prefix covers
_PREFIX_WORDS = 3

_WORDS = re.compile(
    r"""(?:[^\x00-\x08\x0a-\x1f\x7f|&;<>()$`\\'"]"""  # what means nothing to a shell, and globs
    r"""|\\[^\x00-\x1f\x7f]|'[^\x00-\x1f\x7f']*'|"(?:[^\x00-\x1f\x7f"\\$`]|\\[^\x00-\x1f\x7f])*")*+"""
)
_PROGRAM = re.compile(r"[\w./+-]+", re.ASCII)
_SUB_COMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_MODULE = re.compile(r"[\w.]+", re.ASCII)
# These run what follows them, so that a rule for their name alone would allow anything.
_RUNNERS = re.compile(
    r"(?:.*/)?(?:\.|awk|bash|builtin|bunx|busybox|case|chroot|command|coproc|csh|dash|doas|env|eval|exec|expect|find|fish"
    r"|flock|for|gawk|if|ionice|ksh|lua|mawk|nice|node|nohup|npx|osascript|parallel|perl|php|ruby|sed|setsid|sh|source"
    r"|ssh|stdbuf|strace|su|sudo|tcsh|time|timeout|trap|unshare|until|uvx|watch|while|xargs|zsh)[\d.]*"
)
_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*")


@dataclass(frozen=True, slots=True)
class CommandCall:
    """A command that is to run: its line, and what it would reach."""

    line: str
    has_network: bool
    is_confined: bool

    @property
    def prefix(self) -> tuple[str, ...]:
        """The words that a rule for lines like this begins with, none if there is no such rule."""
        words = _words(self.line) if len(self.line) <= KEPT_CHARACTERS else []
        if not words or not _PROGRAM.fullmatch(words[0]):
            return ()
        if _PYTHON.fullmatch(words[0]):
            return tuple(words[:3]) if words[1:2] == ["-m"] and _MODULE.fullmatch("".join(words[2:3])) else ()
        if _RUNNERS.fullmatch(words[0]):
            return ()
        end = 1
        while end < min(len(words), _PREFIX_WORDS) and _SUB_COMMAND.fullmatch(words[end]):
            end += 1
        return tuple(words[:end])

    def rule_names(self) -> Iterator[str]:
        """Yield the names of the rules that would cover it, the exact one first."""
        if len(self.line) <= KEPT_CHARACTERS:
            yield EXACT + self.line
        words = _words(self.line) if len(self.line) <= COVERED_CHARACTERS else []
        for end, word in enumerate(words[:_PREFIX_WORDS], 1):
            if re.search(r"\s", word):  # joined with others, it would be two words
                return
            yield PREFIX + " ".join(words[:end])


@dataclass(frozen=True, slots=True)
class OfferedRule:
    """The rules that the card of a command offers: for its line, and for lines with its `prefix`. They cover no more
    than what the user saw: without network no network, confined only as long as commands are.
    """

    line: str
    prefix: tuple[str, ...]
    covers_network: bool
    covers_unconfined: bool

    @classmethod
    def of(cls, call: CommandCall) -> Self:
        return cls(call.line, call.prefix, call.has_network, not call.is_confined)

    @classmethod
    def parse(cls, options: Any) -> "OfferedRule | None":
        """Return the offer in the options of a request for consent, if it has one."""
        found = options.get("command") if isinstance(options, Mapping) else None
        if not isinstance(found, Mapping) or not isinstance(found.get("line"), str):
            return None
        prefix = found.get("prefix")
        words = tuple(map(str, prefix)) if isinstance(prefix, list) else ()
        return cls(found["line"], words, found.get("network") is True, found.get("unconfined") is True)

    def as_dict(self) -> dict[str, Any]:
        return {
            "line": self.line,
            "prefix": list(self.prefix),
            "network": self.covers_network,
            "unconfined": self.covers_unconfined,
        }

    def name(self, scope: str | None) -> str | None:
        """Return the name of the rule that an approval of this scope makes, or None if it makes none."""
        match scope:
            case "always" if len(self.line) <= KEPT_CHARACTERS:
                return EXACT + self.line
            case "prefix" if self.prefix:
                return PREFIX + " ".join(self.prefix)
        return None


def _words(line: str) -> list[str]:
    """Return the words of a line that is nothing but words; else none."""
    if not _WORDS.fullmatch(line):
        return []
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    # of an option list or an assignment before the program, another program runs than the first word says
    return [] if words and "=" in words[0] else words
