"""`cancel`: end a run."""

import argparse

from core.app import Folders
from core.cli import exit_codes
from core.cli.exit_codes import unwrap
from core.cli.output import write_line
from core.domain.ids import RunId
from core.wiring import open_core

NAME = "cancel"
HELP = "cancel a run; one that has ended stays as it is"
EXAMPLE = "python -m core cancel run_01…"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    async with open_core(folders) as core:
        unwrap(await core.runs.cancel(RunId(args.run)))
        write_line(unwrap(await core.runs.describe(RunId(args.run))))
    return exit_codes.SUCCESS
