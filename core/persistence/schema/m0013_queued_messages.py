"""Migration 13: attached texts, and messages that wait for the end of a turn.

    attached_text   [workflow, message, position] → text
    queued_message  [workflow, message] → place, data       queued_text     [workflow, message] → text

What is known of an attachment stands in the data of its message. The text of a message that waits is written once, and
lies apart from its place, which changes.
"""

TABLES = ("attached_text", "queued_message", "queued_text")

STATEMENTS = tuple(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES)
