"""`validate`: print every problem of a template file at once."""

import argparse
from pathlib import Path

from core.app import Folders
from core.cli import exit_codes
from core.cli.output import write_line
from core.ports.clock import SystemClock
from core.services.templates import check_file, read_text
from core.wiring import Toolbox, load_stored_tools, temporary_storage

NAME = "validate"
HELP = "say everything that is wrong with a template file"
EXAMPLE = "python -m core validate my-template.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    async with temporary_storage() as storage, Toolbox(SystemClock(), storage) as box:
        if "mcp__" in read_text(Path(args.file)):  # a template without MCP tools needs nothing of the user's store
            await load_stored_tools(box, folders)
        checked = await check_file(box.validator, Path(args.file))
    write_line({"problems": [problem.as_dict() for problem in checked.problems]})
    return exit_codes.SUCCESS if checked.is_valid else exit_codes.USAGE
