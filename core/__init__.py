"""Metier without a window: workflows, agents and tools, usable from a script and the command line."""
