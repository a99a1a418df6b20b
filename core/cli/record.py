"""`record`: review a recording, or export it to a template (ENGINE §11)."""

import argparse
from pathlib import Path
from typing import Any

from core.app import Folders
from core.cli import exit_codes
from core.cli.exit_codes import CommandFailed, unwrap
from core.cli.output import write_error_line, write_line
from core.domain.ids import RunId
from core.domain.text.json_text import indented_json
from core.recording.template_builder import ACCEPT_ALL, ExportOptions
from core.services.outcome import Failed
from core.wiring import open_core

NAME = "record"
HELP = "review a recording: one offered ref a line; with --accept or -o make a template of it"
EXAMPLE = "python -m core record run_01… --accept all -o report.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN")
    parser.add_argument(
        "--accept", nargs="*", metavar="all|PATH", help="the offered refs to take: all, or those at these paths"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the template to this file too")
    parser.add_argument("--title", metavar="T", help="its title (else that of the conversation)")
    parser.add_argument(
        "--include", action="append", default=[], metavar="STEP", help="take a step that would be left out"
    )
    parser.add_argument("--exclude", action="append", default=[], metavar="STEP", help="leave a step out")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    accept = args.accept or ()
    wishes = ExportOptions(
        ACCEPT_ALL if ACCEPT_ALL in accept else tuple(accept), args.title, None, args.include, args.exclude
    )
    async with open_core(folders) as core:
        run_id = RunId(args.run)
        if args.accept is None and args.output is None:
            review = unwrap(await core.recording.review(run_id, wishes))
            for offer in review.offers:
                write_line(offer.as_dict())
            write_error_line({key: value for key, value in review.as_dict().items() if key != "offers"})
            return exit_codes.SUCCESS
        target, is_new = _target(args.output) if args.output is not None else (None, False)
        answer = await core.recording.seal(run_id, wishes)
        if target is not None and is_new and isinstance(answer, Failed):
            target.unlink(missing_ok=True)
        sealed = unwrap(answer)
    if target is None:
        write_line(sealed.template)
        write_error_line(sealed.as_dict())
    else:
        _write(target, sealed.template)
        write_line(sealed.as_dict() | {"file": str(target)})
    return exit_codes.SUCCESS


def _target(place: str) -> tuple[Path, bool]:
    """Return the output file, which is writable, and whether it was created for that. Raises CommandFailed `bad_input`,
    while the recording is still open.
    """
    path = Path(place)
    try:
        is_new = not path.exists()
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        with path.open("ab"):
            pass
    except (OSError, ValueError) as error:
        raise _file_error(place, error) from None
    return path, is_new


def _write(path: Path, template: Any) -> None:
    try:
        path.write_text(indented_json(dict(template)) + "\n", "utf-8", errors="surrogatepass")
    except OSError as error:
        raise _file_error(str(path), error) from None


def _file_error(place: str, error: Exception) -> CommandFailed:
    return CommandFailed.usage("bad_input", f"-o {place}: {getattr(error, 'strerror', None) or error}")
