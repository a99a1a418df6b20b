"""`list`: print the newest runs, a line each."""

import argparse

from core.app import Folders
from core.cli import exit_codes
from core.cli.output import write_line
from core.domain.run import RunStatus
from core.services.runs import run_summary
from core.wiring import open_core

NAME = "list"
HELP = "list runs, newest first"
EXAMPLE = "python -m core list --status error --limit 10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", choices=[str(status) for status in RunStatus], help="only those in this state")
    parser.add_argument("--archived", action="store_true", help="those of archived workflows, instead of all others")
    parser.add_argument("--limit", type=_positive_integer, default=50, metavar="N", help="at most so many (50)")


def _positive_integer(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    status = RunStatus(args.status) if args.status else None
    async with open_core(folders) as core:
        async for run in core.runs.newest(args.limit, status, is_archived=args.archived):
            write_line(run_summary(run))
    return exit_codes.SUCCESS
