"""What a command prints and returns: JSON lines and streamed text on stdout, and exit codes (COMMAND_LINE).

Lines are ASCII, so that no terminal and no lone surrogate can break a line. A closed pipe does not stop the work.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from core.domain.run import RunStatus
from core.errors import MetierError
from core.services.key_check import KEY_MISSING


def write_line(value: Any) -> None:
    """Write a JSON value as a line to stdout."""
    write_text(_line(value))


def write_error_line(value: Any) -> None:
    """Write a JSON value as a line to stderr."""
    sys.stderr.write(_line(value))


def write_text(text: str) -> None:
    """Write text to stdout and flush it. Characters that the terminal cannot show are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    # also for later writes, and for the flush at the end of the process
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


SUCCESS = 0
FAILED = 1
USAGE = 2
WAITING = 3
STORE = 4
CANCELLED = 130

_EXIT_CODES = {
    RunStatus.SUCCESS: SUCCESS,
    RunStatus.ERROR: FAILED,
    RunStatus.CANCELLED: CANCELLED,
    RunStatus.WAITING: WAITING,
    RunStatus.PAUSED: STORE,
}

_STORE_ERRORS = frozenset({"in_use", "store_doubtful", "storage_not_writable", "storage_full", "storage_failed"})


def failure_exit_code(error: MetierError) -> int:
    """Return the exit code of a command that ends without a run to show."""
    if error.code == KEY_MISSING:
        return WAITING
    return STORE if error.code in _STORE_ERRORS else USAGE


def run_exit_code(line: Mapping[str, Any]) -> int:
    """Return the exit code of a run from its last line; a run that has neither ended nor waits is left for `resume`."""
    if needs_key(line):
        return WAITING
    return _EXIT_CODES.get(RunStatus(line["status"]), STORE)


def needs_key(line: Mapping[str, Any]) -> bool:
    """Return whether the run stays enqueued until the key of its model exists."""
    return line["status"] == RunStatus.ENQUEUED and (line["error"] or {}).get("code") == KEY_MISSING
