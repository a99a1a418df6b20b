"""Migration 1: workflows with their messages, templates, runs with all that belongs to them, settings.

Only what is searched, compared or listed by is a field of its own; the rest of a row is one JSON text. What may be
larger than 4 KB lies in a row that is written once, apart from what changes: overwritten large values are never
given back by the engine.

    meta            schema → version
    workflow        id → place, data
    message         id → workflow, place, text, data
    template        [id, version] → text, data          template_head   id → version
    run             id → workflow, message, place, status, started_at, finished_at, active_ms, data
    snapshot        run → data                          outcome         run → output, error
    fault           run → reason
    step_result     [run, is part, step, index, round] → status, output, data
    tool_call       [run, call] → result, data          tool_argument   [run, call] → text
    event           [run, first seq] → workflow, last, data
    chunk           [run, step, index, offset] → text
    setting         name → value

Rows of a run are found by the range of their keys, so they need no index. `place` is a time and a number that
grows: the order in which rows are listed.
"""

TABLES = (
    "meta",
    "workflow",
    "message",
    "template",
    "template_head",
    "run",
    "snapshot",
    "outcome",
    "fault",
    "step_result",
    "tool_call",
    "tool_argument",
    "event",
    "chunk",
    "setting",
)

INDEXES = (
    "DEFINE INDEX message_by_workflow ON message FIELDS workflow, place",
    "DEFINE INDEX run_by_place ON run FIELDS place",
    "DEFINE INDEX run_by_workflow ON run FIELDS workflow, place",
    "DEFINE INDEX run_by_message ON run FIELDS message",
    "DEFINE INDEX run_by_status ON run FIELDS status, place",
    "DEFINE INDEX run_by_end ON run FIELDS status, finished_at",
)

STATEMENTS = (*(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES), *INDEXES)
