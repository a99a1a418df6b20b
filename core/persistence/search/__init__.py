"""The full-text index, in an SQLite file of its own that can be rebuilt from the database."""
