"""`resume`: continue every unfinished run, as a start of the app does."""

import argparse
import asyncio
from collections.abc import Sequence
from typing import Any

from core.app import Core, Folders
from core.cli import exit_codes
from core.cli.exit_codes import unwrap
from core.cli.follow import PauseWatch
from core.cli.output import write_line
from core.domain.ids import RunId
from core.domain.run import RunStatus
from core.wiring import open_core

NAME = "resume"
HELP = "recover and continue every unfinished run; Ctrl+C leaves them for the next time"
EXAMPLE = "python -m core resume"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: `resume` has no arguments of its own."""


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    lines: list[dict[str, Any]] = []
    is_stopped = False
    async with open_core(folders) as core:
        pause = PauseWatch(core.bus)
        found = unwrap(await core.runs.recover())
        try:
            await pause.unless(_wait_for_all(core, found))
        except asyncio.CancelledError:
            is_stopped = True
        for run_id in found:
            line = unwrap(await core.runs.describe(run_id))
            lines.append(line)
            write_line(line)
    return _exit_code(lines, is_stopped=is_stopped, is_paused=pause.reason is not None)


async def _wait_for_all(core: Core, run_ids: Sequence[RunId]) -> None:
    for run_id in run_ids:
        await core.engine.wait(run_id)


def _exit_code(lines: Sequence[dict[str, Any]], *, is_stopped: bool, is_paused: bool) -> int:
    if is_stopped:
        return exit_codes.CANCELLED
    if is_paused:
        return exit_codes.STORE
    if any(line["status"] == RunStatus.WAITING or exit_codes.needs_key(line) for line in lines):
        return exit_codes.WAITING
    return exit_codes.SUCCESS if all(line["status"] == RunStatus.SUCCESS for line in lines) else exit_codes.FAILED
