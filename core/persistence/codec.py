"""Encoding of rows: texts, times, errors, and the JSON text for every field that is not searched."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, TypeVar

from core.domain.ids import RunId
from core.domain.run import ErrorInfo
from core.domain.text import json_text
from core.errors import StepFailed, StorageFailed
from core.persistence.statements import Row

log = logging.getLogger(__name__)

T = TypeVar("T")

UNREADABLE = "unreadable"  # an error code

# What decoding raises for a row of another shape. A damaged row must not take the intact rows with it, so every reader
# catches these, and only these: a defect elsewhere still surfaces.
DECODE_ERRORS = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class OrderKeys:
    """Order keys for listings: by time, and rows of the same time in the order in which they were written.

    The counter starts at the clock, so keys keep growing across restarts.
    """

    def __init__(self) -> None:
        self._numbers = count(time.time_ns())

    def next(self, at: datetime) -> str:
        """Return the order key of a row of this time."""
        return f"{to_microseconds(at):017d} {self.number():020d}"

    def number(self) -> int:
        """Return a number greater than all before, also those of previous processes."""
        return next(self._numbers)


def time_of_order_key(order_key: str) -> datetime:
    """Return the time that an order key begins with."""
    return from_microseconds(int(order_key.partition(" ")[0]))


def to_microseconds(at: datetime) -> int:
    """Return the stored form of a time: microseconds since 1970, exact."""
    # not ISO 8601: writing that took longer than everything else about a row
    return round(at.timestamp() * 1_000_000)


def from_microseconds(microseconds: int) -> datetime:
    """Return the time of a stored number of microseconds."""
    return _EPOCH + timedelta(microseconds=microseconds)


def optional(convert: Callable[[Any], T], value: Any) -> T | None:
    """Convert the value, or return None if it is None."""
    return None if value is None else convert(value)


def encode_fields(**fields: Any) -> str:
    """Encode the fields that are not searched as JSON text, without those that are None."""
    return encode_json({name: value for name, value in fields.items() if value is not None})


# As objects, 1.2 MB took the driver 271 ms and blocked the loop for 122 ms, against 7 ms as text. Large integers, deep
# nesting and lone surrogates would also fail.
def encode_json(value: Any) -> str:
    """Encode as JSON text. Raises StorageFailed for a value that JSON cannot hold."""
    try:
        return json_text.encode(value)
    except StepFailed as error:
        raise StorageFailed("storage_failed", error.message) from error


def decode_fields(text: str) -> dict[str, Any]:
    """Decode the text that `encode_fields` made. Raises any of DECODE_ERRORS."""
    fields = json_text.decode(text)
    if not isinstance(fields, dict):
        raise TypeError("the data of a row is no object")
    return fields


def decode_data(row: Row) -> dict[str, Any]:
    """Decode a row's fields that are not searched. Raises any of DECODE_ERRORS."""
    return decode_fields(row["data"])


def encode_text(value: str) -> str | bytes:
    """Return the text, or bytes if it has a lone surrogate, which the database's strings cannot hold."""
    if value.isascii():  # true of most texts, and known without reading them
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")
    return value


def decode_text(value: str | bytes) -> str:
    """Return the text of a stored value. Raises TypeError if it is missing."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogatepass")
    if not isinstance(value, str):
        raise TypeError("a text is missing")
    return value


def encode_error(error: ErrorInfo) -> dict[str, Any]:
    """Return the error's fields, as part of `data`."""
    return {
        "code": error.code,
        "message": error.message,
        "failed_step": error.failed_step,
        "failed_during": error.failed_during,
        "tool_name": error.tool_name,
        "parameters": dict(error.parameters),
    }


def decode_error(fields: dict[str, Any]) -> ErrorInfo:
    """Return the error of such fields."""
    return ErrorInfo(**fields)


def decode_rows(rows: Iterable[Row], decode: Callable[[Row], T]) -> Iterator[T]:
    """Decode each row. An unreadable row is logged and skipped, so that it does not hide the others."""
    for row in rows:
        try:
            yield decode(row)
        except DECODE_ERRORS:
            log.warning("the row %s cannot be read", row.get("id"))


def decode_if_readable(row: Row | None, decode: Callable[[Row], T]) -> T | None:
    """Return the decoded row, or None if it is missing or unreadable."""
    try:
        return decode(row) if row else None
    except DECODE_ERRORS:
        return None


def unreadable_error(run_id: RunId, rows: str) -> StorageFailed:
    """Return the failure of reading `rows` (a plural) of a run."""
    return StorageFailed(UNREADABLE, f"the {rows} of run {run_id} cannot be read", run_id=run_id)


@contextmanager
def raising_unreadable(run_id: RunId, rows: str) -> Iterator[None]:
    """Raise `unreadable_error` if the body cannot decode a row: half of a run's rows would be misleading."""
    try:
        yield
    except DECODE_ERRORS as error:
        raise unreadable_error(run_id, rows) from error
