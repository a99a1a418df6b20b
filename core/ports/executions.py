"""Runs, as the tools see them: started, read, ended, and given what they wait for (AGENTS_AND_TOOLS §5, ENGINE §12).

Everything raises MetierError: NotFound for a run that there is not, StorageFailed, and what is named besides.
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
    """Runs, newest first; those below a run oldest first. `next_cursor` leads to the rest, None where there is none."""

    runs: Sequence[Run]
    next_cursor: RunId | None = None


class Executions(Protocol):
    """Starts runs for calls of tools."""

    async def execute(
        self,
        context: CallContext,
        template_id: TemplateId,
        given: Mapping[str, Any],
        *,
        timeout_ms: int | None,
        wait: bool,
    ) -> Run:
        """Run a template below the run that makes the call, or as a root where no run makes it; the same call gives the
        same run.

        Comes back when it has been written down, or with `wait` when it has ended. Below another run it is cancelled
        with a call that waits for it; a root goes on, and `wait` comes back too when it only waits for a person.
        Raises `not_found`, `bad_input`, `invalid_template`, `too_deep`, `key_missing`.
        """
        ...


class Runs(Executions, Protocol):
    """All that a call may do about runs. Whether it may reach them at all is settled before it is made."""

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
        """Those that began by themselves, of one workflow or of all, or those below `parent`."""
        ...

    async def describe(self, run_id: RunId) -> dict[str, Any]:
        """Everything about a run (COMMAND_LINE)."""
        ...

    async def asked(self, run_id: RunId) -> list[dict[str, Any]]:
        """The open interruptions of the run and of those below it, as COMMAND_LINE has them."""
        ...

    async def cancel(self, run_id: RunId) -> Run:
        """End the run and all below it. One that has ended stays as it is."""
        ...

    async def answer(
        self,
        context: CallContext,
        run_id: RunId,
        answer: Answer,
        *,
        interruption: InterruptionId | None,
        step: str | None,
    ) -> None:
        """Answer what the run, or one below it, waits for, and come back when that is on disk.

        Raises `not_allowed` for what the run that makes the call asks, or one above it, and for a consent: only people
        give that; else as `core.engine.runs.engine.Engine.answer`.
        """
        ...

    async def go_on(self, context: CallContext, run_id: RunId, *, wait: bool) -> Run:
        """Take the run up if nobody is at it, and come back at once, or with `wait` when it has ended or only waits for
        a person.

        Raises `not_allowed` for a run that would wait for itself.
        """
        ...
