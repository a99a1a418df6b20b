"""Which entries a query finds, the best first.

Every word of the query has to be found. At the beginning of the title counts most, then at the beginning of a word,
then inside one, then its letters in their order with others between; among equals the order of the list stays.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from desktop.widgets.matching import folded

MOST = 100
_AT_START, _AT_WORD, _INSIDE, _SCATTERED = range(4)
_LETTERS = 2  # fewer scattered letters are in everything


class HasTitle(Protocol):
    """What can be ranked: entries, or what they would be made of, since of thousands only a few are shown."""

    @property
    def title(self) -> str: ...


T = TypeVar("T", bound=HasTitle)


def ranked(words: str, entries: Iterable[T], most: int = MOST) -> list[T]:
    """At most so many of the entries; all of the first ones where nothing was typed."""
    wanted = folded(words).split()
    if not wanted:
        return list(islice(entries, most))
    tests = [_test(word) for word in wanted]
    found: list[list[T]] = [[] for _ in range(_SCATTERED * len(wanted) + 1)]
    for entry in entries:
        score = _score(folded(entry.title), tests)
        if score is not None:
            found[score].append(entry)
    return [entry for group in found for entry in group][:most]


_Test = Callable[[str], int | None]


def _score(title: str, tests: Sequence[_Test]) -> int | None:
    total = 0
    for test in tests:
        one = test(title)
        if one is None:
            return None
        total += one
    return total


def _test(word: str) -> _Test:
    """How well a word is found in a folded title, None for not at all."""
    at_word = re.compile(rf"\b{re.escape(word)}" if word[0].isalnum() else re.escape(word))
    scattered = re.compile(".*?".join(map(re.escape, word))) if len(word) > _LETTERS else None

    def test(title: str) -> int | None:
        if word in title:
            if title.startswith(word):
                return _AT_START
            return _AT_WORD if at_word.search(title) else _INSIDE
        return _SCATTERED if scattered is not None and scattered.search(title) else None

    return test
