"""`export` and `import`: take workflows and everything else along in a file (COMMAND_LINE, EXPORT_FILE)."""

import argparse
from pathlib import Path

from core.app import Folders
from core.cli.command import command
from core.cli.output import SUCCESS, write_error_line, write_line, write_text
from core.errors import Refused
from core.services.import_export.exporting import Kind
from core.services.import_export.library import OnConflict
from core.services.import_export.service import ALL_KINDS
from core.services.outcome import unwrap
from core.wiring import open_core


def _add_kinds(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--kind",
        type=Kind,
        action="append",
        choices=list(Kind),
        metavar="|".join(Kind),
        help=f"{what} (may be repeated)",
    )


def _add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflows", nargs="*", metavar="WORKFLOW", help="a workflow's id or title")
    parser.add_argument("--all", action="store_true", help="everything: workflows, templates, settings …")
    _add_kinds(parser, "everything of this kind")
    parser.add_argument("--markdown", action="store_true", help="one conversation as Markdown, on stdout without -o")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the file to write: a zip if it ends so, or has to be one"
    )


@command(
    "export",
    "write workflows, or everything, to a file; no secrets",
    "python -m core export --all -o metier.zip",
    _add_export_arguments,
)
async def export(args: argparse.Namespace, folders: Folders) -> int:
    kinds = ALL_KINDS if args.all else frozenset(args.kind or ())
    if not args.workflows and not kinds:
        raise Refused("usage", "name workflows, or use --all or --kind")
    if args.markdown and (kinds or len(args.workflows) != 1):
        raise Refused("usage", "--markdown takes exactly one workflow, and nothing else")
    if args.output is None and not args.markdown:
        raise Refused("usage", "name the file to write: -o FILE")
    async with open_core(folders) as core:
        ids = [(await core.import_export.find_workflow(name)).id for name in args.workflows]
        if args.markdown and args.output is None:
            write_text(unwrap(await core.import_export.markdown(ids[0])))
        elif args.markdown:
            unwrap(await core.import_export.export_markdown(ids[0], Path(args.output)))
            write_line({"file": args.output})
        else:
            exported = unwrap(await core.import_export.export(Path(args.output), ids, kinds, _print_progress))
            write_line(exported.as_dict())
    return SUCCESS


def _add_import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a file that `export` wrote")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument(
        "--on-conflict",
        type=OnConflict,
        choices=list(OnConflict),
        default=OnConflict.SKIP,
        metavar="|".join(OnConflict),
        help="what happens to something that exists already, and is different (skip)",
    )
    _add_kinds(parser, "only what is of this kind")


@command(
    "import",
    "read a file that `export` wrote: all of it or nothing; starts nothing",
    "python -m core import metier.zip --dry-run",
    _add_import_arguments,
)
async def import_(args: argparse.Namespace, folders: Folders) -> int:
    path, kinds = Path(args.file), frozenset(args.kind or ALL_KINDS)
    async with open_core(folders) as core:
        if args.dry_run:
            done = unwrap(await core.import_export.preview(path, args.on_conflict, kinds))
        else:
            done = unwrap(await core.import_export.import_file(path, args.on_conflict, kinds, _print_progress))
    write_line({"imported": not args.dry_run, **done.as_dict()})
    return SUCCESS


def _print_progress(done: int, total: int) -> None:
    if total > PROGRESS_FROM and done % PROGRESS_FROM == 0:
        write_error_line({"done": done, "total": total})


PROGRESS_FROM = 100
