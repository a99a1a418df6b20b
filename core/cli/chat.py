"""`chat`: send a message to an agent and print its answer."""

import argparse
import os
from pathlib import Path

from core.app import Core, Folders
from core.cli.command import add_run_options, allowed_places, command, input_object
from core.cli.output import EventPrinter, TextPrinter, attend, run_exit_code, write_error_line, write_line
from core.domain.ids import WorkflowId
from core.domain.model import ModelChoice, WireFormatName
from core.domain.template import ValidationMode
from core.errors import Refused
from core.llm.offline.script import parse_script
from core.llm.presets import PRESETS
from core.llm.wire_formats import WIRE_FORMATS
from core.services.agents import OFFLINE
from core.services.outcome import unwrap
from core.services.templates import read_text
from core.wiring import open_core


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("--agent", metavar="NAME", help="which agent answers: one that is stored, or offline")
    parser.add_argument("--workflow", metavar="ID", help="go on with this conversation")
    parser.add_argument(
        "--attach",
        metavar="FILE",
        action="append",
        default=[],
        help="send this picture, PDF, text or other file with the message; may be repeated",
    )
    parser.add_argument("--script", metavar="FILE", help="JSON lines that the offline agent plays (METIER_SCRIPT)")
    provider = parser.add_argument_group(
        "a language model",
        "Without these the offline agent answers. Example: python -m core chat 'What is in this folder?' --allow . "
        "--base-url http://127.0.0.1:11434/v1 --model NAME",
    )
    provider.add_argument("--base-url", metavar="URL", help="ask the server at this address, such as https://host/v1")
    provider.add_argument("--model", metavar="NAME", help="this model of it")
    provider.add_argument("--provider", metavar="PRESET", help=f"one that is known: {', '.join(PRESETS)}")
    wire_formats = [name.replace("_", "-") for name in WIRE_FORMATS]
    provider.add_argument(
        "--wire-format",
        metavar="API",
        type=lambda text: text.lower().replace("_", "-"),
        choices=wire_formats,
        help=f"the API that it speaks, if neither preset nor address tell: {', '.join(wire_formats)}",
    )
    provider.add_argument(
        "--api-key-env", metavar="VAR", help="the environment variable with the key (METIER_API_KEY, if it is set)"
    )
    add_run_options(parser)
    recording = parser.add_argument_group(
        "recording", "Record the tool calls as the steps of a template (see `record`)."
    )
    recording.add_argument("--record", action="store_true", help="begin a recording, or go on with the open one")
    recording.add_argument("--input", metavar="JSON|@FILE|-", help="what @input means in the recording, an object")


@command(
    "chat",
    "send a message to an agent; the offline agent answers to `help`",
    """python -m core chat '/tool calculator {"expression": "6 * 7"}'""",
    _add_arguments,
)
async def chat(args: argparse.Namespace, folders: Folders) -> int:
    if args.input is not None and not args.record:
        raise Refused("usage", "--input goes with --record")
    record_input = input_object(args.input) if args.input is not None else None
    asks_model = _asks_model(args)
    script_file = args.script or os.environ.get("METIER_SCRIPT")
    script = parse_script(read_text(Path(script_file))) if script_file and not asks_model else ()
    allow = allowed_places(args.allow)
    async with open_core(folders) as core:
        model = await _model(core, args) if asks_model else None
        attached = [unwrap(await core.attachments.read(path)) for path in args.attach]
        printer = EventPrinter(core.bus) if args.events else TextPrinter(core.bus)
        sent = await core.chat.send(
            args.text,
            WorkflowId(args.workflow) if args.workflow else None,
            agent=args.agent,
            mode=args.mode or ValidationMode.AUTO,
            allow=allow,
            base=str(Path.cwd()),
            script=script,
            model=model,
            record=args.record,
            record_input=record_input,
            attached=attached,
        )
        run = unwrap(sent)
        recording_id = unwrap(await core.recording.open_of(run.workflow_id)) if args.record else None
        line = await attend(core, run.id)
        if recording_id is not None:
            line |= {"recording_id": recording_id}
    if isinstance(printer, TextPrinter):
        printer.end(line.get("output"))
        write_error_line(line)  # stdout holds the answer alone
    else:
        write_line(line)
    return run_exit_code(line)


def _asks_model(args: argparse.Namespace) -> bool:
    """Return whether a language model is requested. Raises Refused if the offline agent is requested too."""
    options = ("base_url", "model", "provider", "api_key_env", "wire_format")
    named = [name for name in options if getattr(args, name) is not None]
    other = "--script" if args.script else "--agent offline" if args.agent == OFFLINE else None
    if named and other is not None:
        raise Refused("usage", f"--{named[0].replace('_', '-')} does not go with {other}")
    return bool(named)


async def _model(core: Core, args: argparse.Namespace) -> ModelChoice:
    return unwrap(
        await core.providers.choose(
            provider=args.provider,
            base_url=args.base_url,
            model=args.model,
            key_env=args.api_key_env,
            wire_format=WireFormatName(args.wire_format.replace("-", "_")) if args.wire_format else None,
        )
    )
