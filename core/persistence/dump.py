"""Copies of all rows of a store, whatever its tables are: reading them page by page, loading them into a new store, and
comparing the two.

Used by backups, the rebuild of a grown store, migrations that move rows, and salvage. Commits go on while a store is
read, so that the pages show a moment of their own each; a caller that needs a single moment for all of them reads a
copy of the folder.
"""

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.driver import BoundExcluded, Range, RecordID
from core.persistence.row_lines import encode_row
from core.persistence.schema import MIGRATIONS, migrate
from core.persistence.statements import Row, Statement
from core.persistence.worker import Report

Page = tuple[str, list[Row]]
"""A table and some of its rows as the driver returns them, `id` included, in the order of their keys."""

PAGE_ROWS = 200
PAGE_BYTES = 256 * 1024

ROW_BYTES = "bytes::len(encoding::cbor::encode($this))"
"""The size of a row, in a query: the engine reads, checks and encodes it; the row itself stays there."""

REPORT_S = 0.1

_SIZES = f"SELECT VALUE {ROW_BYTES} FROM $rows LIMIT $count"
_ROWS = "SELECT * FROM $rows LIMIT $count"


@dataclass(slots=True)
class Digest:
    """The number of rows and the sum of their hashes: equal for the same rows in any order."""

    rows: int = 0
    hash: int = 0

    def add(self, line: str) -> None:
        """Count the row of this line (see `row_lines`)."""
        self.rows += 1
        self.hash = (self.hash + int.from_bytes(sha256(line.encode()).digest())) % 2**256


@dataclass(slots=True)
class Digests:
    """The digests of the tables that have rows, by name."""

    tables: dict[str, Digest] = field(default_factory=dict)

    def add(self, table: str, rows: Iterable[Row]) -> list[str]:
        """Count the rows, and return their lines."""
        digest = self.tables.setdefault(table, Digest())
        lines = [encode_row(row) for row in rows]
        for line in lines:
            digest.add(line)
        return lines

    def differing(self, other: "Digests") -> list[str]:
        """Return the names of the tables whose rows are not the same in both."""
        names = {*self.tables, *other.tables}
        return sorted(name for name in names if self.tables.get(name, Digest()) != other.tables.get(name, Digest()))


async def table_names(connection: Connection) -> list[str]:
    """Return the names of the store's tables, sorted."""
    return sorted((await connection.read("INFO FOR DB"))["tables"])


async def read_pages(connection: Connection, tables: Iterable[str] | None = None) -> AsyncIterator[Page]:
    """Yield all rows of these tables (all tables if None), at most PAGE_ROWS and about PAGE_BYTES at a time.

    A row longer than a page is a page of its own. The loop is free between pages. Raises StorageFailed.
    """
    for table in await table_names(connection) if tables is None else tables:
        rest = RecordID(table, Range(None, None))
        while rows := await read_page(connection, rest):
            yield table, rows
            rest = RecordID(table, Range(BoundExcluded(rows[-1]["id"].id), None))


async def read_page(connection: Connection, rest: RecordID) -> list[Row]:
    """Return the first rows of a range, empty at its end. Raises StorageFailed."""
    # Rows have up to 10 MB each: the sizes are asked first, so that a page of them does not fill the memory.
    sizes = await connection.read(_SIZES, {"rows": rest, "count": PAGE_ROWS})
    count = sum(end <= PAGE_BYTES for end in accumulate(sizes))
    rows: list[Row] = await connection.read(_ROWS, {"rows": rest, "count": max(count, 1)})
    return rows


async def create_store(path: Path, version: int | None = None) -> Connection:
    """Create a store without rows in a new folder, with the tables of this version (None: the current version).

    Raises StorageFailed: `store_doubtful` if the folder has files, and the failures of `Connection.open`.
    """
    if await asyncio.to_thread(lambda: path.exists() and any(path.iterdir())):
        raise StorageFailed("store_doubtful", f"the folder of the new store is not empty: {path}")
    connection = await Connection.open(path)
    try:
        await migrate(connection, [known for known in MIGRATIONS if version is None or known.number <= version])
    except BaseException:
        await connection.close()
        raise
    return connection


async def load_pages(connection: Connection, pages: AsyncIterable[Page]) -> Digests:
    """Insert the rows of all pages into a store of `create_store`, and return the digests of what was handed over.

    A row whose key exists is left out, and found by `verify`. Raises StorageFailed: `store_doubtful` for a table that
    the store does not have.
    """
    names, digests = set(await table_names(connection)), Digests()
    async for table, rows in pages:
        if table not in names:
            raise StorageFailed("store_doubtful", f"the store has no table {table!r}")
        await asyncio.to_thread(digests.add, table, rows)
        await connection.commit([Statement(f"INSERT IGNORE INTO {table} $argument RETURN NONE", _keyed(rows))])
    return digests


def _keyed(rows: list[Row]) -> list[Row]:
    """Return the rows with bare keys, which have a JSON form, cheaper for the driver. It refuses an empty bare key."""
    if not all(row["id"].id for row in rows):
        return rows
    return [{**row, "id": row["id"].id} for row in rows]


async def verify(connection: Connection, expected: Digests) -> None:
    """Read all rows back. Raises StorageFailed `store_doubtful` if they differ from the expected rows."""
    differing = (await digests_of(connection)).differing(expected)
    if differing:
        raise StorageFailed("store_doubtful", f"rows differ after copying: {', '.join(differing)}", tables=differing)


async def digests_of(connection: Connection) -> Digests:
    """Return the digests of all rows of the store."""
    digests = Digests()
    async for table, rows in read_pages(connection):
        await asyncio.to_thread(digests.add, table, rows)
    return digests


class Progress:
    """Reports {rows, of}, a few times a second and at the end."""

    def __init__(self, report: Report, total: int) -> None:
        self._report = report
        self._total = total
        self._rows = 0
        self._reported_at = 0.0

    def add(self, rows: int) -> None:
        """Count rows that are done."""
        self._rows += rows
        now = time.monotonic()
        if now - self._reported_at > REPORT_S or self._rows == self._total:
            self._reported_at = now
            self._report({"rows": self._rows, "of": self._total})


async def count_rows(connection: Connection) -> int:
    """Return the number of rows of the store. Tables that cannot be read have none."""
    count = 0
    for table in await table_names(connection):
        with suppress(StorageFailed):
            counted = await connection.read("SELECT count() FROM type::table($table) GROUP ALL", {"table": table})
            count += sum(row["count"] for row in counted)
    return count
