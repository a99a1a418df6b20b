"""Runs that other runs begin: which they are, what they are started with, and what they give (ENGINE §12)."""

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
    """Which template a run starts below itself, and with what. `awaited`: it waits for the end."""

    template_id: TemplateId | None
    title: str | None
    given: Mapping[str, Any]
    timeout_ms: int | None = None
    awaited: bool = True


class ChildStartRequests:
    """Finds out what a child is to be started with."""

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
        """Under the rules that the parent was started with; the template's newest version.

        Raises Refused: `too_deep`, `not_found`, `invalid_template`.
        """
        limit = self._settings().max_depth
        if parent.depth + 1 > limit:
            raise Refused("too_deep", f"runs start each other {limit} deep; that is the limit", limit=limit)
        found = await self._templates.named(wanted.template_id, wanted.title)
        if wanted.timeout_ms is not None:
            template = found.template.model_copy(update={"timeout_ms": wanted.timeout_ms})
            found = replace(found, template=template)
        workflow = await self._storage.workflow(parent.workflow_id)
        if workflow is None:
            raise NotFound("workflow", parent.workflow_id)
        cast = self._casting(found.template, snapshot.profile, snapshot.model)
        return StartRequest.child(parent, snapshot, workflow, found, wanted.given, awaited=wanted.awaited, cast=cast)


def step_child_id(run_id: RunId, key: StepKey, attempt: int) -> RunId:
    """The run that a step begins: the same step and attempt give the same one, after a crash too."""
    return RunId(id_from_key("run", f"{run_id} {key} {attempt}"))


def call_child_id(run_id: RunId, call_id: CallId) -> RunId:
    """The run that a tool call begins: likewise."""
    return RunId(id_from_key("run", f"{run_id} call {call_id}"))


def ends_with_parent(run: Run, above: Run | None) -> bool:
    """Whether the end of the run that began it ends this one: it failed, or it waited for it (ENGINE §12).

    `above` is the row of that run; what cannot be read tells nothing.
    """
    if above is None or not above.status.is_final or _is_unreadable(above):
        return False
    return above.status is not RunStatus.SUCCESS or run.awaited


def current_root(run: Run, above: Run | None) -> RunId | None:
    """The root of a run that goes on: the one at the top of the chain; None if it is one itself, since the run that
    began it has ended."""
    if above is None or _is_unreadable(above):
        return run.root
    return None if above.status.is_final else above.root or above.id


def _is_unreadable(run: Run) -> bool:
    return run.error is not None and run.error.code == "unreadable"


def child_output(run: Run) -> Any:
    """What a child that has ended gave. Raises StepFailed `child_failed` with its error."""
    if run.status is RunStatus.SUCCESS:
        return decode(run.output_json or "null")
    error = run.error.as_dict() if run.error else {"code": run.status, "message": f"it was {run.status}"}
    raise StepFailed("child_failed", f"{run.title}: {error['message']}", child_run_id=run.id, error=error)
