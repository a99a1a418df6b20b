"""Syntax colours by Pygments, computed in slices that do not block the window."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from functools import cache
from time import perf_counter
from typing import Literal, NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound
from PySide6.QtCore import QObject, QTimer

SyntaxColor = Literal[
    "syntax_keyword", "syntax_string", "syntax_number", "syntax_comment", "syntax_function", "ok", "error", "muted"
]

# Longer code stays plain.
MAX_CODE_CHARACTERS = 50_000
_SLICE_S = 0.004
_MAX_CACHED = 200

_COLORS: dict[_TokenType, SyntaxColor] = {
    Token.Comment: "syntax_comment",
    Token.Literal.String: "syntax_string",
    Token.Literal.Number: "syntax_number",
    Token.Keyword: "syntax_keyword",
    Token.Operator.Word: "syntax_keyword",
    Token.Name.Function: "syntax_function",
    Token.Name.Class: "syntax_function",
    Token.Name.Decorator: "syntax_function",
    Token.Name.Tag: "syntax_keyword",
    Token.Name.Attribute: "syntax_function",
    Token.Generic.Inserted: "ok",
    Token.Generic.Deleted: "error",
    Token.Generic.Subheading: "muted",
}


class Span(NamedTuple):
    """A range of code in one colour, in characters."""

    start: int
    end: int
    color: SyntaxColor


Spans = tuple[Span, ...]
_Key = tuple[str, str]


class SyntaxScanner(QObject):
    """Computes the spans of code, one text after another, 4 ms at a time."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._known: OrderedDict[_Key, Spans] = OrderedDict()
        self._waiting: dict[_Key, list[Callable[[Spans], object]]] = {}
        self._queue: deque[_Key] = deque()
        self._work: Iterator[Span] | None = None
        self._found: list[Span] = []
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    def ask(self, language: str, code: str, answer: Callable[[Spans], object]) -> None:
        """Call `answer` with the spans: at once if they are cached, else later; never where there is nothing to colour.

        That is code of an unknown language, and of more than 50,000 characters.
        """
        key = (language.casefold(), code)
        if key in self._known:
            self._known.move_to_end(key)
            answer(self._known[key])
        elif language and code and len(code) <= MAX_CODE_CHARACTERS:
            if key not in self._waiting:
                self._queue.append(key)
            self._waiting.setdefault(key, []).append(answer)
            self._timer.start(0)

    def _go_on(self) -> None:
        until = perf_counter() + _SLICE_S
        # lexers are generators: they can be paused between tokens
        while self._queue and perf_counter() < until:
            if self._work is None:
                self._work, self._found = spans_of(*self._queue[0]), []
            span = next(self._work, None)
            if span is None:
                self._answer(self._queue.popleft())
            else:
                self._found.append(span)
        if not self._queue:
            self._timer.stop()

    def _answer(self, key: _Key) -> None:
        self._work = None
        spans = self._known[key] = tuple(self._found)
        if len(self._known) > _MAX_CACHED:
            self._known.popitem(last=False)
        for answer in self._waiting.pop(key, ()):
            answer(spans)


def spans_of(language: str, code: str) -> Iterator[Span]:
    """Yield the coloured spans of code, in order; none for a language that Pygments does not support."""
    lexer = _lexer(language)
    if lexer is None:
        return
    for start, token, text in lexer.get_tokens_unprocessed(code):
        color = _color(token)
        if color is not None and text.strip():
            yield Span(start, start + len(text), color)


@cache
def _color(token: _TokenType) -> SyntaxColor | None:
    """Return the colour of a token, or of its nearest parent that has one."""
    kind: _TokenType | None = token
    while kind is not None and kind not in _COLORS:
        kind = kind.parent
    return None if kind is None else _COLORS[kind]


def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None
