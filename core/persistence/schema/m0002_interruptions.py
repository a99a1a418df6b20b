"""Migration 2: interruptions; runs that other runs began.

    interruption            [run, id] → workflow, status, is_open, place, closed_at, data
    interruption_ask        [run, id] → data            interruption_answer     [run, id] → data
    run                     … parent, root, unclean_ends, results_then

What is asked and what was answered may be large: each is written once, and the row between them changes. A run
without `parent` is a root, as all those before are. Listings give roots alone, so the indexes that they go by
have the parent before the place.
"""

TABLES = ("interruption", "interruption_ask", "interruption_answer")

INDEXES = (
    "REMOVE INDEX run_by_end ON run",  # nothing has asked for the ends of runs
    "REMOVE INDEX run_by_place ON run",
    "DEFINE INDEX run_by_parent ON run FIELDS parent, place",
    "DEFINE INDEX OVERWRITE run_by_workflow ON run FIELDS workflow, parent, place",
    "DEFINE INDEX OVERWRITE run_by_status ON run FIELDS status, parent, place",
    "DEFINE INDEX interruption_by_openness ON interruption FIELDS is_open, place",
)

STATEMENTS = (*(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES), *INDEXES)
