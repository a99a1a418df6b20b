"""`show`: everything about one run."""

import argparse

from core.cli import exits
from core.cli.exits import unwrap
from core.cli.output import write_line
from core.domain.ids import RunId
from core.wiring import Folders, open_core

NAME = "show"
HELP = "show a run as one JSON object"
EXAMPLE = "python -m core show run_01…"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    async with open_core(folders) as core:
        write_line(unwrap(await core.runs.describe(RunId(args.run))))
    return exits.SUCCESS
