"""Texts for the index: split into short pieces of work, normalised, compressed. Runs in a thread."""

import re
import zlib
from collections.abc import Iterator, Sequence

from core.domain.text.masking import masked_text, without_private_keys
from core.domain.text.search import (
    Span,
    Term,
    find_spans,
    fold_case,
    replace_controls,
    space_unspaced_scripts,
    terms_pattern,
)
from core.threads.pieces import Pieces

MAX_TEXT_CHARACTERS = 1_000_000  # the rest of a longer text is not indexed
PIECE_CHARACTERS = 16 * 1024
SNIPPET_CHARACTERS = 160
LEADING_CHARACTERS = 40
MAX_MARKS = 20

_BREAK = re.compile(r"\s")
_MARKUP = re.compile(r"\*\*|__|`+|^#{1,6}[ \t]+|^>[ \t]?|\]\([^)\s]*\)|!?\[(?=[^\]\n]*\]\()", re.MULTILINE)
_SPACE = re.compile(r"\s+")


def split_text(text: str) -> Iterator[str]:
    """Yield the text in parts that end at a line or at least a word."""
    start = 0
    while start < len(text):
        end = min(start + PIECE_CHARACTERS, len(text))
        if end < len(text):
            middle = start + PIECE_CHARACTERS // 2
            end = max(text.rfind("\n", middle, end), text.rfind(" ", middle, end)) + 1 or end
        yield text[start:end]
        start = end


def redacted(text: str) -> Pieces[str]:
    """Return the text as stored: at most MAX_TEXT_CHARACTERS, without secrets (AGENTS_AND_TOOLS §3) and
    control characters.
    """
    text = text[:MAX_TEXT_CHARACTERS]
    if "PRIVATE KEY-----" in text:  # a key may extend over several pieces, unlike other secrets
        text = without_private_keys(text)
    pieces: list[str] = []
    for piece in split_text(text):
        pieces.append(replace_controls(masked_text(piece)))
        yield
    return "".join(pieces)


def index_words(text: str) -> Pieces[str]:
    """Return the normalised words. Equal texts give equal words, so that they can be removed again."""
    pieces: list[str] = []
    for piece in split_text(text):
        pieces.append(space_unspaced_scripts(fold_case(piece)))
        yield
    return "".join(pieces)


def compress(text: str) -> bytes:
    return zlib.compress(text.encode(), 3)


def decompress(data: bytes) -> str:
    return zlib.decompress(data).decode()


def match_expression(terms: Sequence[Term]) -> str:
    """Return the terms as an FTS5 expression. Quoting keeps words from being operators."""
    return " AND ".join('"' + " ".join(term.words) + '"' + (" *" if term.is_beginning else "") for term in terms)


def snippet(text: str, terms: Sequence[Term], *, is_markdown: bool = False) -> tuple[str, tuple[Span, ...]]:
    """Return one line around the first match, and the positions of matches in it.

    Markdown is shown without its markup.
    """
    pattern = terms_pattern(tuple(terms))
    at = 0
    for piece in split_text(text):
        first = next(find_spans(pattern, piece), None) if pattern is not None else None
        if first is not None:
            at += first.start
            break
        at += len(piece)
    else:
        at = 0
    start = _word_start(text, max(0, at - LEADING_CHARACTERS), at)
    end = start + SNIPPET_CHARACTERS
    if end < len(text):
        space = _last_space(text, max(at, end - LEADING_CHARACTERS // 2), end)
        end = space if space > at else end
    line = _MARKUP.sub("", text[start:end]) if is_markdown else text[start:end]
    line = _SPACE.sub(" ", line).strip()
    shown = ("…" if start > 0 else "") + line + ("…" if end < len(text) else "")
    marks = tuple(find_spans(pattern, shown))[:MAX_MARKS] if pattern is not None else ()
    return shown, marks


def _word_start(text: str, start: int, end: int) -> int:
    """Return the start of the first word after `start`, which may be inside a word."""
    if start == 0:
        return 0
    space = _BREAK.search(text, start, end)
    return space.end() if space else start


def _last_space(text: str, start: int, end: int) -> int:
    return max(text.rfind(" ", start, end), text.rfind("\n", start, end))
