"""Keys of rows: a text, or a list that begins with the run a row belongs to, so that its rows lie together."""

from itertools import pairwise
from typing import Any

from core.persistence.driver import BoundExcluded, BoundIncluded, Range, RecordID

Key = str | list[str | int]

# Keys sort texts before lists, and numbers before both: a list ends every range of keys.
_AFTER_ALL: list[Any] = []


def text_key(name: str) -> str:
    """`name` as it stands in a key or a column that is compared.

    Names of ours can be encoded as they are. One from outside may hold a lone surrogate, which the database
    cannot take: escaped, it finds nothing.
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def record(table: str, key: Key) -> RecordID:
    return RecordID(table, key)


def rows_of(table: str, *prefix: str | int) -> RecordID:
    """All rows of the table whose keys are lists that begin so."""
    return RecordID(table, Range(BoundIncluded(list(prefix)), BoundExcluded([*prefix, _AFTER_ALL])))


def rows_by_text(table: str) -> RecordID:
    """All rows of a table whose keys are texts."""
    return RecordID(table, Range(BoundIncluded(""), BoundExcluded(_AFTER_ALL)))


def rows_after(rows: RecordID, key: Key) -> RecordID:
    """Those of a range behind that key."""
    return RecordID(rows.table_name, Range(BoundExcluded(key), _range(rows).end))


def split(rows: RecordID, first_keys: list[Key]) -> list[RecordID]:
    """A range cut in pieces that begin with these keys of its rows, the first of them included."""
    end = _range(rows).end
    cuts = [*(BoundIncluded(key) for key in first_keys), end]
    ranges = [Range(begin, BoundExcluded(after.value)) for begin, after in pairwise(cuts)]
    return [RecordID(rows.table_name, piece) for piece in ranges]


def _range(rows: RecordID) -> Range:
    found = rows.id
    assert isinstance(found, Range)
    return found
