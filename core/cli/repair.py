"""The command for a store in doubt: what is in doubt, and what the user chooses."""

import argparse

from core.app import Folders
from core.cli.command import command
from core.cli.output import SUCCESS, write_error_line, write_line
from core.domain.doubt import Repair
from core.wiring import doubt_about_store, repair_store


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "choice",
        nargs="?",
        type=Repair,
        choices=list(Repair),
        metavar="keep|backup|salvage|empty",
        help="open the store as it is, restore the newest backup, read what can be read into a new store, or begin "
        "with an empty one; but for keep the store is set aside as it is",
    )


@command("repair", "Choose what happens to a store in doubt.", "python -m core repair salvage", _add_arguments)
async def repair(args: argparse.Namespace, folders: Folders) -> int:
    """Print what is in doubt, or do what was chosen, with progress on stderr."""
    if args.choice is None:
        doubt = await doubt_about_store(folders)
        if doubt is not None:
            raise doubt
        write_line({"type": "repair", "choice": None})
        return SUCCESS
    done = await repair_store(folders, args.choice, lambda progress: write_error_line({"progress": progress}))
    line = {"aside": done.aside and str(done.aside), "runs": done.runs, "missing": list(done.missing)}
    write_line({"type": "repair", "choice": done.choice, **line})
    return SUCCESS
