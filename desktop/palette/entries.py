"""What the palette lists, and which entries a query finds, best first.

Every word of the query must match. A match at the start of the title ranks highest, then at the start of a word, then
inside a word, then scattered letters in order; equal entries keep their order.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Protocol, TypeVar

from desktop.theme import Icon
from desktop.tokens import ColorName
from desktop.widgets import Indicator, folded


class Kind(StrEnum):
    """The list that an entry belongs to. The value is the prefix that selects that list alone."""

    WORKFLOW = ""
    COMMAND = ">"
    TEMPLATE = "#"
    AGENT = "@"
    INBOX = "!"
    HELP = "?"


@dataclass(frozen=True, slots=True)
class Entry:
    """`key` identifies the target for its source. `note` stands at the right: a state, a model, or a key sequence if
    `has_keys`. A workflow has the `sign` of its state in place of the icon, and a mark if it `is_unread`.
    """

    kind: Kind
    key: str
    title: str
    note: str
    icon: Icon
    color: ColorName = "muted"
    has_keys: bool = False
    sign: Indicator | None = None
    is_unread: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a group of entries."""

    title: str


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: the selected list, and the words after the prefix."""

    kind: Kind
    words: str


def parse_query(text: str) -> Query:
    """Parse the field's text. `>sto` selects commands that match *sto*; without a prefix workflows come first."""
    stripped = text.lstrip()
    kind = next((kind for kind in Kind if kind.value and stripped.startswith(kind.value)), Kind.WORKFLOW)
    return Query(kind, stripped[len(kind.value) :].strip())


MAX_ENTRIES = 100
_AT_START, _AT_WORD, _INSIDE, _SCATTERED = range(4)
_LETTERS = 2  # fewer scattered letters are in everything


class Titled(Protocol):
    """What can be ranked: entries, or their sources, since of thousands only a few are shown."""

    @property
    def title(self) -> str: ...


T = TypeVar("T", bound=Titled)


def rank_entries(query: str, entries: Iterable[T], most: int = MAX_ENTRIES) -> list[T]:
    """Return the best `most` entries; the first ones in order for an empty query."""
    words = folded(query).split()
    if not words:
        return list(islice(entries, most))
    matchers = [_make_matcher(word) for word in words]
    by_score: list[list[T]] = [[] for _ in range(_SCATTERED * len(words) + 1)]
    for entry in entries:
        score = _score(folded(entry.title), matchers)
        if score is not None:
            by_score[score].append(entry)
    return [entry for group in by_score for entry in group][:most]


def starts_words(query: str, title: str) -> bool:
    """Return whether every word of the query stands at the start of a word of the title."""
    scores = [_make_matcher(word)(folded(title)) for word in folded(query).split()]
    return all(score is not None and score <= _AT_WORD for score in scores)


_Matcher = Callable[[str], int | None]


def _score(title: str, matchers: Sequence[_Matcher]) -> int | None:
    total = 0
    for matcher in matchers:
        score = matcher(title)
        if score is None:
            return None
        total += score
    return total


def _make_matcher(word: str) -> _Matcher:
    """Return a matcher that scores a folded title for a word, None for no match."""
    at_word = re.compile(rf"\b{re.escape(word)}" if word[0].isalnum() else re.escape(word))
    scattered = re.compile(".*?".join(map(re.escape, word))) if len(word) > _LETTERS else None

    def match(title: str) -> int | None:
        if word in title:
            if title.startswith(word):
                return _AT_START
            return _AT_WORD if at_word.search(title) else _INSIDE
        return _SCATTERED if scattered is not None and scattered.search(title) else None

    return match
