"""`worker`: go on with every unfinished run, and stay for what becomes due (ENGINE §14).

An embedded store has one owner, so that nobody else can add runs meanwhile: what the worker does beside `resume` is to
keep the expiries of questions, the retries and the deadlines of runs that wait.
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
    """`worker` takes no arguments of its own."""


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    with suppress(asyncio.CancelledError):  # it was stopped: it has no other end
        async with open_core(folders) as core:
            unwrap(await core.runs.recover())
            await asyncio.Event().wait()
    return exit_codes.SUCCESS
