"""Child runs: their ids, their start requests and their outputs (ENGINE §12)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.domain.ids import CallId, RunId, TemplateId, id_from_key
from core.domain.run import Run, RunStatus, Snapshot, StepKey
from core.domain.settings import Settings
from core.domain.text.json_text import decode
from core.engine.runs.start_request import StartRequest
from core.errors import NotFound, Refused, StepFailed
from core.ports.agents import StepAgentResolver
from core.ports.storage import Storage
from core.ports.templates import TemplateResolver


@dataclass(frozen=True, slots=True)
class ChildRunRequest:
    """The template that a run starts as its child, and the input. `awaited`: the parent waits for the end."""

    template_id: TemplateId | None
    title: str | None
    given: Mapping[str, Any]
    timeout_ms: int | None = None
    awaited: bool = True


class ChildStartRequests:
    """Builds the start requests of child runs."""

    def __init__(
        self,
        storage: Storage,
        templates: TemplateResolver,
        settings: Callable[[], Settings],
        casting: StepAgentResolver,
    ) -> None:
        self._storage = storage
        self._casting = casting
        self._templates = templates
        self._settings = settings

    async def request(self, parent: Run, snapshot: Snapshot, wanted: ChildRunRequest) -> StartRequest:
        """Return the start request: the newest version of the template, under the rules of the parent.

        Raises Refused: `too_deep`, `not_found`, `invalid_template`.
        """
        limit = self._settings().max_depth
        if parent.depth + 1 > limit:
            raise Refused("too_deep", f"runs start each other {limit} deep; that is the limit", limit=limit)
        found = await self._templates.named(wanted.template_id, wanted.title)
        if wanted.timeout_ms is not None:
            template = found.template.model_copy(update={"timeout_ms": wanted.timeout_ms})
            found = replace(found, template=template)
        workflow = await self._storage.workflows.get(parent.workflow_id)
        if workflow is None:
            raise NotFound("workflow", parent.workflow_id)
        cast = self._casting(found.template, snapshot.profile, snapshot.model)
        return StartRequest.child(parent, snapshot, workflow, found, wanted.given, awaited=wanted.awaited, cast=cast)


def step_child_id(run_id: RunId, key: StepKey, attempt: int) -> RunId:
    """Return the id of the run that a step starts: the same step and attempt return the same id, also after a crash."""
    return RunId(id_from_key("run", f"{run_id} {key} {attempt}"))


def call_child_id(run_id: RunId, call_id: CallId) -> RunId:
    """Return the id of the run that a tool call starts; it is derived from the call."""
    return RunId(id_from_key("run", f"{run_id} call {call_id}"))


def ends_with_parent(run: Run, above: Run | None) -> bool:
    """Return whether the end of the parent run ends this run too: the parent failed, or it was waiting for this run.

    `above` is the row of the parent. The state of an unreadable parent is unknown, so the run continues (ENGINE §12).
    """
    if above is None or not above.status.is_final or _is_unreadable(above):
        return False
    return above.status is not RunStatus.SUCCESS or run.awaited


def current_root(run: Run, above: Run | None) -> RunId | None:
    """Return the root of a recovered run: the top of its chain; None if its parent has ended and it is a root
    itself."""
    if above is None or _is_unreadable(above):
        return run.root
    return None if above.status.is_final else above.root or above.id


def _is_unreadable(run: Run) -> bool:
    return run.error is not None and run.error.code == "unreadable"


def child_output(run: Run) -> Any:
    """Return the output of a finished child run. Raises StepFailed `child_failed` with its error."""
    if run.status is RunStatus.SUCCESS:
        return decode(run.output_json or "null")
    error = run.error.as_dict() if run.error else {"code": run.status, "message": f"it was {run.status}"}
    raise StepFailed("child_failed", f"{run.title}: {error['message']}", child_run_id=run.id, error=error)
