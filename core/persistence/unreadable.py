"""Runs whose rows cannot be read: shown as `error`, code `unreadable`, with the fields that are known."""

from dataclasses import replace
from datetime import datetime

from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus
from core.errors import StorageFailed

UNREADABLE = "unreadable"
BROKEN_ROW = "the row of the run cannot be read"


def as_unreadable(run: Run, reason: str) -> Run:
    """Return the run as an `unreadable` error."""
    return replace(run, status=RunStatus.ERROR, output_json=None, error=_error(reason))


def placeholder(
    run_id: RunId, workflow_id: WorkflowId, message_id: MessageId, created_at: datetime, reason: str | None
) -> Run:
    """Return the run to show for a broken row; `reason` is its mark's, if any."""
    return Run(
        run_id,
        workflow_id,
        RunKind.WORKFLOW,
        "",
        RunStatus.ERROR,
        message_id,
        created_at,
        error=_error(reason or BROKEN_ROW),
    )


def unreadable_error(run_id: RunId, what: str) -> StorageFailed:
    """Return the failure of reading `what` (a plural) of a run."""
    return StorageFailed(UNREADABLE, f"the {what} of run {run_id} cannot be read", run_id=run_id)


def _error(reason: str) -> ErrorInfo:
    return ErrorInfo(UNREADABLE, reason, failed_during="storage")
