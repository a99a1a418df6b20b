"""`chat`: say something to an agent and read its answer."""

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.cli.arguments import add_run_options, allowed_folders, require_supported
from core.cli.attend import attend, exit_code
from core.cli.exits import unwrap
from core.cli.follow import EventLines, TextStream
from core.cli.output import write_error_line, write_line
from core.domain.ids import WorkflowId
from core.domain.template import ValidationMode
from core.llm.script import parse_script
from core.services.templates import read_text
from core.wiring import Folders, open_core

NAME = "chat"
HELP = "send a message to an agent; the offline agent answers to `help`"
EXAMPLE = """python -m core chat '/tool calculator {"expression": "6 * 7"}'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("--agent", metavar="NAME", help="which agent answers (offline)")
    parser.add_argument("--workflow", metavar="ID", help="go on with this conversation")
    parser.add_argument("--script", metavar="FILE", help="JSON lines that the offline agent plays (METIER_SCRIPT)")
    add_run_options(parser)
    for option in ("--base-url", "--model", "--input"):
        parser.add_argument(option, help=argparse.SUPPRESS)
    parser.add_argument("--record", action="store_true", help=argparse.SUPPRESS)


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    require_supported(args, "--base-url", "--model", "--record", "--input")
    script, allow = _script(args.script or os.environ.get("METIER_SCRIPT")), allowed_folders(args.allow)
    async with open_core(folders) as core:
        text = None if args.events else TextStream(core.bus)
        if args.events:
            EventLines(core.bus)
        workflow = WorkflowId(args.workflow) if args.workflow else None
        sent = await core.chat.send(
            args.text,
            workflow,
            agent=args.agent,
            mode=args.mode or ValidationMode.AUTO,
            allow=allow,
            base=str(Path.cwd()),
            script=script,
        )
        run = unwrap(sent)
        line = await attend(core, run.id)
    if text is None:
        write_line(line)
    else:
        text.end()
        write_error_line(line)  # stdout holds the answer alone
    return exit_code(line)


def _script(place: str | None) -> Sequence[Mapping[str, Any]]:
    return parse_script(read_text(Path(place))) if place else ()
