"""`validate`: every problem of a template file at once."""

import argparse
from pathlib import Path

from core.cli import exits
from core.cli.output import write_line
from core.ports.clock import SystemClock
from core.services.templates import check_file, read_text
from core.wiring import Folders, Toolbox, know_servers

NAME = "validate"
HELP = "say everything that is wrong with a template file"
EXAMPLE = "python -m core validate my-template.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    async with Toolbox(SystemClock()) as box:
        if "mcp__" in read_text(Path(args.file)):  # else the store is none of its business
            await know_servers(box, folders)
        checked = await check_file(box.validator, Path(args.file))
    write_line({"problems": [problem.as_dict() for problem in checked.problems]})
    return exits.SUCCESS if checked.is_valid else exits.USAGE
