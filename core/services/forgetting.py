"""What has expired of the memories is deleted, at the start and each hour (AGENTS_AND_TOOLS §5)."""

import asyncio
import logging
from typing import Self

from core.errors import StorageFailed
from core.ports.clock import Clock
from core.ports.memories import Memories

PAUSE_S = 3600.0

log = logging.getLogger(__name__)


class Forgetting:
    """Sweeps as long as it is entered. What it has not come to is not found by anybody all the same."""

    def __init__(self, memories: Memories, clock: Clock) -> None:
        self._memories = memories
        self._clock = clock

    async def __aenter__(self) -> Self:
        self._sweeping = asyncio.create_task(self._sweep_on(), name="memory sweep")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._sweeping.cancel()
        if kind is not GeneratorExit:  # whoever is abandoned cannot wait
            await asyncio.wait([self._sweeping])

    async def sweep(self) -> int:
        """Delete what has expired; how many there were. Raises StorageFailed."""
        count = await self._memories.purge(self._clock.now())
        if count:
            log.info("%d expired memories were deleted", count)
        return count

    async def _sweep_on(self) -> None:
        while True:
            try:
                await self.sweep()
            except StorageFailed as error:
                log.warning("expired memories stay until the next sweep: %s", error.message)
            await self._clock.sleep(PAUSE_S)
