"""What is known of a backup without reading its rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path


class BackupReason(StrEnum):
    """Why a backup was made."""

    DAILY = "daily"
    UPDATE = "update"  # before the tables change for a new release
    REQUEST = "request"
    SALVAGE = "salvage"  # what could be read of a damaged store


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file. `rows` are the numbers of rows by table, `content_bytes` its size when unpacked.

    `workflows` does not count what is being deleted, and `runs` not the runs that belong to another.
    """

    path: Path
    size_bytes: int
    created_at: datetime
    reason: BackupReason
    schema: int
    engine: str
    app: str
    rows: Mapping[str, int]
    content_bytes: int
    workflows: int
    runs: int


@dataclass(frozen=True, slots=True)
class StoreProblem:
    """Something of a store that cannot be read. `key` is that of a row or a run; None: the table as a whole."""

    table: str
    key: str | None
    message: str


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What a check has read: the numbers of rows by table and of runs, and the first problems of `problem_count`."""

    rows: Mapping[str, int]
    runs: int
    problem_count: int = 0
    problems: tuple[StoreProblem, ...] = ()
