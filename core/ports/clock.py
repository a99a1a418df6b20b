"""Time, so that tests can own it."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Two times: one for people, one for durations."""

    def now(self) -> datetime:
        """Wall-clock time, UTC. It may jump."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow; for durations."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Come back after `seconds` of monotonic time."""
        ...
