"""What the tools for recordings share: which recording is addressed, and refusals as results."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.domain.ids import RunId
from core.errors import Refused, ToolFailed
from core.ports.recording import Recordings
from core.ports.tools import CallContext

RUN_ID = {"type": "string", "minLength": 1, "maxLength": 200}


@contextmanager
def told() -> Iterator[None]:
    """Convert a refusal to the failure of the call. Raises ToolFailed."""
    try:
        yield
    except Refused as error:
        raise ToolFailed(error.code, error.message, **error.parameters) from None


async def meant(recordings: Recordings, run_id: str | None, context: CallContext) -> RunId:
    """Return the run of that id, which must belong to the call's workflow; without an id the workflow's open recording.

    Raises Refused, ToolFailed `not_allowed`, `not_recording`.
    """
    if run_id is None:
        found = await recordings.find_open(context.workflow_id)
        if found is None:
            raise ToolFailed("not_recording", "no recording is open in this conversation")
        return found
    if await recordings.workflow_of(RunId(run_id)) != context.workflow_id:
        raise ToolFailed("not_allowed", f"the run {run_id!r} belongs to another conversation")
    return RunId(run_id)
