"""Time, replaceable in tests."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Wall-clock time, and monotonic time for durations."""

    def now(self) -> datetime:
        """Return the wall-clock time in UTC. It may jump."""

    def monotonic(self) -> float:
        """Return seconds that only increase."""

    async def sleep(self, seconds: float) -> None:
        """Sleep for `seconds` of monotonic time."""
