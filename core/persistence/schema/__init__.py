"""The tables of the database, and how an older store comes to have them.

A migration has a number and statements; it runs once, in one transaction with the note that it has run. What
has been released is never changed: a change is a migration of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.keys import record_id
from core.persistence.schema import (
    m0001_first,
    m0002_interruptions,
    m0003_roots,
    m0004_agents,
    m0005_audit,
    m0006_mcp_servers,
    m0007_tasks,
    m0008_memories,
    m0009_allowed_files,
    m0010_prompts,
    m0012_archive,
    m0013_queued_messages,
    m0014_notices,
)
from core.persistence.statements import Statement


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    statements: Sequence[str]


MIGRATIONS = (
    Migration(1, m0001_first.STATEMENTS),
    Migration(2, m0002_interruptions.STATEMENTS),
    Migration(3, m0003_roots.STATEMENTS),
    Migration(4, m0004_agents.STATEMENTS),
    Migration(5, m0005_audit.STATEMENTS),
    Migration(6, m0006_mcp_servers.STATEMENTS),
    Migration(7, m0007_tasks.STATEMENTS),
    Migration(8, m0008_memories.STATEMENTS),
    Migration(9, m0009_allowed_files.STATEMENTS),
    Migration(10, m0010_prompts.STATEMENTS),
    Migration(12, m0012_archive.STATEMENTS),
    Migration(13, m0013_queued_messages.STATEMENTS),
    Migration(14, m0014_notices.STATEMENTS),
)
TABLES = (
    *m0001_first.TABLES,
    *m0002_interruptions.TABLES,
    *m0004_agents.TABLES,
    *m0005_audit.TABLES,
    *m0006_mcp_servers.TABLES,
    *m0007_tasks.TABLES,
    *m0008_memories.TABLES,
    *m0009_allowed_files.TABLES,
    *m0010_prompts.TABLES,
    *m0013_queued_messages.TABLES,
    *m0014_notices.TABLES,
)
VERSION = MIGRATIONS[-1].number

_NOTE = record_id("meta", "schema")


async def migrate(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the store to the version of the last migration.

    Raises StorageFailed `store_doubtful`, before anything is written, for a store of a later version and for one
    that does not tell its version.
    """
    found = await version(connection)
    latest = migrations[-1].number
    if found > latest:
        raise StorageFailed(
            "store_doubtful",
            f"the store has version {found}, written by a later release; this one knows version {latest}",
            found=found,
            known=latest,
        )
    for migration in migrations:
        if migration.number > found:
            steps = [Statement(text, None) for text in migration.statements]
            note = Statement(
                "UPSERT $given.id SET version = $given.version", {"id": _NOTE, "version": migration.number}
            )
            await connection.commit([*steps, note])


async def version(connection: Connection) -> int:
    """The version that the store tells; 0 for an empty one. Raises StorageFailed `store_doubtful`."""
    tables = (await connection.read("INFO FOR DB"))["tables"]
    if not tables:
        return 0
    note = await connection.read("SELECT * FROM ONLY $id", {"id": _NOTE}) if "meta" in tables else None
    found = note.get("version") if note else None
    if not isinstance(found, int):
        raise StorageFailed("store_doubtful", "the store does not tell its version")
    return found
