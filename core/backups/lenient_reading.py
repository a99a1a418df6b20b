"""Reading around damage: all rows of a table except what the engine cannot read.

A damaged block fails every query whose range touches it, whatever its limit, so the range is halved until its damaged
part is a single key. Keys are numbers, texts, or lists that begin with a text; the halves are found in the order of
keys, since the keys themselves cannot be listed.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.driver import BoundExcluded, BoundIncluded, Range, RecordID
from core.persistence.dump import Page, read_page, table_names
from core.persistence.statements import Row

MAX_KEY_CHARACTERS = 40
_LEAST, _MOST = -(2**63), 2**63 - 1
_ASCII_END, _TEXT_END = 0x80, 0x110000
_SURROGATES = range(0xD800, 0xE000)

OnLost = Callable[[str], object]
"""Called with the engine's message for each part that cannot be read."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The keys from `low` to before `high`, below `prefix` if these are the second elements of lists. `high` is None
    for all that follow. `kind` is what they are: number, text, list (with such first elements), or all of these.
    """

    kind: str
    low: Any = None
    high: Any = None
    prefix: str | None = None

    def range(self) -> Range:
        """Return the range for the engine."""
        if self.kind == "all":
            if self.prefix is None:
                return Range(None, None)
            return Range(BoundIncluded([self.prefix]), BoundExcluded([self.prefix, []]))
        end = self.high if self.high is not None else [] if self.kind == "text" else ""
        if self.kind == "list":
            begin = [self.low] if self.low else []
            return Range(BoundIncluded(begin), None if self.high is None else BoundExcluded([self.high]))
        return Range(BoundIncluded(self._key(self.low)), BoundExcluded(self._key(end)))

    def halves(self) -> list["_Part"]:
        """Return the halves of the part, none if it is a single key."""
        if self.kind == "all":
            parts = [_Part("number", _LEAST, None, self.prefix), _Part("text", "", None, self.prefix)]
            return [*parts, _Part("list", "")] if self.prefix is None else parts
        middle = _middle_number(self.low, self.high) if self.kind == "number" else _middle_text(self.low, self.high)
        if middle is not None:
            return [
                _Part(self.kind, self.low, middle, self.prefix),
                _Part(self.kind, middle, self.high, self.prefix),
            ]
        is_single = self.high == f"{self.low}\0"
        return [_Part("all", prefix=self.low)] if self.kind == "list" and is_single else []

    def _key(self, value: Any) -> Any:
        return value if self.prefix is None else [self.prefix, value]


async def readable_pages(connection: Connection, lost: list[str]) -> AsyncIterator[Page]:
    """Yield all rows that can be read, like `dump.read_pages`, and add the table of each part that cannot to `lost`."""
    for table in await table_names(connection):

        def note(_: str, table: str = table) -> None:
            lost.append(table)

        async for rows in read_around_damage(connection, table, note):
            yield table, rows


async def read_around_damage(connection: Connection, table: str, on_lost: OnLost) -> AsyncIterator[list[Row]]:
    """Yield the rows of the table that can be read.

    What is between two damaged places that are close to each other is left out too: a block holds many rows, and each
    of them would be looked for alone.
    """
    reader = _Reader(connection, table)
    damaged = [(_Part("all"), "both")]
    async for rows in reader.read(damaged[0][0]):
        yield rows
    while damaged and reader.failures:
        part, edges = damaged.pop()
        failed = []
        for half in (halves := part.halves()):
            failures = len(reader.failures)
            async for rows in reader.read(half):
                yield rows
            if len(reader.failures) > failures:
                failed.append(half)
        if not halves:
            on_lost(reader.failures[-1])
        elif len(failed) == 1:
            damaged.append((failed[0], edges))
        elif failed:
            damaged += [(failed[0], "low")] if edges != "high" else []
            damaged += [(failed[-1], "high")] if edges != "low" else []


class _Reader:
    """Reads parts of a table, each row once. `failures` are the engine's messages."""

    def __init__(self, connection: Connection, table: str) -> None:
        self._connection = connection
        self._table = table
        self._seen: set[str] = set()
        self.failures: list[str] = []

    async def read(self, part: _Part) -> AsyncIterator[list[Row]]:
        """Yield rows up to the first that cannot be read, which is noted."""
        rest = part.range()
        try:
            while rows := await read_page(self._connection, RecordID(self._table, rest)):
                # halves of a part that was read to its damage begin with the same rows
                fresh = [row for row in rows if repr(row["id"].id) not in self._seen]
                self._seen.update(repr(row["id"].id) for row in fresh)
                if fresh:
                    yield fresh
                rest = Range(BoundExcluded(rows[-1]["id"].id), rest.end)
        except StorageFailed as error:
            self.failures.append(error.message)


def _middle_number(low: int, high: int | None) -> int | None:
    end = _MOST if high is None else high
    return (low + end) // 2 if end - low > 1 else None


def _middle_text(low: str, high: str | None, longest: int = MAX_KEY_CHARACTERS) -> str | None:
    """Return a text between these, as short as possible; None if there is none of at most `longest` characters."""
    common = 0
    while high is not None and common < min(len(low), len(high)) and low[common] == high[common]:
        common += 1
    if common >= longest:
        return None
    begin = ord(low[common]) if common < len(low) else -1
    end = ord(high[common]) if high is not None and common < len(high) else _TEXT_END
    if end - begin > 1:
        middle = _ASCII_END if begin < _ASCII_END < end else (begin + end) // 2
        if middle in _SURROGATES:  # no character of a text
            middle = _SURROGATES.stop if _SURROGATES.stop < end else _SURROGATES.start - 1
        if middle > begin:
            return low[:common] + chr(middle)
    if begin < 0:
        return None
    after = _middle_text(low[common + 1 :], None, longest - common - 1)
    return None if after is None else low[: common + 1] + after
