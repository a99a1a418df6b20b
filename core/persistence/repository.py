"""The base of the repositories: reading many rows page by page.

The driver decodes a page on the loop; other tasks get a turn in between. The engine reads a key range to its end
whatever the LIMIT, so page after page would take quadratic time. For a range longer than a page, the first keys of all
its pages are read once.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TypeVar

from core.persistence.codec import OrderKeys, decode_rows
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.keys import Key, key_range, range_after, record_id, split_range, table_range
from core.persistence.statements import Row, batched

T = TypeVar("T")

# To decode 1000 rows takes the driver 20 to 40 ms, during which the loop stands still.
PAGE_SIZE = 200
LONG_TEXTS_PER_PAGE = 4  # a text may have a megabyte

SELECT = "SELECT * FROM $range"
_FIRST_KEYS = "RETURN array::clump((SELECT VALUE id FROM $range), $limit).map(|$page| record::id($page[0]))"


class Repository:
    """Rows of one subject, and how to read them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _pages_in_range(
        self, table: str, *prefix: str | int, text: str = SELECT, rows: int = PAGE_SIZE
    ) -> AsyncIterator[list[Row]]:
        """Yield pages of the rows whose list keys begin so, by key. `text` selects from `$range`."""
        return pages_by_key(self._connection, text, key_range(table, *prefix), rows)

    def _pages_of_table(self, table: str, *, text: str = SELECT, rows: int = PAGE_SIZE) -> AsyncIterator[list[Row]]:
        """Yield pages of all rows of a table whose keys are texts, by key. `text` selects from `$range`."""
        return pages_by_key(self._connection, text, table_range(table), rows)

    async def _pages_by_order_key(
        self, text: str, variables: dict[str, Any], *, rows: int = PAGE_SIZE
    ) -> AsyncIterator[list[Row]]:
        """Yield pages in the order of `place`. `text` selects up to `$limit` rows with `place > $place`, in order."""
        place = ""
        while True:
            page: list[Row] = await self._connection.read(text, {**variables, "place": place, "limit": rows})
            yield page
            if len(page) < rows:
                return
            place = page[-1]["place"]
            await asyncio.sleep(0)

    async def _pages_by_id(
        self, ids: Sequence[RecordID], *, text: str = "SELECT * FROM $ids", rows: int = PAGE_SIZE
    ) -> AsyncIterator[list[Row]]:
        """Yield pages of the existing rows among these ids. `text` selects from `$ids`."""
        for page_ids in batched(ids, rows):
            yield await self._connection.read(text, {"ids": page_ids})
            await asyncio.sleep(0)

    async def _row(self, table: str, key: Key) -> Row | None:
        row: Row | None = await self._connection.read("SELECT * FROM ONLY $id", {"id": record_id(table, key)})
        return row


class OrderedRepository(Repository):
    """Rows that are listed in the order of `place`."""

    def __init__(self, connection: Connection, order_keys: OrderKeys) -> None:
        super().__init__(connection)
        self._order_keys = order_keys


async def decode_pages(pages: AsyncIterator[list[Row]], decode: Callable[[Row], T]) -> list[T]:
    """Return the decoded rows of all pages, without unreadable rows."""
    return [value async for page in pages for value in decode_rows(page, decode)]


async def subranges(connection: Connection, rows: RecordID, size: int = PAGE_SIZE) -> list[RecordID]:
    """Split the range into parts of `size` rows. Rows added later may make a part longer."""
    first_keys: list[Key] = await connection.read(_FIRST_KEYS, {"range": rows, "limit": size})
    return split_range(rows, first_keys)


async def pages_by_key(connection: Connection, text: str, rows: RecordID, limit: int) -> AsyncIterator[list[Row]]:
    """Yield pages of at most about `limit` rows of the range, by key. `text` selects from `$range`."""
    # Most ranges fit in a page: their keys are never read.
    page: list[Row] = await connection.read(f"{text} LIMIT $limit", {"range": rows, "limit": limit})
    yield page
    if len(page) < limit:
        return
    for piece in await subranges(connection, range_after(rows, page[-1]["id"].id), limit):
        await asyncio.sleep(0)
        yield await connection.read(text, {"range": piece})
