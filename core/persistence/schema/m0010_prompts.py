"""Migration 10: the prompt library.

prompt          id → data
"""

TABLES = ("prompt",)

STATEMENTS = tuple(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES)
