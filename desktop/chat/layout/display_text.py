"""Code as it is displayed: hidden characters as marks, long lines in pieces, and the way back to the source. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from core.domain.text.hidden import hidden_runs

# Longer lines of code are shown in pieces: the time to lay out a line grows faster than its length, and all of it is
# painted, however little is visible.
MAX_LINE_CHARACTERS = 2_000

_CARRIAGE_RETURN = re.compile(r"\r\n?")
_LONG_LINE = re.compile(rf"[^\n\r]{{{MAX_LINE_CHARACTERS}}}(?=[^\n\r])")


@dataclass(frozen=True, slots=True)
class DisplayText:
    """A text as it is displayed. `starts` and `sources` are the offsets of its stretches in the displayed text and in
    the source.
    """

    text: str
    source: str
    starts: tuple[int, ...]
    sources: tuple[int, ...]

    def original(self, start: int, end: int) -> str:
        """Return the source of `text[start:end]`; a mark stands for the character that it replaces."""
        return self.source[self._place(start) : self._place(end)]

    def _place(self, position: int) -> int:
        stretch = bisect_right(self.starts, position) - 1
        limit = self.sources[stretch + 1] if stretch + 1 < len(self.sources) else len(self.source)
        return min(self.sources[stretch] + position - self.starts[stretch], limit)


def display_code(source: str) -> DisplayText:
    r"""Return code as it is displayed: hidden characters as marks, line ends as `\n`, long lines in pieces."""
    pieces, starts, sources = [], [0], [0]
    length = at = 0
    # offsets are recorded at both ends of each replacement, so that a selection maps back to whole characters
    for start, end, replacement in sorted(_replacements(source)):
        pieces += [source[at:start], replacement]
        length += start - at
        at = end
        starts += [length, length + len(replacement)]
        sources += [start, end]
        length += len(replacement)
    pieces.append(source[at:])
    return DisplayText("".join(pieces), source, tuple(starts), tuple(sources))


def _replacements(source: str) -> Iterable[tuple[int, int, str]]:
    yield from hidden_runs(source)
    for match in _CARRIAGE_RETURN.finditer(source):
        yield match.start(), match.end(), "\n"
    # checked first, since the regular expression is slow where no line is long
    if any(len(line) > MAX_LINE_CHARACTERS for line in source.splitlines()):
        for match in _LONG_LINE.finditer(source):
            yield match.end(), match.end(), "\n"


_LAST_OF_ONE_UNIT = "\uffff"


def to_units(text: str, characters: int) -> int:
    """Return how many UTF-16 units the first `characters` of `text` have: an emoji is one character and two units."""
    return characters + sum(sign > _LAST_OF_ONE_UNIT for sign in text[:characters]) if _has_pairs(text) else characters


def to_characters(text: str, units: int) -> int:
    """Return how many characters the first `units` of `text` are; half a surrogate pair counts as none."""
    if not _has_pairs(text):
        return min(units, len(text))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))


def _has_pairs(text: str) -> bool:
    return not text.isascii() and max(text) > _LAST_OF_ONE_UNIT
