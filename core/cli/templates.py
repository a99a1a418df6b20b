"""Commands on templates: validated, and made from recordings (COMMAND_LINE, ENGINE §11)."""

import argparse
from pathlib import Path

from core.app import Folders
from core.cli.command import add_run_argument, command
from core.cli.output import SUCCESS, USAGE, write_error_line, write_line
from core.domain.ids import RunId
from core.domain.text.json_text import indented_json
from core.errors import Refused
from core.recording.template_builder import ACCEPT_ALL, ExportOptions
from core.services.outcome import Failed, unwrap
from core.services.templates import check_file, read_text
from core.threads.system_clock import SystemClock
from core.wiring import Toolbox, load_stored_tools, open_core, temporary_storage


def _add_validate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")


@command(
    "validate",
    "print everything that is wrong with a template file",
    "python -m core validate my-template.json",
    _add_validate_arguments,
)
async def validate(args: argparse.Namespace, folders: Folders) -> int:
    async with temporary_storage() as storage, Toolbox(SystemClock(), storage) as box:
        if "mcp__" in read_text(Path(args.file)):  # a template without MCP tools needs nothing of the user's store
            await load_stored_tools(box, folders)
        checked = await check_file(box.validator, Path(args.file))
    write_line({"problems": [problem.as_dict() for problem in checked.problems]})
    return SUCCESS if checked.is_valid else USAGE


def _add_record_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_argument(parser)
    parser.add_argument(
        "--accept", nargs="*", metavar="all|PATH", help="the offered refs to take: all, or those at these paths"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the template to this file too")
    parser.add_argument("--title", metavar="T", help="its title (else that of the conversation)")
    parser.add_argument(
        "--include", action="append", default=[], metavar="STEP", help="take a step that would be left out"
    )
    parser.add_argument("--exclude", action="append", default=[], metavar="STEP", help="leave a step out")


@command(
    "record",
    "review a recording: one offered ref a line; with --accept or -o make a template of it",
    "python -m core record run_01… --accept all -o report.json",
    _add_record_arguments,
)
async def record(args: argparse.Namespace, folders: Folders) -> int:
    run_id, accept = RunId(args.run), args.accept or ()
    accepted = ACCEPT_ALL if ACCEPT_ALL in accept else tuple(accept)
    options = ExportOptions(accepted, args.title, None, args.include, args.exclude)
    async with open_core(folders) as core:
        if args.accept is None and args.output is None:
            review = unwrap(await core.recording.review(run_id, options))
            for offer in review.offers:
                write_line(offer.as_dict())
            write_error_line({key: value for key, value in review.as_dict().items() if key != "offers"})
            return SUCCESS
        target, is_new = _require_writable(args.output) if args.output is not None else (None, False)
        outcome = await core.recording.export(run_id, options)
        if target is not None and is_new and isinstance(outcome, Failed):
            target.unlink(missing_ok=True)
        exported = unwrap(outcome)
    if target is None:
        write_line(exported.template)
        write_error_line(exported.as_dict())
        return SUCCESS
    try:
        target.write_text(indented_json(dict(exported.template)) + "\n", "utf-8", errors="surrogatepass")
    except OSError as error:
        raise _file_error(str(target), error) from None
    write_line(exported.as_dict() | {"file": str(target)})
    return SUCCESS


def _require_writable(name: str) -> tuple[Path, bool]:
    """Return the output file, and whether it was created for the check. Raises Refused `bad_input`, while the recording
    is still open.
    """
    path = Path(name)
    try:
        is_new = not path.exists()
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        with path.open("ab"):
            pass
    except (OSError, ValueError) as error:
        raise _file_error(name, error) from None
    return path, is_new


def _file_error(name: str, error: Exception) -> Refused:
    return Refused("bad_input", f"-o {name}: {getattr(error, 'strerror', None) or error}")
