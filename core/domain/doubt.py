"""What the user may do with a store in doubt."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Repair(StrEnum):
    """What is done with a store in doubt. Whatever it is, the store is set aside as it is, except by KEEP."""

    KEEP = "keep"  # open it as it is
    BACKUP = "backup"  # restore the newest backup
    SALVAGE = "salvage"  # read what can be read into a new store
    EMPTY = "empty"  # begin with an empty store


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was done. `aside` is where the store is now, `runs` are in the new store, `missing` is not."""

    choice: Repair
    aside: Path | None = None
    runs: int = 0
    missing: Sequence[str] = ()
