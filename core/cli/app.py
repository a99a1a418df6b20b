"""Parses the command line and runs a command under signals."""

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from core.app import Folders, tune_gc
from core.cli import (
    answer,
    cancel,
    chat,
    events,
    exit_codes,
    fork,
    list_,
    mcp,
    record,
    resume,
    run,
    servers,
    show,
    validate,
    worker,
)
from core.cli.arguments import data_option
from core.cli.exit_codes import CommandFailed
from core.cli.output import write_line
from core.errors import MetierError
from core.services.logs import log_to

COMMANDS = (run, validate, list_, show, events, answer, cancel, resume, fork, chat, record, servers, mcp, worker)


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage like every other error: a JSON object on stdout, exit 2; the usage goes to stderr."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        raise CommandFailed.usage("usage", message)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands. `--data` may stand before or after the command."""
    options = _Parser(parents=[data_option()], add_help=False, argument_default=argparse.SUPPRESS)
    parser = _Parser(
        prog="python -m core", description="Metier without a window.", parents=[options], allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.NAME,
            help=command.HELP,
            description=command.HELP,
            epilog=f"example: {command.EXAMPLE}",
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
        log_to(folders.logs, "core", stderr_level=logging.WARNING)
        with asyncio.Runner() as runner:
            return runner.run(_execute(args, folders))
    except CommandFailed as failed:
        return _print_failure(failed)
    except MetierError as error:
        return _print_failure(CommandFailed.of(error))
    except asyncio.CancelledError:
        write_line({"error": {"code": "cancelled", "message": "stopped before there was a run"}})
        return exit_codes.CANCELLED


def _print_failure(failed: CommandFailed) -> int:
    """Print why there is no run, and return the exit code."""
    if failed.failure.code == "invalid_template":
        write_line({"problems": failed.failure.details["problems"]})
    else:
        write_line({"error": failed.failure.as_dict()})
    return failed.exit_code


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
    tune_gc()
    result: int = await args.execute(args, folders)
    return result
