"""`run`: start a template and follow it until it ends."""

import argparse
from pathlib import Path

from core.app import Folders
from core.cli.arguments import (
    add_run_options,
    allowed_places,
    input_object,
    preset_results,
    seconds,
)
from core.cli.exit_codes import unwrap
from core.cli.follow import EventPrinter, attend, exit_code
from core.cli.output import write_line
from core.wiring import open_core

NAME = "run"
HELP = "run a template: a file, or the title of a stored or shipped one"
EXAMPLE = """python -m core run "Folder report" --input '{"folder": "notes"}' --allow notes"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("template", metavar="FILE|TITLE", help="an existing file, else a title")
    parser.add_argument("--input", default="{}", metavar="JSON|@FILE|-", help="the input, an object ({})")
    add_run_options(parser)
    parser.add_argument("--key", metavar="K", help="the same key gives the same run, for ever")
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="end the run after so much active time")
    parser.add_argument(
        "--preset",
        action="append",
        default=[],
        metavar="STEP=JSON",
        help="the result of a step, which is not run then (may be repeated)",
    )


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    presets = preset_results(args.preset)
    given, allow = input_object(args.input), allowed_places(args.allow)
    async with open_core(folders) as core:
        if args.events:
            EventPrinter(core.bus)
        found = unwrap(await core.templates.find(args.template))
        await core.servers.learn(found.template.tools())
        timeout_ms = round(args.timeout * 1000) if args.timeout is not None else None
        run = unwrap(
            await core.runs.start(
                found,
                given,
                mode=args.mode,
                allow=allow,
                base=str(Path.cwd()),
                key=args.key,
                timeout_ms=timeout_ms,
                presets=presets,
            )
        )
        if not run.status.is_final and not core.engine.drives(run.id):  # the same key, after a crash
            unwrap(await core.runs.recover(run.id))
        line = await attend(core, run.id)
    write_line(line)
    return exit_code(line)
