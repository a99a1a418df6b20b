"""What a command is, and what commands share: opening the core and following a run."""

import argparse
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from core.app import Core, Folders
from core.cli.follow import EventPrinter, attend
from core.cli.output import run_exit_code, write_line
from core.domain.ids import RunId
from core.wiring import open_core

Execute = Callable[[argparse.Namespace, Folders], Coroutine[Any, Any, int]]
"""Runs a command and returns its exit code."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line."""

    name: str
    help: str
    example: str
    add_arguments: Callable[[argparse.ArgumentParser], object]
    execute: Execute


def command(
    name: str,
    help: str,  # noqa: A002  # as argparse calls it
    example: str,
    add_arguments: Callable[[argparse.ArgumentParser], object] = lambda parser: None,
) -> Callable[[Execute], Command]:
    """Make a function a command."""
    return lambda execute: Command(name, help, example, add_arguments, execute)


async def follow_run(args: argparse.Namespace, folders: Folders, begin: Callable[[Core], Awaitable[RunId]]) -> int:
    """Open the core, begin a run, follow it until it ends or waits, print it, and return its exit code.

    The last line is printed after the store is closed, so that a script can open it as soon as it has read the line.
    """
    async with open_core(folders) as core:
        if args.events:
            EventPrinter(core.bus)
        line: dict[str, Any] = await attend(core, await begin(core))
    write_line(line)
    return run_exit_code(line)
