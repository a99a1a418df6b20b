"""Migration 4: agents.

    agent           id → data

Who answers in a workflow stands in the data of its row, the agent of a run in that of its snapshot.
"""

TABLES = ("agent",)

STATEMENTS = tuple(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES)
