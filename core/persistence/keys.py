"""Keys of rows, and the order of rows where the keys do not give it.

A key is a text, or a list that begins with the run or workflow of the row, so that related rows are adjacent.
"""

from datetime import datetime
from itertools import pairwise
from typing import Any

from core.domain.interruption import Interruption
from core.domain.names import name_key
from core.domain.run import RunStatus
from core.domain.toast import Toast
from core.persistence.driver import BoundExcluded, BoundIncluded, Range, RecordID
from core.ports import Chunk, StoredTemplate

Key = str | list[str | int]

UNFINISHED = (RunStatus.ENQUEUED, RunStatus.RUNNING, RunStatus.WAITING)

# Keys sort numbers before texts before lists, so a list follows every key that may come after a prefix.
_AFTER_ALL: list[Any] = []


def text_key(name: str) -> str:
    """Return the name for use in a key or a compared column.

    Our own names are unchanged. A name from outside may have a lone surrogate, which the database rejects; escaped, it
    matches nothing.
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


# Keys are handed over as values, and read back from `RecordID.id`: the text of a record id quotes and escapes its key,
# and cannot be parsed reliably.
def record_id(table: str, key: Key) -> RecordID:
    return RecordID(table, key)


def key_range(table: str, *prefix: str | int) -> RecordID:
    """Return the range of all rows whose list keys begin so."""
    return RecordID(table, Range(BoundIncluded(list(prefix)), BoundExcluded([*prefix, _AFTER_ALL])))


def table_range(table: str) -> RecordID:
    """Return the range of all rows of a table whose keys are texts."""
    return RecordID(table, Range(BoundIncluded(""), BoundExcluded(_AFTER_ALL)))


def range_after(rows: RecordID, key: Key) -> RecordID:
    """Return the part of the range after the key."""
    return RecordID(rows.table_name, Range(BoundExcluded(key), _bounds(rows).end))


def split_range(rows: RecordID, first_keys: list[Key]) -> list[RecordID]:
    """Split a range so that each part begins at one of these keys."""
    end = _bounds(rows).end
    cuts = [*(BoundIncluded(key) for key in first_keys), end]
    ranges = [Range(begin, BoundExcluded(after.value)) for begin, after in pairwise(cuts)]
    return [RecordID(rows.table_name, piece) for piece in ranges]


def _bounds(rows: RecordID) -> Range:
    assert isinstance(rows.id, Range)
    return rows.id


def key_number(value: int | None) -> int:
    """Return the key of an index or round: -1, before all others, for None."""
    return -1 if value is None else value


def by_title(template: StoredTemplate) -> tuple[str, str, str]:
    return name_key(template.title), template.title, template.id


def by_time(notice: Toast) -> tuple[datetime, str]:
    return notice.created_at, notice.id


def by_sequence(interruption: Interruption) -> tuple[int, str]:
    return interruption.seq, interruption.id


def by_stream(chunk: Chunk) -> tuple[str, int, int]:
    return chunk.step, key_number(chunk.index), chunk.offset
