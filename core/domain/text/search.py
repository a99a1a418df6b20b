"""Full-text search, ignoring case and accents. Pure.

A query consists of words and quoted phrases, all of which must match. It has no operators. The last word, unless
quoted, also matches as a prefix, since the user may still be typing it.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

# The rest of a longer query is ignored.
QUERY_CHARACTERS = 1_000
QUERY_TERMS = 16
# A shorter word must match whole: too many words begin with one letter.
MIN_PREFIX_CHARACTERS = 2

_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
# Scripts without spaces between words, and Korean, whose words carry endings.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_MARK = re.compile(f"[{_MARKS}]+")
_UNSPACED_SIGN = re.compile(f"[{_UNSPACED}]")
_SPELT = (("œ", "oe"), ("æ", "ae"), ("ø", "o"), ("ł", "l"), ("đ", "d"), ("ð", "d"), ("\u0131", "i"), ("þ", "th"))
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_QUOTED = re.compile('["“”„«»]([^"“”„«»]*)(["“”„«»]|$)')
_TOKEN = re.compile(r"[^\W_]+")


class Span(NamedTuple):
    """A range of a text, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Term:
    """Adjacent words in folded form. `is_beginning`: the last word matches as a prefix."""

    words: tuple[str, ...]
    is_beginning: bool = False


def fold_case(text: str) -> str:
    """Remove case and accents, in as few letters as possible: *Éßœ* becomes *essoe*."""
    if text.isascii():
        return text.lower()
    bare = _MARK.sub("", unicodedata.normalize("NFKD", text.casefold()))
    for letter, letters in _SPELT:
        if letter in bare:
            bare = bare.replace(letter, letters)
    return unicodedata.normalize("NFC", bare)


def strip_accents(text: str) -> str:
    """Remove case and combining marks, leaving decomposed form."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in parts if not unicodedata.combining(character))


def space_unspaced_scripts(text: str) -> str:
    """Put spaces around each character of unspaced scripts in a folded text, since these are searched by character."""
    return text if text.isascii() else _UNSPACED_SIGN.sub(r" \g<0> ", text)


def replace_controls(text: str) -> str:
    """Replace each control character and lone surrogate, which no index accepts, by a space."""
    return _NO_TEXT.sub(" ", text)


def text_digest(text: str) -> str:
    """Hash a text. The digest is equal for equal texts and reveals nothing of them."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def parse_query(query: str) -> tuple[Term, ...]:
    """Parse a query into the terms to find. Empty if the query has no letter and no digit."""
    text = replace_controls(query[:QUERY_CHARACTERS])
    terms: dict[Term, None] = {}
    at = 0
    for quoted in _QUOTED.finditer(text):
        terms |= dict.fromkeys(_plain_terms(text[at : quoted.start()]))
        words = _words(quoted[1])
        terms |= {Term(words) if quoted[2] else _prefix_term(words): None} if words else {}
        at = quoted.end()
    rest = _plain_terms(text[at:])
    if rest:
        rest[-1] = _prefix_term(rest[-1].words)
    return tuple(terms | dict.fromkeys(rest))[:QUERY_TERMS]


def _prefix_term(words: tuple[str, ...]) -> Term:
    """Make a term of words of which the last may still be incomplete."""
    last = words[-1]
    return Term(words, is_beginning=len(last) >= MIN_PREFIX_CHARACTERS and not _UNSPACED_SIGN.search(last))


def _plain_terms(text: str) -> list[Term]:
    """Make a term of each word between spaces; *e-mail* is a phrase of two words."""
    return [Term(words) for word in text.split() if (words := _words(word))]


def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(space_unspaced_scripts(fold_case(text))))


def find_spans(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Yield where a pattern of this module matches a text as written, in order."""
    bare, sources = _fold_with_sources(text)
    for match in pattern.finditer(bare):
        start, end = match.span()
        if sources is None:
            yield Span(start, end)
        else:
            yield Span(sources[start], _letter_end(text, sources[end - 1] + 1))


@lru_cache(maxsize=64)
def terms_pattern(terms: Sequence[Term]) -> re.Pattern[str] | None:
    """Compile a pattern for the words of any of the terms; None if there are none."""
    patterns = sorted(map(_term_pattern, terms), key=len, reverse=True)
    return re.compile("|".join(patterns)) if patterns else None


@lru_cache(maxsize=64)
def text_pattern(text: str) -> re.Pattern[str] | None:
    """Compile a pattern for the text at any position, ignoring case and accents; None if it is empty."""
    words = fold_case(replace_controls(text[:QUERY_CHARACTERS])).split()
    pattern = r"\s+".join(map(re.escape, words))
    return re.compile(pattern) if pattern else None


def _term_pattern(term: Term) -> str:
    """Match whole words, except in unspaced scripts."""
    first, last = term.words[0], term.words[-1]
    before = "" if _UNSPACED_SIGN.match(first) else r"(?<![^\W_])"
    after = "" if term.is_beginning or _UNSPACED_SIGN.match(last) else r"(?![^\W_])"
    parts = [re.escape(first)]
    for before_gap, after_gap in pairwise(term.words):
        touches = _UNSPACED_SIGN.search(before_gap) or _UNSPACED_SIGN.search(after_gap)
        parts += [r"[\W_]*" if touches else r"[\W_]+", re.escape(after_gap)]
    return before + "".join(parts) + after


def _fold_with_sources(text: str) -> tuple[str, Sequence[int] | None]:
    """Fold a text, with the source index of each of its letters, or None if the indexes are equal."""
    if text.isascii():
        return text.lower(), None
    letters = [_folded_letter(letter) for letter in text]
    bare = "".join(letters)
    if len(bare) == len(text) and all(letters):
        return bare, None
    return bare, [at for at, letter in enumerate(letters) for _ in letter]


@lru_cache(maxsize=10_000)
def _folded_letter(letter: str) -> str:
    return fold_case(letter)


def _letter_end(text: str, end: int) -> int:
    """Find the end of the letter that ends here, including its combining accents."""
    while end < len(text) and not _folded_letter(text[end]):
        end += 1
    return end


# Longer words are compared by their first characters.
WORD_CHARACTERS = 32

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "\u0131": "i"})


def words_of(text: str) -> list[str]:
    """List the distinct words of a text in order, without case and accents.

    `Été`, `été` and `ETE` are one word; ligatures and compatibility forms are expanded. In scripts without spaces each
    character is a word.
    """
    plain = strip_accents(unicodedata.normalize("NFKC", text)).translate(_LIGATURES)
    return list(dict.fromkeys(word[:WORD_CHARACTERS] for word in _WORD.findall(plain)))
