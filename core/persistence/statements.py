"""Statements that share a transaction, combined into a single query.

Texts are constant and values are variables, always. Each statement has one variable, `$argument`, which gets a number
in the query. No statement may contain RETURN: it would end the whole transaction there and commit it without the
statements that follow. The value of a block is its last expression.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")
Row = dict[str, Any]

STATEMENT_ROWS = 200
MAX_RECORD_CHARACTERS, MAX_RECORD_QUERIES = 64 * 1024 * 1024, 20_000
SHORT_CHARACTERS = 16_000  # a longer text is handed over as it is: to escape it would block the loop

_WRITER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _none_lost(_: Any) -> Collection[int]:
    return ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement. `lost` returns, from its result, which positions of the commit were lost.

    The text may use `$commit`, the number of the commit. `carrier` is the table and key of a row that this statement
    inserts with that number in its column `commit`.
    """

    text: str
    argument: Any
    lost: Callable[[Any], Collection[int]] = _none_lost
    carrier: tuple[str, Any] | None = None


def batched_statements(text: str, rows: Iterable[Row]) -> list[Statement]:
    """Return the statement for all rows, repeated so that none has more than STATEMENT_ROWS."""
    return [Statement(text, part) for part in batched(list(rows))]


def delete_statements(rows: Iterable[Any]) -> list[Statement]:
    """Return a statement that deletes these records and ranges, if there are any."""
    records = list(rows)
    return [Statement("DELETE $argument RETURN NONE", records)] if records else []


def deletes_texts(statement: Statement) -> bool:
    """Return whether the statement deletes rows for good, and not only what a message holds too."""
    if "DELETE" not in statement.text:
        return False
    rows = statement.argument if isinstance(statement.argument, list) else []
    return not rows or any(getattr(row, "table_name", "") != "chunk" for row in rows)


def batched(items: Sequence[T], size: int = STATEMENT_ROWS) -> Iterator[list[T]]:
    """Yield the items in lists of at most `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def lost_positions(taken: Sequence[Sequence[Any]], placed: Sequence[tuple[int, Sequence[Any]]]) -> Collection[int]:
    """Return the positions of keys that the statement did not take. Of two equal keys it takes the first."""
    first = {tuple(key): position for position, key in reversed(placed)}
    won = {first[tuple(key)] for key in taken}
    return [position for position, _ in placed if position not in won]


@dataclass(frozen=True, slots=True)
class Query:
    """A query. `is_long`: it has long texts, which take the driver a while to encode."""

    text: str
    variables: dict[str, Any]
    is_long: bool = False


def build_query(statements: Sequence[Statement]) -> Query:
    """Return the statements as a transaction, or a single statement as it is, which is cheaper."""
    texts, variables, is_long = [], {}, False
    for number, statement in enumerate(statements):
        name = f"argument{number}"
        variable, variables[name] = f"${name}", statement.argument
        try:
            variables[name] = _as_json(statement.argument)
            variable = f"(encoding::json::decode(${name}))"
        except _LongTextFound:
            is_long = True
        except (TypeError, ValueError):
            pass  # record ids and bytes have no JSON form; the driver encodes them
        texts.append(statement.text.replace("$argument", variable))
    if len(texts) == 1:
        return Query(texts[0], variables, is_long)
    return Query("; ".join(["BEGIN", *texts, "COMMIT"]), variables, is_long)


class _LongTextFound(Exception):
    """A text that is too long to escape."""


def _as_json(argument: Any) -> str:
    """Encode rows as one text, which takes a third of the driver's time for objects.

    Fields that are None are left out, since JSON's null differs from the database's NONE. Raises _LongTextFound, and
    TypeError for values other than rows or an object of rows, and for bytes and record ids in them.
    """
    if not isinstance(argument, list | dict):
        raise TypeError
    return _WRITER.encode(_without_none(argument))


def _without_none(value: Any) -> Any:
    """Return the value without fields that are None. Raises TypeError for a name that is not a text."""
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise TypeError
        return {name: _without_none(part) for name, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_without_none(part) for part in value]
    if isinstance(value, str | bytes) and len(value) > SHORT_CHARACTERS:
        raise _LongTextFound
    return value


@dataclass(slots=True)
class CommitRecord:
    """The queries that were committed since a moment, until there are too many, or a commit has failed."""

    queries: list[Query] = field(default_factory=list)
    characters: int = 0
    is_broken: bool = False

    def add(self, query: Query) -> None:
        """Add a query that was committed."""
        self.characters += sum(len(value) for value in query.variables.values() if isinstance(value, str))
        if self.characters > MAX_RECORD_CHARACTERS or len(self.queries) > MAX_RECORD_QUERIES:
            self.break_off()
        if not self.is_broken:
            self.queries.append(query)

    def break_off(self) -> None:
        """Drop the queries: what was committed is not known any more."""
        self.is_broken = True
        self.queries.clear()
