"""Runs as the tools see them: started, read, ended and answered (AGENTS_AND_TOOLS §5, ENGINE §12).

All methods raise MetierError: NotFound for an unknown run, StorageFailed, and what they name besides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.domain.ids import InterruptionId, RunId, TemplateId, WorkflowId
from core.domain.interruption import Answer
from core.domain.run import Run, RunStatus
from core.ports.tools import CallContext


@dataclass(frozen=True, slots=True)
class RunPage:
    """Runs, newest first; children oldest first. `next_cursor` continues the listing, None at the end."""

    runs: Sequence[Run]
    next_cursor: RunId | None = None


class Executions(Protocol):
    """Starts runs for tool calls."""

    async def execute(
        self,
        context: CallContext,
        template_id: TemplateId,
        given: Mapping[str, Any],
        *,
        timeout_ms: int | None,
        wait: bool,
    ) -> Run:
        """Run a template as a child of the calling run, or as a root if no run makes the call.

        The same call returns the same run, once it has been written, or with `wait` once it has ended. A child is
        cancelled with a call that waits for it; a root continues, and `wait` also returns when it only waits for the
        user. Raises `not_found`, `bad_input`, `invalid_template`, `too_deep`, `key_missing`.
        """


class Runs(Executions, Protocol):
    """All run operations of a tool. Whether the call may reach the run is checked before."""

    async def find(self, run_id: RunId) -> Run: ...

    async def listed(
        self,
        *,
        workflow_id: WorkflowId | None = None,
        parent: RunId | None = None,
        status: RunStatus | None = None,
        limit: int,
        before: RunId | None = None,
    ) -> RunPage:
        """Return root runs, of a workflow or of all, or the children of `parent`."""

    async def describe(self, run_id: RunId) -> dict[str, Any]:
        """Return everything about a run (COMMAND_LINE)."""

    async def asked(self, run_id: RunId) -> list[dict[str, Any]]:
        """Return the open interruptions of the run and its descendants, in the form of COMMAND_LINE."""

    async def cancel(self, run_id: RunId) -> Run:
        """Cancel the run and its descendants. A finished run stays unchanged."""

    async def answer(
        self,
        context: CallContext,
        run_id: RunId,
        answer: Answer,
        *,
        interruption: InterruptionId | None,
        step: str | None,
    ) -> None:
        """Answer an interruption of the run or of a descendant; the answer is on disk on return.

        Raises `not_allowed` for an interruption of the calling run or of an ancestor, and for consent, which only the
        user gives; otherwise as `core.engine.runs.engine.Engine.answer`.
        """

    async def go_on(self, context: CallContext, run_id: RunId, *, wait: bool) -> Run:
        """Recover the run if no process drives it, and return at once, or with `wait` when it has ended or only waits
        for the user.

        Raises `not_allowed` for a run that would wait for itself.
        """
