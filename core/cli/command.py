"""What commands share: their registration, their arguments, opening the core and following a run."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.app import Core, Folders
from core.cli.output import EventPrinter, attend, run_exit_code, write_line
from core.domain.grants import FolderGrant
from core.domain.ids import RunId
from core.domain.template import ValidationMode
from core.domain.text.json_text import parse
from core.domain.text.masking import masked_text
from core.domain.text.web_address import is_origin, validated_origin
from core.errors import Refused
from core.services.templates import read_text
from core.wiring import open_core

Execute = Callable[[argparse.Namespace, Folders], Coroutine[Any, Any, int]]
"""Runs a command and returns its exit code."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line."""

    name: str
    help: str
    example: str
    add_arguments: Callable[[argparse.ArgumentParser], object]
    execute: Execute


def command(
    name: str,
    help: str,  # noqa: A002  # as argparse calls it
    example: str,
    add_arguments: Callable[[argparse.ArgumentParser], object] = lambda parser: None,
) -> Callable[[Execute], Command]:
    """Make a function a command."""
    return lambda execute: Command(name, help, example, add_arguments, execute)


async def follow_run(args: argparse.Namespace, folders: Folders, begin: Callable[[Core], Awaitable[RunId]]) -> int:
    """Open the core, begin a run, follow it until it ends or waits, print it, and return its exit code.

    The last line is printed after the store is closed, so that a script can open it as soon as it has read the line.
    """
    async with open_core(folders) as core:
        if args.events:
            EventPrinter(core.bus)
        line: dict[str, Any] = await attend(core, await begin(core))
    write_line(line)
    return run_exit_code(line)


def data_option() -> argparse.ArgumentParser:
    """Return a parent parser with the option that may stand anywhere."""
    options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    options.add_argument("--data", metavar="DIR", help="the data folder (else METIER_DATA, else the system's place)")
    return options


def add_run_argument(parser: argparse.ArgumentParser) -> None:
    """Add the id of a run."""
    parser.add_argument("run", metavar="RUN")


def add_events_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that prints events."""
    parser.add_argument("--events", action="store_true", help="print every event as a JSON line, as it happens")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `run` and `chat`."""
    add_events_option(parser)
    add_allow(parser, "for this run")
    add_mode(parser, "whether you are asked before tools are called (the template's mode, else auto)")


def add_allow(parser: argparse.ArgumentParser, scope: str) -> None:
    """Add `--allow`; `scope` describes the runs that it holds for."""
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="DIR|ORIGIN",
        help=f"let the file tools into this folder (ro:DIR: to read alone), or http_fetch to this origin, {scope} "
        "(may be repeated)",
    )


def add_mode(parser: argparse.ArgumentParser, help_text: str) -> None:
    """Add `--mode`."""
    parser.add_argument(
        "--mode",
        type=ValidationMode,
        choices=list(ValidationMode),
        metavar="auto|manual|selective",
        help=help_text,
    )


def allowed_places(names: list[str]) -> list[str]:
    """Return what `--allow` names: absolute folders, and origins. Raises Refused `bad_input` if a place is
    neither, or is unreadable.
    """
    folders = []
    for name in names:
        if is_origin(name):
            folders.append(_origin(name))
            continue
        grant = FolderGrant.parse(name)
        try:
            folder = Path(grant.path).resolve(strict=True)
            if not folder.is_dir():
                raise Refused("bad_input", f"--allow {name}: not a folder")
            next(folder.iterdir(), None)
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Refused("bad_input", f"--allow {name}: {reason}") from None
        folders.append(str(FolderGrant(str(folder), grant.is_read_only)))
    return folders


def _origin(name: str) -> str:
    try:
        return validated_origin(name)
    except ValueError as error:
        raise Refused("bad_input", f"--allow {masked_text(name)}: {error}") from None


def seconds(text: str) -> float:
    """Return a duration between a millisecond and a year."""
    value = float(text)
    if not 0.001 <= value <= 366 * 86_400:
        raise argparse.ArgumentTypeError("a number of seconds, at least 0.001")
    return value


def positive_integer(text: str) -> int:
    """Return a whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def read_stdin(what: str) -> str:
    """Return the text on stdin. Raises Refused `bad_input`, which calls it `what`."""
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("bad_input", f"{what} on stdin is not UTF-8 text") from None


def input_object(text: str) -> dict[str, Any]:
    """Return the object of `--input JSON|@FILE|-`. Raises Refused `bad_input`."""
    if text == "-":
        text = read_stdin("the input")
    elif text.startswith("@"):
        text = read_text(Path(text[1:]))
    try:
        value = parse(text)
    except ValueError as error:
        raise Refused("bad_input", f"--input is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused("bad_input", "--input is not a JSON object")
    return value


def preset_results(options: list[str]) -> dict[str, Any]:
    """Return the results of `--preset STEP=JSON` by step. Raises Refused `bad_preset`."""
    presets: dict[str, Any] = {}
    for text in options:
        step, between, value = text.partition("=")
        if not step or not between:
            raise Refused("bad_preset", f"--preset {text[:80]}: it is STEP=JSON")
        if step in presets:
            raise Refused("bad_preset", f"--preset {step[:80]}: it is given twice")
        try:
            presets[step] = parse(value)
        except ValueError as error:
            raise Refused("bad_preset", f"--preset {step[:80]}: it is not JSON: {error}") from None
    return presets
