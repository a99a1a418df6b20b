"""Parses the command line and runs a command under signals."""

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from core.app import Folders, tune_gc
from core.cli import data, import_export, runs, templates
from core.cli.chat import chat
from core.cli.command import data_option
from core.cli.mcp import mcp
from core.cli.output import CANCELLED, failure_exit_code, write_line
from core.cli.repair import repair
from core.cli.servers import servers
from core.errors import MetierError, Refused
from core.services.logs import log_to

COMMANDS = (
    *(runs.run, templates.validate, runs.list_, runs.show, runs.events, runs.answer, runs.cancel, runs.resume),
    *(runs.fork, chat, templates.record, import_export.export, import_export.import_, servers, mcp, runs.worker),
    *(data.backup, data.restore, data.check, repair),
)


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage like every other error: a JSON object on stdout, exit 2; the usage goes to stderr."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        raise Refused("usage", message)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands. `--data` may stand before or after the command."""
    options = _Parser(parents=[data_option()], add_help=False, argument_default=argparse.SUPPRESS)
    parser = _Parser(
        prog="python -m core", description="Metier without a window.", parents=[options], allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help,
            epilog=f"example: {command.example}",
            parents=[options],
            allow_abbrev=False,
        )
        command.add_arguments(sub)
        sub.set_defaults(execute=command.execute)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. Raises nothing but KeyboardInterrupt."""
    try:
        args = build_parser().parse_args(arguments)
        folders = Folders.choose(getattr(args, "data", None))
        folders.create()
        log_to(folders.logs, "core", stderr_level=logging.WARNING)
        with asyncio.Runner() as runner:
            return runner.run(_execute(args, folders))
    except MetierError as error:
        is_template = error.code == "invalid_template"
        write_line({"problems": error.parameters["problems"]} if is_template else {"error": error.as_dict()})
        return failure_exit_code(error)
    except asyncio.CancelledError:
        write_line({"error": {"code": "cancelled", "message": "stopped before there was a run"}})
        return CANCELLED


async def _execute(args: argparse.Namespace, folders: Folders) -> int:
    """Run the command. SIGINT and SIGTERM cancel it; the command decides what that means for its run."""
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, task.cancel)
        except NotImplementedError:  # Windows: the runner's own handler turns Ctrl+C into the same cancel
            continue
    # everything is imported by now
    tune_gc()
    result: int = await args.execute(args, folders)
    return result
