"""Copies of the whole store in a single file: writing, restoring and checking them."""
