"""`events`: print the stored events of a run."""

import argparse

from core.app import Folders
from core.cli import exit_codes
from core.cli.exit_codes import unwrap
from core.cli.output import write_line
from core.domain.events import to_wire
from core.domain.ids import RunId
from core.wiring import open_core

NAME = "events"
HELP = "print the stored events of a run, one a line"
EXAMPLE = "python -m core events run_01…"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    async with open_core(folders) as core:
        for event in unwrap(await core.runs.events(RunId(args.run))):
            write_line(to_wire(event))
    return exit_codes.SUCCESS
