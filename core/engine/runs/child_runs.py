"""Child runs: their ids, their start requests and their outputs (ENGINE §12)."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.domain.ids import CallId, RunId, TemplateId, id_from_key
from core.domain.run import Run, RunStatus, Snapshot, StepKey
from core.domain.settings import Settings
from core.domain.template import WorkflowCall
from core.domain.text.json_text import decode
from core.engine.plan.dispatch import StepCall
from core.engine.runs.driver import Driver
from core.engine.runs.recovery import Recovery
from core.engine.runs.run_registry import ActiveRun, stored_run
from core.engine.runs.scheduler import Scheduler
from core.engine.runs.start_request import StartRequest, creation_records
from core.errors import NotFound, Refused, StepFailed
from core.ports import CallContext, Schemas, StepAgentResolver, Storage, TemplateResolver


@dataclass(frozen=True, slots=True)
class ChildRunRequest:
    """The template that a run starts as its child, and the input. `awaited`: the parent waits for the end."""

    template_id: TemplateId | None
    title: str | None
    input: Mapping[str, Any]
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

    async def request(self, parent: Run, snapshot: Snapshot, child: ChildRunRequest) -> StartRequest:
        """Return the start request: the newest version of the template, under the rules of the parent.

        Raises Refused: `too_deep`, `not_resolved`, `invalid_template`.
        """
        limit = self._settings().max_depth
        if parent.depth + 1 > limit:
            raise Refused("too_deep", f"runs start each other {limit} deep; that is the limit", limit=limit)
        resolved = await self._templates.named(child.template_id, child.title)
        if child.timeout_ms is not None:
            template = resolved.template.model_copy(update={"timeout_ms": child.timeout_ms})
            resolved = replace(resolved, template=template)
        workflow = await self._storage.workflows.get(parent.workflow_id)
        if workflow is None:
            raise NotFound("workflow", parent.workflow_id)
        cast = self._casting(resolved.template, snapshot.profile, snapshot.model)
        return StartRequest.child(parent, snapshot, workflow, resolved, child.input, awaited=child.awaited, cast=cast)


class ChildRuns:
    """Starts child runs, and waits for them."""

    def __init__(
        self, storage: Storage, schemas: Schemas, requests: ChildStartRequests, scheduler: Scheduler, recovery: Recovery
    ) -> None:
        self._storage = storage
        self._schemas = schemas
        self._requests = requests
        self._scheduler = scheduler
        self._registry = scheduler.registry
        self._recovery = recovery

    async def run(self, parent: Driver, call: StepCall, attempt: int, workflow: WorkflowCall) -> Any:
        """Run another template to its end as a step of `parent`; the same step and attempt use the same child run.

        Raises StepFailed: `child_failed` with its error, `too_deep`, `not_found`, `bad_input`.
        """
        if not isinstance(call.input, dict):
            raise StepFailed("bad_input", "the input of another template is an object")
        run_id = step_child_id(parent.run.id, call.key, attempt)
        template_id = TemplateId(workflow.template_id) if workflow.template_id is not None else None
        child = await self._child(run_id, parent, ChildRunRequest(template_id, workflow.title, call.input))
        if child is not None:
            await self._wait(child, parent, call.key)
        return child_output(await stored_run(self._storage, run_id))

    async def execute(self, context: CallContext, request: ChildRunRequest) -> Run:
        """Start a child run for a tool call, and wait for it if it is awaited; the same call uses the same child run.

        Raises StepFailed `not_found` if the run that makes the call is not active, and as `run`.
        """
        parent = self._registry.get(context.run_id)
        if parent is None or parent.driver is None:
            raise StepFailed("not_found", f"the run {context.run_id!r} is not at work")
        run_id = call_child_id(context.run_id, context.call_id)
        child = await self._child(run_id, parent.driver, request)
        if request.awaited and child is not None:
            await self._wait(child, parent.driver, parent.driver.steps.in_flight.key_of(context.call_id))
        return await stored_run(self._storage, run_id)

    async def _wait(self, child: ActiveRun, parent: Driver, key: StepKey | None) -> None:
        """Wait until the child run has ended; cancellation cancels it too.

        While it waits for the user, so does the step of the parent that awaits it.
        """
        if key is not None:
            child.parent = (parent, key)
            parent.set_child_waiting(key, is_waiting=child.is_waiting)
        try:
            await child.ended.wait()
        except asyncio.CancelledError:
            await self._scheduler.cancel(child)
            raise
        finally:
            if key is not None:
                parent.set_child_waiting(key, is_waiting=False)

    async def _child(self, run_id: RunId, parent: Driver, request: ChildRunRequest) -> ActiveRun | None:
        """Return the child run: active already, recovered from a previous process, or new; None if it has ended."""
        if (active := self._registry.get(run_id)) is not None:
            return active
        stored = await self._storage.runs.get(run_id)
        if stored is not None:
            return None if stored.status.is_final else await self._recover(run_id)
        try:
            start = await self._requests.request(parent.run, parent.snapshot, request)
            start = await start.with_valid_input(self._schemas)
            # taken last: the user may have allowed something while the input was checked
            start = replace(start, allowances=parent.access.lasting)
        except Refused as error:
            raise StepFailed(error.code, error.message, **error.parameters) from None
        child = self._scheduler.register(run_id, start)
        facts, writes = creation_records(start, child.run, child.snapshot)
        is_ours = partial(self._scheduler.is_stored, child.run)
        creating = self._scheduler.tasks.create_task(
            child.log.create_below(parent.log, *facts, writes=writes, is_ours=is_ours)
        )
        try:
            # the write goes on when the step is cancelled, since a part of it may be on disk already
            lost = await asyncio.shield(creating)
        except asyncio.CancelledError:
            self._scheduler.spawn_cleanup(self._cancel_created(child, creating))
            raise
        if lost:  # a write of unknown outcome was repeated
            self._registry.remove(child)
            return await self._recover(run_id)
        owner = self._registry.get(parent.run.id)
        is_unwanted = owner is None or (owner.is_finished and (child.run.awaited or not owner.is_success))
        if child.is_cancelled or is_unwanted:  # while it was being written
            await self._scheduler.cancel_queued(child)
            return child
        self._scheduler.begin(child)
        if owner is not None and owner.is_finished:  # it succeeded meanwhile, and does not wait for this run
            self._scheduler.change_root(child, None)
        return child

    async def _recover(self, run_id: RunId) -> ActiveRun | None:
        await self._recovery.recover(run_id)
        return self._registry.get(run_id)

    async def _cancel_created(self, child: ActiveRun, creating: "asyncio.Task[frozenset[int]]") -> None:
        """Cancel a run that is no longer wanted as soon as it is written.

        While the app is closing it is left unchanged: the next process continues the step that wanted it, and the run.
        """
        if await creating or self._scheduler.is_closing:
            self._registry.remove(child)
        else:
            await self._scheduler.cancel_queued(child)


def step_child_id(run_id: RunId, key: StepKey, attempt: int) -> RunId:
    """Return the id of the run that a step starts: the same step and attempt return the same id, also after a crash."""
    return RunId(id_from_key("run", f"{run_id} {key} {attempt}"))


def call_child_id(run_id: RunId, call_id: CallId) -> RunId:
    """Return the id of the run that a tool call starts; it is derived from the call."""
    return RunId(id_from_key("run", f"{run_id} call {call_id}"))


def child_output(run: Run) -> Any:
    """Return the output of a finished child run. Raises StepFailed `child_failed` with its error."""
    if run.status is RunStatus.SUCCESS:
        return decode(run.output_json or "null")
    error = run.error.as_dict() if run.error else {"code": run.status, "message": f"it was {run.status}"}
    raise StepFailed("child_failed", f"{run.title}: {error['message']}", child_run_id=run.id, error=error)
