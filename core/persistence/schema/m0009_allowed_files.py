"""Migration 9: files that people picked for runs.

allowed_file    [run, hash of the path] → path
"""

TABLES = ("allowed_file",)

STATEMENTS = tuple(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES)
