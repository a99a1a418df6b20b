"""Bringing the database to the current version."""

from collections.abc import Sequence

from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.keys import record_id
from core.persistence.migrations import MIGRATIONS, Migration
from core.persistence.statements import Statement

_VERSION_ROW = record_id("meta", "schema")


async def migrate(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the store to the version of the last migration.

    Raises StorageFailed `store_doubtful`, before anything is written, for a store of a later release or without a
    version.
    """
    stored = await version(connection)
    latest = migrations[-1].number
    if stored > latest:
        raise StorageFailed(
            "store_doubtful",
            f"the store has version {stored}, written by a later release; this release supports version {latest}",
            found=stored,
            known=latest,
        )
    for migration in migrations:
        if migration.number > stored:
            steps = [Statement(text, None) for text in migration.statements]
            update = Statement(
                "UPSERT $argument.id SET version = $argument.version", {"id": _VERSION_ROW, "version": migration.number}
            )
            await connection.commit([*steps, update])


async def version(connection: Connection) -> int:
    """Return the version of the store, 0 if it is empty. Raises StorageFailed `store_doubtful`."""
    tables = (await connection.read("INFO FOR DB"))["tables"]
    if not tables:
        return 0
    row = await connection.read("SELECT * FROM ONLY $id", {"id": _VERSION_ROW}) if "meta" in tables else None
    stored = row.get("version") if row else None
    if not isinstance(stored, int):
        raise StorageFailed("store_doubtful", "the store has no version")
    return stored
