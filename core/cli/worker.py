"""`worker`: continue every unfinished run, and stay for what becomes due (ENGINE §14).

An embedded store has one owner, so that no other process can add runs meanwhile: beyond `resume`, the worker serves
expiring questions, retries and the deadlines of waiting runs.
"""

import argparse
import asyncio
from contextlib import suppress

from core.app import Folders
from core.cli import exit_codes
from core.cli.exit_codes import unwrap
from core.wiring import open_core

NAME = "worker"
HELP = "recover and continue every unfinished run, and stay until stopped; Ctrl+C leaves them for the next time"
EXAMPLE = "python -m core worker"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: `worker` has no arguments of its own."""


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    with suppress(asyncio.CancelledError):  # it was stopped: it has no other end
        async with open_core(folders) as core:
            unwrap(await core.runs.recover())
            await asyncio.Event().wait()
    return exit_codes.SUCCESS
