"""Keeping the files of the store as small as what is live in it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

OnUpkeepProgress = Callable[[dict[str, Any]], object]
"""Called with {rows, of}."""


@dataclass(frozen=True, slots=True)
class UpkeepNote:
    """What is known of the store's files. `has_deleted`: they may hold texts that were deleted.

    `rebuilt_at` and `rebuilt_bytes` are time and size of the last rebuild.
    """

    has_deleted: bool = False
    rebuilt_at: datetime | None = None
    rebuilt_bytes: int = 0


class Upkeep(Protocol):
    """All methods raise StorageFailed."""

    async def note(self) -> UpkeepNote: ...

    async def stored_bytes(self) -> int:
        """Return the size of the store's files."""
        ...

    async def live_bytes(self) -> int:
        """Return the size of all rows. Reads all of the store, in another process."""
        ...

    async def rebuild(self, now: datetime, on_progress: OnUpkeepProgress) -> None:
        """Rebuild the store, so that nothing deleted is left in its files. Cancelling leaves it as it was."""
        ...
