"""The journal: what a run tells and keeps, in one order.

Two ways to say a thing, and the difference is the promise that survives a power cut (ENGINE §10):
`tell` for text and pure results (seen at once, on disk within the next group), `record` for what
leaves the process (on disk first, then seen).
"""

from asyncio import Future
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.events import Fact
from core.domain.ids import MessageId, RunId, WorkflowId
from core.ports.storage import Write


class RunLog(Protocol):
    """The journal of one run."""

    @property
    def run_id(self) -> RunId: ...

    @property
    def workflow_id(self) -> WorkflowId: ...

    @property
    def message_id(self) -> MessageId: ...
    def tell(self, *facts: Fact, writes: Sequence[Write] = (), beside: "Companion | None" = None) -> None:
        """Tell the facts now; they and the writes are committed with the next group, 50 ms or 64 steps later.

        What is told `beside` is committed with them, or not at all; likewise in `record`.
        """
        ...

    def record(
        self, *facts: Fact, writes: Sequence[Write] = (), beside: "Companion | None" = None
    ) -> "Future[frozenset[int]]":
        """Commit everything put before, then these, at the next turn of the loop; then tell the facts.

        The future gives the positions of lost writes. It may be left alone: order is kept either way.
        """
        ...

    def stream(self, step: str, index: int | None, text: str) -> None:
        """Tell a piece of streamed text, and keep it within the write interval (0.5 s, or 1 KiB of it).

        Where `step` is the id of a sub-agent, it is the sub-agent that says it.
        """
        ...

    def resume_stream(self, step: str, index: int | None, length: int) -> None:
        """The stream goes on after a crash: its first `length` characters are known already."""
        ...

    async def room(self) -> None:
        """Come back when the writer is not too far behind, and the store can be written."""
        ...


@dataclass(frozen=True, slots=True)
class Companion:
    """What another run tells and keeps in the same commit: its log, its facts, its rows."""

    log: RunLog
    facts: Sequence[Fact]
    writes: Sequence[Write] = ()

    def then(self, later: "Companion | None") -> "Companion":
        """Both together, of the same run."""
        return (
            self if later is None else Companion(self.log, [*self.facts, *later.facts], [*self.writes, *later.writes])
        )
