"""The command line: `python -m core COMMAND` (COMMAND_LINE). A command a file."""

from core.cli.app import main

__all__ = ["main"]
