"""Migration 3: the audit log of consent.

    audit           id → place, data, arguments

An entry is written once, and deleted by its place when it is old.
"""

TABLES = ("audit",)

STATEMENTS = (
    "DEFINE TABLE audit SCHEMALESS",
    "DEFINE INDEX audit_by_place ON audit FIELDS place",
)
