"""Migration 8: what agents remember.

    memory          id → scope, place, type, expires, data, text            memory_word     id → the same, and words

`scope` is a workflow, or empty for what is general; `place` sorts the newest first; `expires` is a time, or one that
never comes. A memory is written once. What is searched lies in a row of its own, without the text: each word once,
with a space around it, folded before it comes here. The index knows each beginning of a word.
"""

TABLES = ("memory", "memory_word")

STATEMENTS = (
    *(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES),
    "DEFINE INDEX memory_by_scope ON memory FIELDS scope, place",
    "DEFINE INDEX memory_by_expiry ON memory FIELDS expires",
    "DEFINE INDEX memory_word_by_scope ON memory_word FIELDS scope, place",
    "DEFINE ANALYZER beginnings TOKENIZERS blank FILTERS edgengram(1, 32)",
    "DEFINE INDEX memory_word_by_words ON memory_word FIELDS words FULLTEXT ANALYZER beginnings BM25(1.2, 0.75)",
)
