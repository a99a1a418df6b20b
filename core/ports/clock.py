"""Time, replaceable in tests."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall-clock time, and monotonic time for durations."""

    def now(self) -> datetime:
        """Return the wall-clock time in UTC. It may jump."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only increase."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Sleep for `seconds` of monotonic time."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
