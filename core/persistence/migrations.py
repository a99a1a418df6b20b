"""The released migrations: tables and indexes of the database.

Only fields that are searched, compared or sorted by are columns; the other fields of a row are one JSON text, `data`.
As objects they would be far slower, and the engine would change some values ({"eq": null} becomes {}). A value that may
exceed 4 KB has a row of its own that is written once, since the engine never reclaims overwritten large values. Rows of
a run are found by the range of their keys and need no index. `place` is an order key: a time and a counter.

    meta                 schema → version
    setting              name → value
    workflow             id → place, data, archived_at, discarded_at
    message              id → workflow, place, text, data
    attached_text        [workflow, message, position] → text
    queued_message       [workflow, message] → place, data        queued_text          [workflow, message] → text
    todo                 workflow → revision, by                  task                 [workflow, id] → data
    template             [id, version] → text, data               template_head        id → version
    agent, prompt        id → data                                notice               id → data
    mcp_server           id → data                                mcp_tool_list        id → tools
    run                  id → workflow, message, place, status, started_at, finished_at, active_ms, parent, root,
                              unclean_ends, results_then, data
    snapshot             run → data                               outcome              run → output, error
    fault                run → reason
    step_result          [run, is part, step, index, round] → status, output, data
    tool_call            [run, call] → result, data               tool_argument        [run, call] → text
    interruption         [run, id] → workflow, status, is_open, place, closed_at, data
    interruption_ask     [run, id] → data                         interruption_answer  [run, id] → data
    event                [run, first seq] → workflow, last, data  chunk                [run, step, index, offset] → text
    allowed_file         [run, hash of the path] → path
    audit                id → place, data, arguments
    memory               id → scope, place, type, expires, data, text
    memory_word          id → scope, place, type, expires, words
"""

from collections.abc import Sequence
from dataclasses import dataclass


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
)
VERSION = MIGRATIONS[-1].number
