"""Statements that share a transaction, and how they become one query.

Text is constant and values are variables, always. Each statement has one variable, `$given`; statements of one
query are told apart by a number at the end of it. No statement is a RETURN or has one in a block: it would end the
whole transaction there, and commit it without the statements that follow. A block gives its last expression.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")
Row = dict[str, Any]

STATEMENT_ROWS = 200
SHORT_CHARACTERS = 16_000

_WRITER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _nothing(_: Any) -> Collection[int]:
    return ()


@dataclass(frozen=True, slots=True)
class Statement:
    """`lost` tells from the statement's result which positions of the commit were lost."""

    text: str
    given: Any
    lost: Callable[[Any], Collection[int]] = _nothing


def each(text: str, rows: Iterable[Row]) -> list[Statement]:
    """The statement for all rows, repeated where they are many: no statement has over 200."""
    return [Statement(text, part) for part in parts(list(rows))]


def parts(items: Sequence[T], size: int = STATEMENT_ROWS) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def positions_not_in(taken: Sequence[Sequence[Any]], placed: Sequence[tuple[int, Sequence[Any]]]) -> Collection[int]:
    """The positions of keys that a statement did not take; of two that are equal it took the first."""
    first = {tuple(key): position for position, key in reversed(placed)}
    won = {first[tuple(key)] for key in taken}
    return [position for position, _ in placed if position not in won]


def as_query(statements: Sequence[Statement]) -> tuple[str, dict[str, Any]]:
    """Text and variables of one query: a transaction, unless a single statement is one by itself and cheaper."""
    texts, variables = [], {}
    for number, one in enumerate(statements):
        name = f"given{number}"
        rows = _as_json(one.given)
        variables[name] = one.given if rows is None else rows
        texts.append(one.text.replace("$given", f"${name}" if rows is None else f"(encoding::json::decode(${name}))"))
    if len(texts) == 1:
        return texts[0], variables
    return "; ".join(["BEGIN", *texts, "COMMIT"]), variables


def _as_json(given: Any) -> str | None:
    """Rows as one text, which is written in a third of the time that the driver takes for objects.

    None for what is neither rows nor an object of them, and for rows with bytes, records or long texts: they go as
    they are. A field that is None is left out, since JSON's null is not the absence of a value to the database.
    """
    if not isinstance(given, list | dict):
        return None
    try:
        return _WRITER.encode(_plain(given))
    except (TypeError, ValueError):
        return None


def _plain(value: Any) -> Any:
    """The value without fields that are None. Raises ValueError for a long text in it."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, str) and len(value) > SHORT_CHARACTERS:
        raise ValueError("a long text")
    return value
