"""`show`: print everything about a run."""

import argparse

from core.app import Folders
from core.cli import exit_codes
from core.cli.exit_codes import unwrap
from core.cli.output import write_line
from core.domain.ids import RunId
from core.wiring import open_core

NAME = "show"
HELP = "show a run as one JSON object"
EXAMPLE = "python -m core show run_01…"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    async with open_core(folders) as core:
        write_line(unwrap(await core.runs.describe(RunId(args.run))))
    return exit_codes.SUCCESS
