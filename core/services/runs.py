"""Runs: started from a template, followed, cancelled, described."""

from collections.abc import AsyncIterator, Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.domain.agent import AgentSelection
from core.domain.events import Event, ToolEndedLate, fact_fields, iso_time
from core.domain.fold import replay
from core.domain.ids import CallId, InterruptionId, RunId, WorkflowId, new_id
from core.domain.interruption import Answer, Interruption
from core.domain.live_run import LiveRun, LiveStep, LiveSubAgent
from core.domain.messages import AttachedText, with_input
from core.domain.run import Run, RunKind, RunStatus, StepKey, StepStatus
from core.domain.template import AgentAction, ValidationMode
from core.domain.text.json_text import decode
from core.domain.tokens import rounded_cost
from core.domain.tool import CallStatus
from core.domain.workflow import Workflow
from core.engine.runs.child_runs import step_child_id
from core.engine.runs.engine import Engine
from core.engine.runs.start_request import StartRequest
from core.errors import NotFound
from core.ports.clock import Clock
from core.ports.storage import Storage
from core.ports.templates import ResolvedTemplate
from core.services.agents import OFFLINE, AgentService
from core.services.attachments import require_within_limits
from core.services.chat import message_fields
from core.services.key_check import KeyCheck, key_missing, refusal
from core.services.outcome import returns_outcome

PAGE_SIZE = 200
_UNFINISHED = frozenset({StepStatus.RUNNING, StepStatus.RETRYING, StepStatus.WAITING})


class RunService:
    """Starts and manages runs of templates."""

    def __init__(
        self,
        engine: Engine,
        storage: Storage,
        clock: Clock,
        access: KeyCheck,
        agents: AgentService,
    ) -> None:
        self._engine = engine
        self._storage = storage
        self._clock = clock
        self._access = access
        self._agents = agents

    @returns_outcome
    async def start(
        self,
        found: ResolvedTemplate,
        given: Mapping[str, Any],
        *,
        mode: ValidationMode | None = None,
        allow: Sequence[str] = (),
        base: str | None = None,
        key: str | None = None,
        gated: bool = False,
        queued: bool = False,
        timeout_ms: int | None = None,
        presets: Mapping[str, Any] | None = None,
        workflow_id: WorkflowId | None = None,
        prompt: str | None = None,
        answering: AgentSelection | None = None,
        attached: Sequence[AttachedText] = (),
    ) -> Run:
        """Start a template with the `given` input, in a workflow or in a new workflow titled after the template.

        `prompt` is the user's message that started it, with the texts `attached`; the template reads these as
        `@input.attachments`. `mode` defaults to the template's, else to auto. `timeout_ms` replaces the template's
        deadline in active time. `gated`: the user starts it in the window; `queued`: it may wait for a slot
        (StartRequest). `presets` are results of steps that are not run, by step name; a result that the step could not
        have fails with `bad_preset`.

        Agent steps use `answering`, else the workflow's, in a new workflow the default agent. Fails with `key_missing`
        if the model's key is missing.
        """
        template = found.template
        require_within_limits(attached)
        if timeout_ms is not None:
            template = template.model_copy(update={"timeout_ms": timeout_ms})
        workflow = await self._workflow(workflow_id, template.title)
        who = answering or workflow.answering or AgentSelection()
        profile, model = self._agents.cast(who)
        if model is not None and any(isinstance(step.action, AgentAction) for step in template.steps):
            granted = await self._access.granted(model)
            if granted is None:
                raise refusal(key_missing(model))
            model = granted
        cast = await self._access.all_granted(self._agents.for_steps(template, profile, model))
        agent = OFFLINE if model is None else profile.name
        return await self._engine.start(
            StartRequest(
                replace(workflow, agent=agent, answering=self._agents.settled(who, model)),
                template,
                with_input(given, attached),
                RunKind.WORKFLOW,
                prompt=prompt,
                mode=mode or template.mode or ValidationMode.AUTO,
                allow=tuple(allow),
                base=base,
                template_id=found.id,
                template_version=found.version,
                key=key,
                gated=gated,
                queued=queued,
                in_new_workflow=workflow_id is None,
                model=model,
                profile=profile,
                cast=cast,
                presets=presets or {},
                **(message_fields(workflow.id, attached) if attached else {}),
            )
        )

    async def _workflow(self, workflow_id: WorkflowId | None, title: str) -> Workflow:
        if workflow_id is None:
            now = self._clock.now()
            return Workflow(WorkflowId(new_id("wf")), title, OFFLINE, now, now)
        found = await self._storage.workflows.get(workflow_id)
        if found is None:
            raise NotFound("workflow", workflow_id)
        return found

    @returns_outcome
    async def cancel(self, run_id: RunId) -> Run:
        """Cancel the run and return it."""
        return await self._engine.cancel(run_id)

    @returns_outcome
    async def fork(self, run_id: RunId, step: str, given: Mapping[str, Any] | None = None) -> Run:
        """Run again from a step, keeping the results that do not depend on it (`Engine.fork`). Fails with `key_missing`
        if the model's key is missing.
        """
        await self._run(run_id)
        if (missing := await self._access.missing(run_id)) is not None:
            raise refusal(missing)
        return await self._engine.fork(run_id, step, given)

    @returns_outcome
    async def recover(self, only: RunId | None = None) -> list[RunId]:
        """Continue every unfinished run that no driver runs, or only that run. A run that waits for a key stays as it
        is, and is included in the returned ids.
        """
        unfinished = [
            one
            for one in await self._storage.runs.unfinished()
            if one.kind is not RunKind.RECORDING and not self._engine.drives(one.id)
        ]
        ids = {one.id for one in unfinished}
        tops = [one for one in unfinished if one.root not in ids and only in (None, one.id, one.root)]
        waiting = await self._access.waiting(tops)
        told = {*await self._engine.recover(only, waiting), *(one.id for one in tops if one.id in waiting)}
        return [one.id for one in unfinished if one.id in told]

    @returns_outcome
    async def events(self, run_id: RunId) -> list[Event]:
        """Return the stored events of a run, in order."""
        await self._run(run_id)
        return await self._storage.events.of_run(run_id)

    @returns_outcome
    async def describe(self, run_id: RunId) -> dict[str, Any]:
        """Return everything about a run as a JSON object (COMMAND_LINE)."""
        run = await self._run(run_id)
        live = replay(await self._storage.events.of_run(run_id))
        told = run_object(run, live, is_driven=self._engine.drives(run_id))
        asked = await self._interruptions(run_id)
        told["interruptions"] = [interruption_object(one) for one in asked]
        _reopen_calls(told, {one.ask.call_id for one in asked if one.is_open and one.run_id == run_id})
        if run.status is RunStatus.ENQUEUED and not self._engine.drives(run_id):
            missing = await self._access.missing(run_id)
            told["error"] = missing.as_dict() if missing is not None else None
        return told

    @returns_outcome
    async def answer(
        self,
        run_id: RunId,
        answer: Answer,
        *,
        interruption: InterruptionId | None = None,
        step: str | None = None,
        require: Callable[[Interruption], None] = lambda found: None,
    ) -> Interruption:
        """Answer an interruption of the run or of a descendant (`Engine.answer`). Fails with `key_missing` if the run
        could not continue with the answer; the interruption stays open.
        """
        run = await self._run(run_id)
        top = run.root or run.id
        if not self._engine.drives(top) and (missing := await self._access.missing(top)) is not None:
            raise refusal(missing)
        return await self._engine.answer(run_id, answer, interruption=interruption, step=step, require=require)

    @returns_outcome
    async def root_of(self, run_id: RunId) -> RunId:
        """Return the root of the run's tree; the run itself, if no other run started it."""
        run = await self._run(run_id)
        return run.root or run.id

    @returns_outcome
    async def open_interruptions(self) -> list[Interruption]:
        """Return the open interruptions of all runs, oldest first."""
        return await self._storage.interruptions.open()

    @returns_outcome
    async def asked(self, run_id: RunId) -> list[dict[str, Any]]:
        """Return the open interruptions of the run and of its descendants, oldest first."""
        await self._run(run_id)
        return [interruption_object(one) for one in await self._interruptions(run_id) if one.is_open]

    async def _interruptions(self, run_id: RunId) -> list[Interruption]:
        """Return the interruptions of the run and of its descendants, open interruptions first, then by age."""
        found, todo = list[Interruption](), [run_id]
        while todo:
            one = todo.pop()
            found += await self._storage.interruptions.of_run(one)
            todo += [child.id for child in await self._storage.runs.children(one) if child.root is not None]
        found.sort(key=lambda one: (not one.is_open, one.created_at, one.seq))
        return found

    async def newest(
        self, limit: int, status: RunStatus | None = None, *, is_archived: bool | None = None
    ) -> AsyncIterator[Run]:
        """Yield the newest runs, page by page: only archived workflows, only others, or both (None)."""
        archived = await self._storage.workflows.archived() if is_archived is not None else set()
        discarded = set(await self._storage.workflows.discarded())
        before: RunId | None = None
        while limit > 0:
            page = await self._storage.runs.page(status=status, limit=PAGE_SIZE, before=before)
            for run in page:
                is_meant = is_archived is None or (run.workflow_id in archived) is is_archived
                if limit > 0 and is_meant and run.workflow_id not in discarded:
                    yield run
                    limit -= 1
            if len(page) < PAGE_SIZE:
                return
            before = page[-1].id

    async def _run(self, run_id: RunId) -> Run:
        run = await self._storage.runs.get(run_id)
        if run is None:
            raise NotFound("run", run_id)
        return run


def run_summary(run: Run) -> dict[str, Any]:
    """Return a run as a line of a list."""
    return {
        "run_id": run.id,
        "workflow_id": run.workflow_id,
        "kind": run.kind,
        "title": run.title,
        "status": run.status,
        "created_at": iso_time(run.created_at),
        "finished_at": iso_time(run.finished_at) if run.finished_at else None,
    }


def interruption_object(one: Interruption) -> dict[str, Any]:
    """Return an interruption as JSON (COMMAND_LINE)."""
    return {
        **one.fields(),
        "run_id": one.run_id,
        "seq": one.seq,
        "created_at": iso_time(one.created_at),
        "expires_at": iso_time(one.expires_at) if one.expires_at else None,
    }


def run_object(run: Run, live: LiveRun | None, *, is_driven: bool) -> dict[str, Any]:
    """Return the run object of COMMAND_LINE from its row and the fold of its events."""
    head = {"type": "run", "run_id": run.id, "workflow_id": run.workflow_id, "title": run.title, "kind": run.kind}
    result = {
        "status": run.status,
        "output": decode(run.output_json) if run.output_json is not None else None,
        "error": run.error.as_dict() if run.error else None,
    }
    if live is None:
        return {**head, **result, **_empty_fields(run)}
    if run.status.is_final and not is_driven:
        _close_unfinished(live)
    calls = list(live.calls.values())
    sub_agents = live.sub_agents.values()
    return {
        **head,
        **result,
        "steps": {step.name: _step_object(run.id, step) for step in live.steps.values()},
        "execution_order": live.execution_order,
        "active": live.active if is_driven else [],
        "tool_calls": [
            {
                "id": call.id,
                "name": call.tool,
                "status": call.status,
                "args": call.arguments,
                "summary": call.summary,
                "error": call.error,
                "duration_ms": call.duration_ms,
                **({"late": _late_result(call.late)} if call.late is not None else {}),
                **({"sub_agent_id": call.sub_agent_id} if call.sub_agent_id is not None else {}),
            }
            for call in calls
        ],
        "sub_agents": [_sub_agent_object(one) for one in sub_agents],
        "active_tool_calls": [call.id for call in calls if call.status is CallStatus.RUNNING] if is_driven else [],
        "interruptions": [],
        "warnings": live.warnings,
        "metrics": {
            "tool_call_count": len(calls),
            "tool_execution_time_ms": live.tool_execution_time_ms,
            "total_rounds": live.total_rounds,
            "input_tokens": live.input_tokens,
            "output_tokens": live.output_tokens,
            "cost": rounded_cost(live.cost),
            "active_ms": run.active_ms,
        },
    }


def _late_result(late: ToolEndedLate) -> dict[str, Any]:
    """Return how a call ended after its time limit."""
    fields = fact_fields(late)
    del fields["call_id"]
    return fields


def _empty_fields(run: Run) -> dict[str, Any]:
    lists = ("execution_order", "active", "tool_calls", "sub_agents", "active_tool_calls", "interruptions", "warnings")
    return {"steps": {}, **{name: [] for name in lists}, "metrics": {"active_ms": run.active_ms}}


def _reopen_calls(told: dict[str, Any], asking: Container[CallId | None]) -> None:
    """Show calls that wait for the user as running: the process that made them was closed, the next continues them."""
    for call in told["tool_calls"]:
        if call["id"] in asking and call["status"] == CallStatus.CANCELLED:
            call.update(status=CallStatus.RUNNING, error=None, duration_ms=None)


def _close_unfinished(live: LiveRun) -> None:
    """Show nothing as running in a run that has ended without a driver: a crash took its last moments."""
    for step in live.steps.values():
        if step.status in _UNFINISHED:
            step.status = StepStatus.CANCELLED
    live.cancel_calls()


def _sub_agent_object(one: LiveSubAgent) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "agent": one.agent,
        "model": one.model,
        "status": one.status,
        "step": one.step,
        "index": one.index,
        "call_id": one.call_id,
        "text": str(one.text),
        "error": one.error,
        "input_tokens": one.input_tokens,
        "output_tokens": one.output_tokens,
        "cost": one.cost,
        "started_at": iso_time(one.started_at),
        "duration_ms": one.duration_ms,
    }


def _step_object(run_id: RunId, step: LiveStep) -> dict[str, Any]:
    told: dict[str, Any] = {
        "status": step.status,
        "skipped": step.skipped,
        "attempts": step.attempts,
        "attempt_errors": step.attempt_errors,
        "output": step.output,
        **({"raw": step.raw} if step.has_raw else {}),
        **({"console": step.console} if step.console else {}),
        **({"console_cut": True} if step.is_console_cut else {}),
        "error": step.error,
        "started_at": iso_time(step.started_at) if step.started_at else None,
        "finished_at": iso_time(step.finished_at) if step.finished_at else None,
    }
    if step.has_child and step.attempts:
        told["child_run_id"] = step_child_id(run_id, StepKey(step.name), step.attempts)
    if (items := step.iterations) is not None:
        told["iterations"] = {"total": items.total, "completed": items.completed, "failed": items.failed}
        told["errors"] = sorted(items.errors, key=lambda error: error["index"])
    return told
