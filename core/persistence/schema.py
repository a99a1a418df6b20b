"""The tables and indexes of the database: the released migrations, and bringing a store to the current version.

Only fields that are searched, compared or sorted by are columns; the other fields of a row are one JSON text, `data`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from core.errors import StorageFailed
from core.persistence.connection import Connection
from core.persistence.keys import record_id
from core.persistence.statements import Statement


@dataclass(frozen=True, slots=True)
class Migration:
    """Statements that run once, in one transaction with the update of the version."""

    number: int
    statements: Sequence[str]


def _tables(*names: str) -> list[str]:
    return [f"DEFINE TABLE {name} SCHEMALESS" for name in names]


# Every table is defined, since the engine raises for a select on an undefined table instead of finding nothing.
# A released migration never changes; a change is a migration of its own. Number 11 was never released.
MIGRATIONS = (
    Migration(
        1,
        [
            *_tables("meta", "workflow", "message", "template", "template_head", "run", "snapshot", "outcome", "fault"),
            *_tables("step_result", "tool_call", "tool_argument", "event", "chunk", "setting"),
            "DEFINE INDEX message_by_workflow ON message FIELDS workflow, place",
            "DEFINE INDEX run_by_place ON run FIELDS place",
            "DEFINE INDEX run_by_workflow ON run FIELDS workflow, place",
            "DEFINE INDEX run_by_message ON run FIELDS message",
            "DEFINE INDEX run_by_status ON run FIELDS status, place",
            "DEFINE INDEX run_by_end ON run FIELDS status, finished_at",
        ],
    ),
    # Interruptions, and child runs: listings give runs without a parent, so the parent precedes the place.
    Migration(
        2,
        [
            *_tables("interruption", "interruption_ask", "interruption_answer"),
            "REMOVE INDEX run_by_end ON run",  # no query uses the end of runs
            "REMOVE INDEX run_by_place ON run",
            "DEFINE INDEX run_by_parent ON run FIELDS parent, place",
            "DEFINE INDEX OVERWRITE run_by_workflow ON run FIELDS workflow, parent, place",
            "DEFINE INDEX OVERWRITE run_by_status ON run FIELDS status, parent, place",
            "DEFINE INDEX interruption_by_openness ON interruption FIELDS is_open, place",
        ],
    ),
    # Child runs that outlive a successful parent become roots, so listings go by root instead of parent.
    Migration(
        3,
        [
            "DEFINE INDEX run_by_root ON run FIELDS root, place",
            "DEFINE INDEX OVERWRITE run_by_workflow ON run FIELDS workflow, root, place",
            "DEFINE INDEX OVERWRITE run_by_status ON run FIELDS status, root, place",
        ],
    ),
    Migration(4, _tables("agent")),
    # The audit log is written once, and deleted by age.
    Migration(5, [*_tables("audit"), "DEFINE INDEX audit_by_place ON audit FIELDS place"]),
    # A list of tools may be large and changes independently of its server.
    Migration(6, _tables("mcp_server", "mcp_tool_list")),
    # A change of tasks changes the revision first, and records its author.
    Migration(7, _tables("todo", "task")),
    # `scope` is a workflow, or empty for general memories. The searched words are in a row of their own, without the
    # text: each word once, normalised, between spaces. The index contains every prefix of a word.
    Migration(
        8,
        [
            *_tables("memory", "memory_word"),
            "DEFINE INDEX memory_by_scope ON memory FIELDS scope, place",
            "DEFINE INDEX memory_by_expiry ON memory FIELDS expires",
            "DEFINE INDEX memory_word_by_scope ON memory_word FIELDS scope, place",
            "DEFINE ANALYZER beginnings TOKENIZERS blank FILTERS edgengram(1, 32)",
            "DEFINE INDEX memory_word_by_words ON memory_word FIELDS words "
            "FULLTEXT ANALYZER beginnings BM25(1.2, 0.75)",
        ],
    ),
    Migration(9, _tables("allowed_file")),
    Migration(10, _tables("prompt")),
    # Times of archiving and discarding, apart from `data`, so that rewriting a workflow leaves them as they are.
    Migration(
        12,
        [
            "DEFINE INDEX workflow_by_archived ON workflow FIELDS archived_at",
            "DEFINE INDEX workflow_by_discarded ON workflow FIELDS discarded_at",
        ],
    ),
    # The text of a queued message is written once, apart from its place in the queue, which changes.
    Migration(13, _tables("attached_text", "queued_message", "queued_text")),
    Migration(14, _tables("notice")),
    # Memories are searched in the full-text index of everything else.
    Migration(
        15,
        [
            "REMOVE TABLE memory_word",
            "REMOVE ANALYZER beginnings",
            "DEFINE INDEX memory_by_place ON memory FIELDS place",
        ],
    ),
    # Everything in a run is in its facts, long values in rows of their own. Only open interruptions have rows beside
    # them.
    Migration(
        16,
        [
            *_tables("fact", "long_value"),
            "REMOVE INDEX interruption_by_openness ON interruption",
            "DEFINE INDEX interruption_by_place ON interruption FIELDS place",
            *(f"REMOVE TABLE {name}" for name in ("event", "step_result", "tool_call", "tool_argument")),
            *(f"REMOVE TABLE {name}" for name in ("interruption_ask", "interruption_answer")),
        ],
    ),
    # The data of a file is stored once, in pieces, for all that use it.
    Migration(17, [*_tables("file_piece", "file_use"), "DEFINE INDEX file_use_by_hash ON file_use FIELDS hash"]),
)
VERSION = MIGRATIONS[-1].number
FACTS_VERSION = 16  # earlier stores are read, written anew and replaced (`facts_migration`), never changed in place


_VERSION_ROW = record_id("meta", "schema")


BeforeMigration = Callable[[Connection], Awaitable[object]]


async def migrate(
    connection: Connection, migrations: Sequence[Migration] = MIGRATIONS, before: BeforeMigration | None = None
) -> None:
    """Bring the store to the version of the last migration; first await `before`, unless the store is new.

    Raises StorageFailed `store_doubtful`, before anything is written, for a store of a later release or without a
    version, or below FACTS_VERSION.
    """
    stored = await version(connection)
    latest = migrations[-1].number
    if 0 < stored < FACTS_VERSION <= latest:
        raise StorageFailed("store_doubtful", f"the store has version {stored}, and is to be written anew")
    if stored > latest:
        raise StorageFailed(
            "store_doubtful",
            f"the store has version {stored}, written by a later release; this release supports version {latest}",
            found=stored,
            known=latest,
        )
    if before is not None and 0 < stored < latest:
        await before(connection)
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
