"""Records the calls of an agent (ENGINE §11), and controls recordings from within a run."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.run import Run
from core.domain.tool import CallResult, Effect
from core.ports.journal import Companion


class CallRecorder(Protocol):
    """The calls of a run as the open recording of its workflow sees them. Without a recording it changes nothing."""

    async def open(self) -> None:
        """Look up the open recording. Call it once the calls of a part are known, before they are named.

        Raises StorageFailed.
        """

    @property
    def guide(self) -> str | None:
        """The instructions for the model while a recording is open."""

    def note(self, call_id: CallId, tool: str, arguments: Any) -> None:
        """Keep the arguments of a requested call as the model wrote them."""

    def assign_names(self, calls: Sequence[tuple[CallId, str, Any]]) -> int:
        """Assign step names to the first calls (id, tool, written arguments), and return how many may be made together.

        A call that refers to one of them, or that follows a change of the recording, has to wait.
        """

    def resolve(self, call_id: CallId, arguments: Any) -> Any:
        """Return the arguments with their refs replaced, or the result of a call that is not made.

        That is `invalid_arguments` if a ref has no value, or the preset result of the step.
        """

    async def settle(self, call_id: CallId, arguments: Any) -> None:
        """Set the arguments with which the call is made: the user may have edited them."""

    def call_started(self, call_id: CallId, tool: str, shown: Any, effect: Effect) -> Companion | None:
        """Return the recording's part of the ledger entry of a started call; `shown` are its arguments there."""

    def call_ended(self, call_id: CallId, kept: CallResult, raw: Any) -> Companion | None:
        """Return the recording's part of the ledger entry of a finished call; `raw` is its value with secrets."""

    def close(self) -> None:
        """Release the names of calls that were never made: the turn is over."""


class NoRecorder:
    """A `CallRecorder` that records nothing."""

    guide: str | None = None

    async def open(self) -> None:
        return

    def note(self, call_id: CallId, tool: str, arguments: Any) -> None:
        return

    def assign_names(self, calls: Sequence[tuple[CallId, str, Any]]) -> int:
        return len(calls)

    def resolve(self, call_id: CallId, arguments: Any) -> Any:
        return arguments

    async def settle(self, call_id: CallId, arguments: Any) -> None:
        return

    def call_started(self, call_id: CallId, tool: str, shown: Any, effect: Effect) -> Companion | None:
        return None

    def call_ended(self, call_id: CallId, kept: CallResult, raw: Any) -> Companion | None:
        return None

    def close(self) -> None:
        return


NO_RECORDER = NoRecorder()


class RunRecordings(Protocol):
    """The recordings of the store, as the engine sees them."""

    def recorder(self, run: Run, *, is_fresh: bool) -> CallRecorder:
        """Return the recorder of the run's agent calls. `is_fresh`: no previous process began the run."""

    async def cancel(self, run: Run) -> None:
        """Cancel an open recording; an ended recording stays unchanged."""

    def forget(self, workflow_id: WorkflowId) -> None:
        """Drop the recording of the workflow from memory: nothing is recorded any more."""


class Recordings(Protocol):
    """The recordings of the store, as tools see them. All methods raise Refused, NotFound or StorageFailed."""

    async def find_open(self, workflow_id: WorkflowId) -> RunId | None:
        """Return the open recording of the workflow."""

    async def start(self, workflow_id: WorkflowId, given: Mapping[str, Any] | None) -> RunId:
        """Start a recording in the workflow, or continue the open recording; `given` replaces its input."""

    async def guide(self, run_id: RunId) -> str:
        """Return the instructions for a model while the recording is open."""

    async def preset(self, run_id: RunId, step: str, output: Any) -> None:
        """Set the result of a step of a recording or of an active run, instead of running it."""

    async def review(self, run_id: RunId) -> Mapping[str, Any]:
        """Return what an export would contain, as a JSON value."""

    async def seal(self, run_id: RunId, wishes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Export the recording as a template; `wishes` as in `core.recording.template_builder.ExportOptions`."""

    async def end(self, run_id: RunId) -> None:
        """End the recording without a template."""

    async def workflow_of(self, run_id: RunId) -> WorkflowId:
        """Return the workflow of the run."""
