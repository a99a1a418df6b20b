"""Migration 14: what a person was told that no run tells again.

notice          id → data
"""

TABLES = ("notice",)

STATEMENTS = tuple(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES)
