"""What the rows of all tables are made of: texts, times, errors, and the JSON text that holds the rest."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, TypeVar

from core.domain.run import ErrorInfo
from core.domain.text import json_text
from core.errors import StepFailed, StorageFailed
from core.persistence.statements import Row

log = logging.getLogger(__name__)

T = TypeVar("T")

# What reading a row raises that is not as it was written.
DECODE_ERRORS = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class OrderKeys:
    """Gives rows their place in listings: by time, and of the same time in the order in which they were put.

    The number goes on from one process to the next, since it begins with the clock.
    """

    def __init__(self) -> None:
        self._numbers = count(time.time_ns())

    def next(self, at: datetime) -> str:
        return f"{to_microseconds(at):017d} {self.number():020d}"

    def number(self) -> int:
        """One that is greater than all before, and than those of earlier processes."""
        return next(self._numbers)


def time_of_order_key(place: str) -> datetime:
    return from_microseconds(int(place.partition(" ")[0]))


def to_microseconds(at: datetime) -> int:
    """A time as it is kept: since 1970, exact. (Writing ISO 8601 took longer than all else about a row.)"""
    return round(at.timestamp() * 1_000_000)


def from_microseconds(kept: int) -> datetime:
    return _EPOCH + timedelta(microseconds=kept)


def optional(convert: Callable[[Any], T], value: Any) -> T | None:
    """None where there is none."""
    return None if value is None else convert(value)


def encode_fields(**fields: Any) -> str:
    """The fields of a row that nobody searches, as JSON text; None is left out."""
    return encode_json({name: value for name, value in fields.items() if value is not None})


def encode_json(value: Any) -> str:
    """JSON text. Raises StorageFailed for what JSON cannot hold."""
    try:
        return json_text.encode(value)
    except StepFailed as error:
        raise StorageFailed("storage_failed", error.message) from error


def decode_fields(text: str) -> dict[str, Any]:
    """What `data` made a text of. Raises one of BROKEN."""
    found = json_text.decode(text)
    if not isinstance(found, dict):
        raise TypeError("the data of a row is no object")
    return found


def decode_data(row: Row) -> dict[str, Any]:
    """The fields of a row that nobody searches. Raises one of BROKEN."""
    return decode_fields(row["data"])


def encode_text(value: str) -> str | bytes:
    """A text as it is kept; as bytes where it holds a lone surrogate, which no text of the database can."""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")
    return value


def decode_text(value: str | bytes) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogatepass")
    if not isinstance(value, str):
        raise TypeError("a text is missing")
    return value


def encode_error(error: ErrorInfo) -> dict[str, Any]:
    """An error as a part of `data`."""
    return {
        "code": error.code,
        "message": error.message,
        "failed_step": error.failed_step,
        "failed_during": error.failed_during,
        "tool_name": error.tool_name,
        "parameters": dict(error.parameters),
    }


def decode_error(fields: dict[str, Any]) -> ErrorInfo:
    return ErrorInfo(**fields)


def decode_rows(rows: Iterable[Row], of: Callable[[Row], T]) -> Iterator[T]:
    """Those rows that can be read; the others are named in the log, and stop none."""
    for row in rows:
        try:
            yield of(row)
        except DECODE_ERRORS:
            log.warning("the row %s cannot be read", row.get("id"))
