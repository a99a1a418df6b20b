"""An open recording, and what starts it (ENGINE §11)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from core.domain.ids import CallId, WorkflowId
from core.domain.recording import Recording
from core.domain.run import Run, Snapshot
from core.engine.log.run_journal import RunJournal
from core.ports import Companion


@dataclass(slots=True, eq=False)
class OpenRecording:
    """A recording that accepts steps.

    `names` are assigned to calls that have not been published yet; `at_work` names the calls in progress.
    """

    run: Run
    snapshot: Snapshot
    log: RunJournal
    recording: Recording
    names: dict[CallId, str] = field(default_factory=dict)
    at_work: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class RecordingStart:
    """The start of a recording, or a new input, to be committed together with a run.

    Call `confirm` once it is on disk, or else `discard`.
    """

    opened: OpenRecording
    companion: Companion | None
    discard: Callable[[], None] = lambda: None

    def confirm(self) -> None:
        """Apply the facts to the recording."""
        for fact in self.companion.facts if self.companion is not None else ():
            self.opened.recording.apply(fact)


class RecordingSource(Protocol):
    """Where a recorder finds the recording of its workflow."""

    async def find_open(self, workflow_id: WorkflowId) -> OpenRecording | None:
        """Return the open recording of the workflow. Raises StorageFailed."""

    async def ended_since(self, workflow_id: WorkflowId, since: datetime) -> OpenRecording | None:
        """Return a recording of the workflow that was still open at that time and has ended since."""
