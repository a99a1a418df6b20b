"""The limits on what models may cost, as agents see them (AGENTS_AND_TOOLS §3)."""

from typing import Protocol

from core.domain.run import Run
from core.domain.spending import SpendingRequest


class SpendingLimits(Protocol):
    """What may be spent."""

    @property
    def asks(self) -> bool:
        """Whether somebody is there who can allow more."""

    async def reached(self, run: Run) -> SpendingRequest | None:
        """Return the limit that the run, or the day, has reached. Raises StorageFailed."""

    def grant(self, request: SpendingRequest) -> None:
        """Let it be spent from now on."""


class NoSpendingLimits:
    """Nothing is limited."""

    asks = False

    async def reached(self, run: Run) -> SpendingRequest | None:
        """Implement `SpendingLimits.reached`."""
        return None

    def grant(self, request: SpendingRequest) -> None:
        """Implement `SpendingLimits.grant`."""
