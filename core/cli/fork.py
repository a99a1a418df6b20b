"""`fork`: run a finished or waiting run again from a step, keeping the results that do not depend on it."""

import argparse

from core.app import Folders
from core.cli.arguments import input_object
from core.cli.exit_codes import unwrap
from core.cli.follow import EventPrinter, attend, exit_code
from core.cli.output import write_line
from core.domain.ids import RunId
from core.wiring import open_core

NAME = "fork"
HELP = "run again from a step, keeping the results of all steps that do not depend on it"
EXAMPLE = """python -m core fork run_01… write --input '{"folder": "notes"}'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("step", metavar="STEP", help="the step to begin at")
    parser.add_argument("--input", metavar="JSON|@FILE|-", help="another input, an object")
    parser.add_argument("--events", action="store_true", help="print every event as a JSON line, as it happens")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    given = input_object(args.input) if args.input is not None else None
    async with open_core(folders) as core:
        if args.events:
            EventPrinter(core.bus)
        run = unwrap(await core.runs.fork(RunId(args.run), args.step, given))
        line = await attend(core, run.id)
    write_line(line)
    return exit_code(line)
