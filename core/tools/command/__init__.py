"""Runs commands of the system: their confinement, their output, and the end of all that they begin."""
