"""Asking people about tool calls, as those see it who make calls (AGENTS_AND_TOOLS §6, ENGINE §8)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.domain.consent import ConsentPolicy
from core.domain.ids import CallId
from core.domain.interruption import Interruption, InterruptionRequest
from core.domain.tool import CallResult


class Asker(Protocol):
    """Puts a question of a call to a person and comes back when it is closed.

    A question of the same place that stands there already is that question, closed or not, unless one is asked `anew`.
    """

    async def __call__(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption: ...


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that somebody wants to make, and where: `call_id` is the same after a crash."""

    call_id: CallId
    step: str
    index: int | None
    tool: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class PermittedCall:
    """The call may be made, with these arguments: a person may have changed them."""

    arguments: Any


class Consent(Protocol):
    """Lets calls pass, asks a person about them, or refuses them."""

    async def __call__(
        self, wanted: Sequence[PendingCall], advertised: Collection[str] | None = None
    ) -> list[PermittedCall | CallResult]:
        """For each call, in order, leave to make it, or the result that it has without being made.

        All that need consent are asked about together; comes back when every one of them is settled. Nobody is asked
        twice about the same call, and nobody about one that cannot be made (not registered, invalid, …).
        """
        ...


class ConsentRules(Protocol):
    """What was set about consent."""

    @property
    def policy(self) -> ConsentPolicy:
        """What holds now."""
        ...

    def allow(self, tool: str) -> None:
        """An exception for this tool is on disk: it holds from now on."""
        ...
