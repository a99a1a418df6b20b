"""The user's consent to tool calls, for the callers of tools (AGENTS_AND_TOOLS §6, ENGINE §8)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.domain.consent import ConsentPolicy, Permission
from core.domain.ids import CallId
from core.domain.interruption import Interruption, InterruptionRequest
from core.domain.tool import CallResult


class Asker(Protocol):
    """Asks the user a question about a call and waits until it is closed.

    If the same place has a question already, open or closed, that question is used unless `anew` is set.
    """

    async def __call__(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption: ...


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that awaits consent, and its place. `call_id` is the same after a crash."""

    call_id: CallId
    step: str
    index: int | None
    tool: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class PermittedCall:
    """The call may be made with these arguments, which the user may have changed."""

    arguments: Any


class Consent(Protocol):
    """Admits calls, asks the user about them, or refuses them."""

    async def __call__(
        self, wanted: Sequence[PendingCall], advertised: Collection[str] | None = None
    ) -> list[PermittedCall | CallResult]:
        """Return for each call, in order, the permission or the result that stands for the call.

        All calls that need consent are asked about together, and the method returns when all are settled. No call is
        asked about twice, nor at all if it cannot be made (unregistered, invalid, …).
        """


class ConsentRules(Protocol):
    """The settings about consent."""

    @property
    def policy(self) -> ConsentPolicy:
        """The policy in force."""

    def allow(self, tool: str, permission: Permission) -> None:
        """Apply an exception for the tool, once it is on disk."""
