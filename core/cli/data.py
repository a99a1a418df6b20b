"""Commands on the data folder as a whole: backed up, restored, checked (COMMAND_LINE)."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.app import Folders
from core.cli.command import command
from core.cli.output import FAILED, STORE, SUCCESS, write_line
from core.domain.backup import Backup
from core.errors import Refused
from core.threads.system_clock import SystemClock


def _add_file_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")


@command(
    "backup",
    "write all data to a file, and read it back; a file of that name is replaced when this has succeeded",
    "python -m core backup metier.jsonl.gz",
    _add_file_argument,
)
async def backup(args: argparse.Namespace, folders: Folders) -> int:
    file = _target(args.file, folders)
    from core.backups.closed_store import back_up  # late: the driver takes its time to load

    write_line(_backup_object(await back_up(folders.store, file, SystemClock().now())))
    return SUCCESS


@command(
    "restore",
    "put a backup in the place of all data; the data that was there is set aside, not deleted",
    "python -m core restore metier.jsonl.gz",
    _add_file_argument,
)
async def restore(args: argparse.Namespace, folders: Folders) -> int:
    file = _source(args.file)
    from core.backups.closed_store import restore as restore_store  # late: the driver takes its time to load

    restored, aside = await restore_store(folders.store, file)
    write_line({**_backup_object(restored), "set_aside": None if aside is None else str(aside)})
    return SUCCESS


def _add_check_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--salvage", metavar="FILE", help="write what can be read as a backup to this file")


@command(
    "check",
    "read all data and print what cannot be read; nothing is changed",
    "python -m core check --salvage readable.jsonl.gz",
    _add_check_arguments,
)
async def check(args: argparse.Namespace, folders: Folders) -> int:
    from core.backups.closed_store import check as check_store  # late: the driver takes its time to load

    salvage = _target(args.salvage, folders) if args.salvage else None
    checked = await check_store(folders.store, salvage, SystemClock().now())
    report, salvaged = checked.report, checked.salvaged
    write_line(
        {
            "type": "check",
            "is_sound": checked.doubt is None and report is not None and report.problem_count == 0,
            "doubt": checked.doubt.as_dict() if checked.doubt is not None else None,
            **(asdict(report) if report is not None else {}),
            **({"salvaged": _backup_object(salvaged), "lost": checked.lost} if salvaged is not None else {}),
        }
    )
    if checked.doubt is not None or report is None:
        return STORE
    return SUCCESS if report.problem_count == 0 else FAILED


def _source(name: str) -> Path:
    """Return the path of a file to read. Raises Refused `bad_input`."""
    file = Path(name).absolute()
    if not file.is_file():
        raise Refused("bad_input", f"there is no file {file}")
    return file


def _target(name: str, folders: Folders) -> Path:
    """Return the path of a file to write. Raises Refused `bad_input`."""
    file = Path(name).absolute()
    if not file.parent.is_dir():
        raise Refused("bad_input", f"there is no folder {file.parent}")
    if file.exists() and not file.is_file():
        raise Refused("bad_input", f"{file} is not a file")
    if file.resolve().is_relative_to(folders.store.resolve()):
        raise Refused("bad_input", f"{file} is in the folder of the store")
    return file


def _backup_object(backup: Backup) -> dict[str, Any]:
    return {
        "type": "backup",
        "file": str(backup.path),
        "created_at": backup.created_at.isoformat(),
        "reason": backup.reason,
        "version": backup.schema,
        "app": backup.app,
        "size_bytes": backup.size_bytes,
        "workflows": backup.workflows,
        "runs": backup.runs,
        "rows": dict(backup.rows),
    }
