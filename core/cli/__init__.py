"""The command line: `python -m core COMMAND` (COMMAND_LINE), a command per file."""

from core.cli.app import main

__all__ = ["main"]
