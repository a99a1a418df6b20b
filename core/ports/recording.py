"""Recording the calls of an agent (ENGINE §11), and what begins, fills and ends a recording from within a run."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.tool import CallResult, Effect
from core.ports.journal import Companion


class CallRecorder(Protocol):
    """The calls of one run, as the open recording of its workflow sees them; without one it lets everything pass."""

    async def open(self) -> None:
        """Find out whether a recording is open. To be awaited before the calls of a part are named, once they are
        known. Raises StorageFailed."""
        ...

    @property
    def guide(self) -> str | None:
        """What the model is told while a recording is open."""
        ...

    def know(self, call_id: CallId, tool: str, arguments: Any) -> None:
        """The model asks for this call, with the arguments as it wrote them."""
        ...

    def name(self, calls: Sequence[tuple[CallId, str, Any]]) -> int:
        """Give the first of these calls (id, tool, arguments as written) their names, and say how many may be made
        together: a call that refers to one of them, and what comes after a change of the recording, has to wait."""
        ...

    def resolve(self, call_id: CallId, arguments: Any) -> Any:
        """The arguments with their refs replaced; or the result of a call that is not made: `invalid_arguments` where
        a ref has no value, or a result that was preset."""
        ...

    async def settle(self, call_id: CallId, arguments: Any) -> None:
        """The call is made with these arguments: a person may have changed those that it had."""
        ...

    def begun(self, call_id: CallId, tool: str, shown: Any, effect: Effect) -> Companion | None:
        """What the recording tells when the call is written into the ledger; `shown` are its arguments there."""
        ...

    def ended(self, call_id: CallId, kept: CallResult, raw: Any) -> Companion | None:
        """Likewise when it has ended; `raw` is its value, with the secrets that are not kept."""
        ...

    def close(self) -> None:
        """The turn is over: names of calls that were never made are free again."""
        ...


class NoRecorder:
    """A `CallRecorder` where nothing is ever recorded."""

    guide: str | None = None

    async def open(self) -> None:
        return

    def know(self, call_id: CallId, tool: str, arguments: Any) -> None:
        return

    def name(self, calls: Sequence[tuple[CallId, str, Any]]) -> int:
        return len(calls)

    def resolve(self, call_id: CallId, arguments: Any) -> Any:
        return arguments

    async def settle(self, call_id: CallId, arguments: Any) -> None:
        return

    def begun(self, call_id: CallId, tool: str, shown: Any, effect: Effect) -> Companion | None:
        return None

    def ended(self, call_id: CallId, kept: CallResult, raw: Any) -> Companion | None:
        return None

    def close(self) -> None:
        return


NO_RECORDER = NoRecorder()


class Recordings(Protocol):
    """The recordings of the store, as tools see them. All raise Refused, NotFound or StorageFailed."""

    async def open_of(self, workflow_id: WorkflowId) -> RunId | None:
        """The open recording of the workflow."""
        ...

    async def start(self, workflow_id: WorkflowId, given: Mapping[str, Any] | None) -> RunId:
        """Begin to record beside the conversation, or go on with the open recording; `given` is its input from now
        on."""
        ...

    async def guide(self, run_id: RunId) -> str:
        """What a model is told of the recording."""
        ...

    async def preset(self, run_id: RunId, step: str, output: Any) -> None:
        """Give the result of a step of a recording, or of a run at work; it is not run."""
        ...

    async def review(self, run_id: RunId) -> Mapping[str, Any]:
        """What sealing would make of it, as a JSON value."""
        ...

    async def seal(self, run_id: RunId, wishes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Make a template of it; `wishes` as in `core.recording.template_builder.ExportOptions`."""
        ...

    async def end(self, run_id: RunId) -> None:
        """End it without a template."""
        ...

    async def workflow_of(self, run_id: RunId) -> WorkflowId:
        """The workflow that the run is in."""
        ...
