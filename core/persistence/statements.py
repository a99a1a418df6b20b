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


def _none_lost(_: Any) -> Collection[int]:
    return ()


@dataclass(frozen=True, slots=True)
class Statement:
    """`lost` tells from the statement's result which positions of the commit were lost."""

    text: str
    given: Any
    lost: Callable[[Any], Collection[int]] = _none_lost


def batched_statements(text: str, rows: Iterable[Row]) -> list[Statement]:
    """The statement for all rows, repeated where they are many: no statement has over 200."""
    return [Statement(text, part) for part in batched(list(rows))]


def batched(items: Sequence[T], size: int = STATEMENT_ROWS) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def lost_positions(taken: Sequence[Sequence[Any]], placed: Sequence[tuple[int, Sequence[Any]]]) -> Collection[int]:
    """The positions of keys that a statement did not take; of two that are equal it took the first."""
    first = {tuple(key): position for position, key in reversed(placed)}
    won = {first[tuple(key)] for key in taken}
    return [position for position, _ in placed if position not in won]


@dataclass(frozen=True, slots=True)
class Query:
    """`is_long`: there are long texts in it, so that to hand it over takes a while."""

    text: str
    variables: dict[str, Any]
    is_long: bool = False


def build_query(statements: Sequence[Statement]) -> Query:
    """All in one query: a transaction, unless a single statement is one by itself and cheaper."""
    texts, variables, is_long = [], {}, False
    for number, one in enumerate(statements):
        name = f"given{number}"
        variable, variables[name] = f"${name}", one.given
        try:
            variables[name] = _as_json(one.given)
            variable = f"(encoding::json::decode(${name}))"
        except _LongTextFound:
            is_long = True
        except (TypeError, ValueError):
            pass  # it goes as it is
        texts.append(one.text.replace("$given", variable))
    if len(texts) == 1:
        return Query(texts[0], variables, is_long)
    return Query("; ".join(["BEGIN", *texts, "COMMIT"]), variables, is_long)


class _LongTextFound(Exception):
    """A text that is better not escaped."""


def _as_json(given: Any) -> str:
    """Rows as one text, which is written in a third of the time that the driver takes for objects.

    A field that is None is left out, since JSON's null is not the absence of a value to the database. Raises _LongText,
    and TypeError for what is neither rows nor an object of them, and for bytes and records in them.
    """
    if not isinstance(given, list | dict):
        raise TypeError
    return _WRITER.encode(_without_none(given))


def _without_none(value: Any) -> Any:
    """The value without fields that are None. Raises TypeError for a name that JSON would make a text of."""
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise TypeError
        return {name: _without_none(part) for name, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_without_none(part) for part in value]
    if isinstance(value, str | bytes) and len(value) > SHORT_CHARACTERS:
        raise _LongTextFound
    return value
