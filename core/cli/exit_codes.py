"""Exit codes and what leads to them (COMMAND_LINE)."""

from collections.abc import Mapping
from typing import Any

from core.domain.run import RunStatus
from core.errors import MetierError
from core.services.key_check import KEY_MISSING

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
