"""Arguments and options that several commands share."""

import argparse
import sys
from pathlib import Path
from typing import Any

from core.cli.exit_codes import CommandFailed
from core.domain.template import ValidationMode
from core.domain.text.json_text import parse
from core.domain.text.masking import masked_text
from core.domain.text.web_address import is_origin, validated_origin
from core.services.templates import read_text


def data_option() -> argparse.ArgumentParser:
    """Return a parent parser with the option that may stand anywhere."""
    options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    options.add_argument("--data", metavar="DIR", help="the data folder (else METIER_DATA, else the system's place)")
    return options


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `run` and `chat`."""
    parser.add_argument("--events", action="store_true", help="print every event as a JSON line, as it happens")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="DIR|ORIGIN",
        help="let the file tools into this folder, or http_fetch to this origin, for this run (may be repeated)",
    )
    parser.add_argument(
        "--mode",
        type=ValidationMode,
        choices=list(ValidationMode),
        metavar="auto|manual|selective",
        help="whether you are asked before tools are called (the template's mode, else auto)",
    )


def allowed_places(places: list[str]) -> list[str]:
    """Return what `--allow` names: absolute folders, and origins. Raises CommandFailed `bad_input` if a place is
    neither, or is unreadable.
    """
    folders = []
    for place in places:
        if is_origin(place):
            folders.append(_origin(place))
            continue
        try:
            folder = Path(place).resolve(strict=True)
            if not folder.is_dir():
                raise CommandFailed.usage("bad_input", f"--allow {place}: not a folder")
            next(folder.iterdir(), None)
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CommandFailed.usage("bad_input", f"--allow {place}: {reason}") from None
        folders.append(str(folder))
    return folders


def _origin(place: str) -> str:
    try:
        return validated_origin(place)
    except ValueError as error:
        raise CommandFailed.usage("bad_input", f"--allow {masked_text(place)}: {error}") from None


def seconds(text: str) -> float:
    """Return a duration between a millisecond and a year."""
    value = float(text)
    if not 0.001 <= value <= 366 * 86_400:
        raise argparse.ArgumentTypeError("a number of seconds, at least 0.001")
    return value


def input_object(text: str) -> dict[str, Any]:
    """Return the object of `--input JSON|@FILE|-`. Raises CommandFailed `bad_input`."""
    try:
        if text == "-":
            text = sys.stdin.buffer.read().decode("utf-8")
        elif text.startswith("@"):
            text = read_text(Path(text[1:]))
    except UnicodeDecodeError:
        raise CommandFailed.usage("bad_input", "the input on stdin is not UTF-8 text") from None
    try:
        value = parse(text)
    except ValueError as error:
        raise CommandFailed.usage("bad_input", f"--input is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise CommandFailed.usage("bad_input", "--input is not a JSON object")
    return value


def preset_results(given: list[str]) -> dict[str, Any]:
    """Return the results of `--preset STEP=JSON` by step. Raises CommandFailed `bad_preset`."""
    presets: dict[str, Any] = {}
    for text in given:
        step, between, value = text.partition("=")
        if not step or not between:
            raise CommandFailed.usage("bad_preset", f"--preset {text[:80]}: it is STEP=JSON")
        if step in presets:
            raise CommandFailed.usage("bad_preset", f"--preset {step[:80]}: it is given twice")
        try:
            presets[step] = parse(value)
        except ValueError as error:
            raise CommandFailed.usage("bad_preset", f"--preset {step[:80]}: it is not JSON: {error}") from None
    return presets
