"""Time, so that tests can own it."""

import asyncio
import time
from datetime import UTC, datetime
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


class SystemClock:
    """The time of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
