"""Failures of the engine and the operating system, as StorageFailed.

The embedded engine reports causes only as text, which contains the operating system's error number if there is one.
"""

import errno
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.errors import StorageFailed

_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, 112}  # 112: Windows' ERROR_DISK_FULL
_NOT_WRITABLE = {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ENAMETOOLONG,
}
_PATTERNS = (
    ("in_use", r"already locked"),
    ("storage_full", r"no storage space|no space left|file too large|quota exceeded|not enough space"),
    ("storage_not_writable", r"permission denied|read-only|not permitted|not a directory"),
)
_MESSAGES = {
    "in_use": "another process uses the data folder",
    "storage_full": "the disk is full",
    "storage_not_writable": "the data folder cannot be written",
    "storage_not_readable": "the data folder cannot be read",
    "storage_failed": "the database failed",
}
# The reports of the other statements of a failed transaction, whatever the cause.
_CONSEQUENCE = re.compile(r"not executed due to|transaction was aborted due to a prior error")


EVENTS_REFUSED = "events_refused"


class Conflict(Exception):
    """Another transaction interfered. Nothing was written; the query can be retried."""


def statement_results(response: Mapping[str, Any]) -> list[Any]:
    """Return the result of every statement. Raises Conflict or StorageFailed if any of them failed."""
    if "error" in response:
        raise storage_failure([str(response["error"]["message"])])
    statements: Sequence[Mapping[str, Any]] = response["result"]
    failed = [statement for statement in statements if statement["status"] != "OK"]
    if any((statement.get("details") or {}).get("kind") == "TransactionConflict" for statement in failed):
        raise Conflict
    # the only statements that refuse rows or throw so are in `core.persistence.events`
    if any(each.get("kind") == "AlreadyExists" or EVENTS_REFUSED in str(each["result"]) for each in failed):
        raise StorageFailed(EVENTS_REFUSED, "events of a run were refused: they exist, or the run is not running")
    if failed:
        raise storage_failure(str(statement["result"]) for statement in failed)
    return [statement["result"] for statement in statements]


def storage_failure(messages: Iterable[str]) -> StorageFailed:
    """Return the failure that these messages of the engine describe."""
    # In a failed transaction only one statement reports the cause; the others, often the first, report a consequence.
    reports = list(messages)
    reason = next((message for message in reports if not _CONSEQUENCE.search(message)), reports[-1])
    number = re.search(r"os error (\d+)", reason)
    code = _code_of_errno(int(number[1])) if number else None
    if code is None:
        code = next((code for code, words in _PATTERNS if re.search(words, reason, re.IGNORECASE)), "storage_failed")
    return StorageFailed(code, f"{_MESSAGES[code]}: {reason}")


def os_failure(error: OSError, *, is_reading: bool = False) -> StorageFailed:
    """Return the failure of a call to the operating system, which wrote unless `is_reading`."""
    code = _code_of_errno(error.errno or 0) or "storage_failed"
    if is_reading and code == "storage_not_writable":
        code = "storage_not_readable"
    return StorageFailed(code, f"{_MESSAGES[code]}: {error}")


def is_disk_failure(error: StorageFailed) -> bool:
    """Return whether the disk failed, rather than a statement."""
    return error.code in ("storage_full", "storage_not_writable") or "IO error" in error.message


def _code_of_errno(number: int) -> str | None:
    if number in _FULL:
        return "storage_full"
    return "storage_not_writable" if number in _NOT_WRITABLE else None
