"""The journal of a run: its facts and writes, in order.

There are two ways to write, and they differ in what survives a power cut (ENGINE §10). `emit` is for text and pure
results: published at once, on disk with the next group. `commit` is for what leaves the process: on disk first, then
published.
"""

from asyncio import Future
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.events import Fact
from core.domain.ids import MessageId, RunId, WorkflowId
from core.ports.writes import Write


class RunLog(Protocol):
    """The journal of a run."""

    @property
    def run_id(self) -> RunId: ...

    @property
    def workflow_id(self) -> WorkflowId: ...

    @property
    def message_id(self) -> MessageId: ...
    def emit(self, *facts: Fact, writes: Sequence[Write] = (), companion: "Companion | None" = None) -> None:
        """Publish the facts now; they and the writes are committed with the next group, 50 ms or 64 steps later.

        `companion` is committed in the same transaction; likewise in `commit`.
        """

    def commit(
        self, *facts: Fact, writes: Sequence[Write] = (), companion: "Companion | None" = None
    ) -> "Future[frozenset[int]]":
        """Commit everything put before, then these writes, at the next turn of the loop; then publish the facts.

        The future returns the positions of lost writes. It need not be awaited: the order is kept either way.
        """

    def stream(self, step: str, index: int | None, text: str) -> None:
        """Publish a piece of streamed text, and store it within the write interval (0.5 s, or 1 KiB of it).

        If `step` is the id of a sub-agent, the text is the sub-agent's.
        """

    def resume_stream(self, step: str, index: int | None, length: int) -> None:
        """Continue a stream after a crash: its first `length` characters are published already."""

    async def drain(self) -> None:
        """Wait until the writer is not too far behind and the store can be written."""


@dataclass(frozen=True, slots=True)
class Companion:
    """Facts and rows of another run in the same commit, with its journal."""

    log: RunLog
    facts: Sequence[Fact]
    writes: Sequence[Write] = ()

    def then(self, later: "Companion | None") -> "Companion":
        """Return both companions of the same run as a single companion."""
        return (
            self if later is None else Companion(self.log, [*self.facts, *later.facts], [*self.writes, *later.writes])
        )
