"""A search in a conversation, and its matches. Pure."""

import re
from dataclasses import dataclass

from core.domain.text.search import fold_case, parse_query, terms_pattern, text_pattern
from desktop.chat.turn_parts import Output, Text, Thought, Turn

_NON_LETTERS = re.compile(r"[\W_]+")
# Markup that is not displayed: link targets, list numbers, and check boxes of tasks.
_HIDDEN_MARKUP = re.compile(
    r"\]\([^)\n]*\)|\]\[[^\]\n]*\]|^[ \t>]*(?:\d{1,9}[.)]|[-*+][ \t]+\[[ xX]\])[ \t]", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class FindQuery:
    """A literal text, or, where it `matches_words`, the words of a search. Case and accents do not count."""

    text: str
    matches_words: bool = False

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """The compiled pattern; None where there is nothing to search for."""
        return terms_pattern(parse_query(self.text)) if self.matches_words else text_pattern(self.text)

    @property
    def letters(self) -> tuple[str, ...]:
        """Letters of which every matching text contains at least one entry; empty where that excludes nothing."""
        texts = (
            (" ".join(term.words) for term in parse_query(self.text)) if self.matches_words else (fold_case(self.text),)
        )
        letters = tuple(map(_letters, texts))
        return letters if all(letters) else ()


@dataclass(frozen=True, slots=True)
class FindMatch:
    """A range in the text of a block, in UTF-16 units as in Qt; `is_whole`: a line that can only be marked entirely.
    `folds` are the lines to be unfolded to show it.
    """

    key: str
    start: int
    end: int
    folds: tuple[str, ...] = ()
    is_whole: bool = False


def may_contain(text: str, letters: tuple[str, ...]) -> bool:
    """Return whether Markdown of this text can contain a match: fast, and without false negatives.

    Only letters are compared, since what stands between them may be markup.
    """
    if not letters or "&" in text:  # an entity stands for another sign
        return True
    bare = fold_case(text)
    seen = _HIDDEN_MARKUP.sub("", bare)
    # both forms: what looks like markup may be displayed in a different context
    texts = {_letters(bare), _letters(seen)}
    return any(needle in haystack for needle in letters for haystack in texts)


def plain_texts(turn: Turn) -> list[str] | None:
    """Return the texts of a turn that has nothing but texts, else None."""
    texts: list[str] = []
    for part in turn.parts:
        if not isinstance(part, Text | Thought | Output):
            return None
        texts.append(part.text)
    return texts


def _letters(bare: str) -> str:
    return _NON_LETTERS.sub("", bare)
