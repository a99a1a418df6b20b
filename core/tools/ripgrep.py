"""ripgrep, the program that searches files: starts it, and reads the places of matches from its output.

Its output gives each matching line whole, however long, so the lines themselves are left out here; whoever needs their
text reads it from the file.
"""

import json
import os
import re
import sys
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader, create_subprocess_exec, timeout
from asyncio.subprocess import DEVNULL, PIPE
from base64 import b64decode
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path, PurePath

from core.errors import ToolFailed
from core.threads.child_process import CREATION_FLAGS, child_environment

PROGRAM_NAMES = ("rg", "rg.exe")
SEARCH_S = 20.0
RECORD_BYTES = 65_536
MESSAGE_BYTES = 2_000
FAILED = 2  # the exit status

# The same is found whatever the user's own settings are. Sorted, so that what is left out is always the same.
_OPTIONS = (
    "--no-config",
    "--no-ignore-global",
    "--json",
    "--no-messages",
    "--no-ignore-messages",
    "--sort=path",
    "--encoding=none",
    "--crlf",
)

_LINE = b'"line_number":'
_PLACE = re.compile(
    _LINE + rb'(\d+),"absolute_offset":(\d+),"submatches":\[(?:\{"match":.{0,4000}?,"start":(\d+))?', re.DOTALL
)
_PLACE_BYTES = 4_200


@dataclass(frozen=True, slots=True)
class Match:
    """A matching line: its file, its number, where it begins in the file, and where its first match begins in it."""

    parts: tuple[str, ...]
    line: int
    offset: int
    start: int


@dataclass(slots=True)
class Found:
    """The matching lines, in the order of the paths. `is_incomplete`: something could not be read."""

    matches: list[Match] = field(default_factory=list)
    is_truncated: bool = False
    is_incomplete: bool = False


@cache
def _program() -> str:
    # Not from PATH: there it may be of any version, and the app must not depend on what else is installed.
    with suppress(PackageNotFoundError):
        for file in files("ripgrep") or ():
            if file.name in PROGRAM_NAMES:
                return os.path.realpath(str(file.locate()))
    for name in PROGRAM_NAMES:
        if (place := Path(getattr(sys, "_MEIPASS", ""), name).absolute()).is_file():
            return str(place)
    raise ToolFailed("not_available", "ripgrep, the program that searches and is installed with Metier, is missing")


async def search(options: Sequence[str], folder: str, name: str, most: int) -> Found:
    """Return up to `most` matching lines of the file in the folder, or of all files in it if the name is empty.

    Ends after SEARCH_S with what was found. Raises ToolFailed `invalid_arguments` for options that cannot be taken, and
    `not_available`.
    """
    found = Found()
    process = await create_subprocess_exec(
        _program(),
        *_OPTIONS,
        *options,
        *("--", f"./{name}"),
        cwd=folder,
        env=child_environment(),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        limit=RECORD_BYTES,
        creationflags=CREATION_FLAGS,
    )
    assert process.stdout is not None
    is_whole = False
    try:
        with suppress(TimeoutError):
            async with timeout(SEARCH_S):
                is_whole = await _collect(process.stdout, found, most)
    finally:
        if not is_whole:
            with suppress(ProcessLookupError):  # it has just ended by itself
                process.kill()
        _, errors = await process.communicate()  # and closes its pipes
    found.is_truncated = not is_whole
    if is_whole and process.returncode == FAILED:
        # Files that cannot be read have no message by the options above.
        if message := errors[:MESSAGE_BYTES].decode(errors="replace").removeprefix("rg: ").strip():
            raise ToolFailed("invalid_arguments", message)
        found.is_incomplete = True
    return found


async def _collect(output: StreamReader, found: Found, most: int) -> bool:
    """Add the matches of the output; return False if there are more than `most`."""
    parts: tuple[str, ...] = ()
    of_file: list[Match] = []
    while record := await _record(output):
        if place := _PLACE.search(record):
            line, offset, start = (int(number or 0) for number in place.groups())
            of_file.append(Match(parts, line, offset, start))
            if len(found.matches) + len(of_file) > most:
                found.matches += of_file[:-1]
                return False
        elif record.startswith(b'{"type":"begin"'):
            parts, of_file = _parts(json.loads(record)["data"]["path"]), []
        elif record.startswith(b'{"type":"end"') and json.loads(record)["data"]["binary_offset"] is None:
            found.matches += of_file
    return True


def _parts(path: dict[str, str]) -> tuple[str, ...]:
    name = path["text"] if "text" in path else os.fsdecode(b64decode(path["bytes"]))
    return PurePath(name).parts


async def _record(output: StreamReader) -> bytes:
    """Return the next record, of a long one what follows the text of the line; empty at the end."""
    record = b""
    while True:
        try:
            return record + await output.readuntil(b"\n")
        except IncompleteReadError:
            return b""
        except LimitOverrunError as error:
            record += await output.readexactly(error.consumed)
            begin = record.rfind(_LINE)
            # It may have been cut at any place, also within the name of the field.
            record = record[begin:][:_PLACE_BYTES] if begin >= 0 else record[-len(_LINE) :]
