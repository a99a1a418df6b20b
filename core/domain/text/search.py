"""What a person looks for in texts, without regard to case and accents. Pure.

A query is words and, in quotes, phrases; every one of them has to be found. No sign in it is an operator. The last
word, unless it is quoted, is found by its beginning too: the person may still be typing it.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

QUERY_CHARACTERS = 1_000
"""What stands behind is not looked for."""
QUERY_TERMS = 16
MIN_PREFIX_CHARACTERS = 2
"""A word of fewer is found whole alone: too much begins with one letter."""

_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Scripts that are written without spaces between words, and Korean, whose words carry endings."""
_MARK = re.compile(f"[{_MARKS}]+")
_UNSPACED_SIGN = re.compile(f"[{_UNSPACED}]")
_SPELT = (("œ", "oe"), ("æ", "ae"), ("ø", "o"), ("ł", "l"), ("đ", "d"), ("ð", "d"), ("\u0131", "i"), ("þ", "th"))
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_QUOTED = re.compile('["“”„«»]([^"“”„«»]*)(["“”„«»]|$)')
_TOKEN = re.compile(r"[^\W_]+")


class Span(NamedTuple):
    """A stretch of a text, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Term:
    """Folded words that stand beside each other. `is_beginning`: the last of them may go on."""

    words: tuple[str, ...]
    is_beginning: bool = False


def fold_case(text: str) -> str:
    """The text without case and accents, letter by letter as few as that takes: *Éßœ* becomes *essoe*."""
    if text.isascii():
        return text.lower()
    bare = _MARK.sub("", unicodedata.normalize("NFKD", text.casefold()))
    for letter, letters in _SPELT:
        if letter in bare:
            bare = bare.replace(letter, letters)
    return unicodedata.normalize("NFC", bare)


def space_unspaced_scripts(text: str) -> str:
    """A folded text with room around each sign of a script without spaces: these are found sign by sign."""
    return text if text.isascii() else _UNSPACED_SIGN.sub(r" \g<0> ", text)


def replace_controls(text: str) -> str:
    """A space for each control character and each half of a character, which no index takes."""
    return _NO_TEXT.sub(" ", text)


def text_digest(text: str) -> str:
    """Equal for equal texts, and telling nothing of them."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def parse_query(query: str) -> tuple[Term, ...]:
    """What is to be found. Empty for a query without a letter or a digit."""
    text = replace_controls(query[:QUERY_CHARACTERS])
    terms: dict[Term, None] = {}
    at = 0
    for quoted in _QUOTED.finditer(text):
        terms |= dict.fromkeys(_plain_terms(text[at : quoted.start()]))
        words = _words(quoted[1])
        terms |= {Term(words) if quoted[2] else _begun(words): None} if words else {}
        at = quoted.end()
    rest = _plain_terms(text[at:])
    if rest:
        rest[-1] = _begun(rest[-1].words)
    return tuple(terms | dict.fromkeys(rest))[:QUERY_TERMS]


def _begun(words: tuple[str, ...]) -> Term:
    """The person may still be typing the last of the words."""
    last = words[-1]
    return Term(words, is_beginning=len(last) >= MIN_PREFIX_CHARACTERS and not _UNSPACED_SIGN.search(last))


def _plain_terms(text: str) -> list[Term]:
    """A term for each word between spaces; *e-mail* is a phrase of two."""
    return [Term(words) for word in text.split() if (words := _words(word))]


def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(space_unspaced_scripts(fold_case(text))))


# Where it stands


def find_spans(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Where a pattern of this module is found in a text as it is written, from the start on."""
    bare, sources = _folded_with_places(text)
    for match in pattern.finditer(bare):
        start, end = match.span()
        if sources is None:
            yield Span(start, end)
        else:
            yield Span(sources[start], _with_accents(text, sources[end - 1] + 1))


@lru_cache(maxsize=64)
def terms_pattern(terms: Sequence[Term]) -> re.Pattern[str] | None:
    """What finds the words of any of the terms. None where there are none."""
    found = sorted(map(_term_pattern, terms), key=len, reverse=True)
    return re.compile("|".join(found)) if found else None


@lru_cache(maxsize=64)
def text_pattern(text: str) -> re.Pattern[str] | None:
    """What finds this text anywhere, within words too, without case and accents; None for an empty one."""
    words = fold_case(replace_controls(text[:QUERY_CHARACTERS])).split()
    pattern = r"\s+".join(map(re.escape, words))
    return re.compile(pattern) if pattern else None


def _term_pattern(term: Term) -> str:
    """Whole words, but in scripts without spaces."""
    first, last = term.words[0], term.words[-1]
    before = "" if _UNSPACED_SIGN.match(first) else r"(?<![^\W_])"
    after = "" if term.is_beginning or _UNSPACED_SIGN.match(last) else r"(?![^\W_])"
    parts = [re.escape(first)]
    for left, right in pairwise(term.words):
        touches = _UNSPACED_SIGN.search(left) or _UNSPACED_SIGN.search(right)
        parts += [r"[\W_]*" if touches else r"[\W_]+", re.escape(right)]
    return before + "".join(parts) + after


def _folded_with_places(text: str) -> tuple[str, Sequence[int] | None]:
    """The folded text, and which letter of the text each of its letters comes from; None: the one in its place."""
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


def _with_accents(text: str, end: int) -> int:
    """The end of a letter that ends there, behind the accents that are written after it."""
    while end < len(text) and not _folded_letter(text[end]):
        end += 1
    return end


WORD_CHARACTERS = 32
"""Longer words are known by so many characters."""

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "\u0131": "i"})


def words_of(text: str) -> list[str]:
    """Each word once, in the order in which they first come."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char)).translate(_LIGATURES)
    return list(dict.fromkeys(word[:WORD_CHARACTERS] for word in _WORD.findall(plain)))
