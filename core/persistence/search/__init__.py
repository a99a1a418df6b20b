"""The index of all texts, on SQLite's full-text search. Derived: the store is the truth, and this can be made anew."""
