"""The data page: what is taken along, and what is kept."""
