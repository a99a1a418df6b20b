"""Migration 7: tasks of workflows.

    todo            workflow → revision, by             task            [workflow, id] → data

A change of tasks is one of the revision first, and says by whom it was made.
"""

TABLES = ("todo", "task")

STATEMENTS = tuple(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES)
