"""Runs as tools use them, from inside and outside of a run: a `core.ports.executions.Runs`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core.domain.ids import InterruptionId, RunId, TemplateId, WorkflowId, id_from_key
from core.domain.interruption import CALL_KINDS, CONSENTING_KINDS, Action, Answer, Interruption
from core.domain.run import Run, RunStatus
from core.domain.template import stricter_mode
from core.engine.runs.child_runs import call_child_id
from core.engine.runs.engine import Engine
from core.errors import NotFound, Refused
from core.ports import PAGE_ROWS, CallContext, RunPage, Storage, TemplateResolver
from core.services.lookup import require_run
from core.services.outcome import unwrap
from core.services.runs import RunService


class ExecutionService:
    """Executes, lists, answers and cancels runs for tools. A call from outside acts for the user; a call from a run
    never does.
    """

    def __init__(self, engine: Engine, runs: RunService, templates: TemplateResolver, storage: Storage) -> None:
        self._engine = engine
        self._runs = runs
        self._templates = templates
        self._storage = storage

    async def execute(
        self,
        context: CallContext,
        template_id: TemplateId,
        run_input: Mapping[str, Any],
        *,
        timeout_ms: int | None,
        wait: bool,
    ) -> Run:
        if not context.is_outside:
            return await self._engine.execute(context, template_id, run_input, timeout_ms=timeout_ms, wait=wait)
        template = await self._templates.named(template_id, None)
        # A client can save templates: theirs may be stricter than the settings, never laxer.
        own_mode = template.template.mode
        mode = context.mode if own_mode is None else stricter_mode(own_mode, context.mode)
        run = unwrap(
            await self._runs.start(
                template,
                run_input,
                mode=mode,
                allow=(*context.allow, *context.origins),
                key=_outside_key(context),
                timeout_ms=timeout_ms,
            )
        )
        return await self._engine.wait(run.id) if wait else run

    async def find(self, run_id: RunId) -> Run:
        return self._as_seen(await require_run(self._storage, run_id))

    def _as_seen(self, run: Run) -> Run:
        """Return the run as it is in this process: a run whose events cannot be stored is paused (ENGINE §10)."""
        return run if self._runs.pause_reason(run) is None else replace(run, status=RunStatus.PAUSED)

    async def listed(
        self,
        *,
        workflow_id: WorkflowId | None = None,
        parent: RunId | None = None,
        status: RunStatus | None = None,
        limit: int,
        before: RunId | None = None,
    ) -> RunPage:
        if parent is not None:
            await self.find(parent)
            children = await self._storage.runs.children(parent)
            return _page_of([self._as_seen(run) for run in children], status, limit, before)
        if before is not None:
            await self.find(before)
        page: list[Run] = []
        # one more than asked for shows whether there is another page
        while len(page) <= limit:
            count = min(limit + 1 - len(page), PAGE_ROWS)
            rows = await self._storage.runs.page(status=status, workflow_id=workflow_id, limit=count, before=before)
            page += rows
            if len(rows) < count:
                break
            before = rows[-1].id
        shown = [self._as_seen(run) for run in page[:limit]]
        return RunPage(shown, page[limit - 1].id if len(page) > limit else None)

    async def describe(self, run_id: RunId) -> dict[str, Any]:
        run = await self.find(run_id)
        description = unwrap(await self._runs.describe(run_id))
        return {
            **description,
            "template_id": run.template_id,
            "template_version": run.template_version,
            "parent_run_id": run.parent,
        }

    async def asked(self, run_id: RunId) -> list[dict[str, Any]]:
        return unwrap(await self._runs.pending(run_id))

    async def cancel(self, run_id: RunId) -> Run:
        return self._as_seen(unwrap(await self._runs.cancel(run_id)))

    async def answer(
        self,
        context: CallContext,
        run_id: RunId,
        answer: Answer,
        *,
        interruption: InterruptionId | None,
        step: str | None,
    ) -> None:
        run = await self.find(run_id)
        require = await self._answer_check(context, answer)
        await self._continue(run)
        unwrap(await self._runs.answer(run_id, answer, interruption=interruption, step=step, require=require))
        await self._engine.flush(run_id)

    async def go_on(self, context: CallContext, run_id: RunId, *, wait: bool) -> Run:
        run = await self.find(run_id)
        # two runs that wait for each other would never end
        if wait and not context.is_outside and context.run_id not in await self._ancestors(run):
            raise Refused("not_allowed", "a run can wait for those below it alone", run=run_id)
        await self._continue(run)
        return await self._engine.wait(run_id) if wait else await self.find(run_id)

    async def _continue(self, run: Run) -> None:
        if not run.status.is_final:
            unwrap(await self._runs.recover(run.root or run.id))

    async def _answer_check(self, context: CallContext, answer: Answer) -> Callable[[Interruption], None]:
        """Return a check that raises if a call from this context may not answer so (AGENTS_AND_TOOLS §5)."""
        if context.is_outside:
            may_consent = context.may_approve or answer.action is Action.REJECT
            return (lambda interruption: None) if may_consent else _require_no_consent
        own = {context.run_id, *await self._ancestors(await self.find(context.run_id))}

        def require(interruption: Interruption) -> None:
            if interruption.run_id in own:
                raise Refused("not_allowed", "a run cannot answer what it asks itself, or what a run above it asks")
            if interruption.ask.kind in CALL_KINDS:
                raise Refused("not_allowed", "only a person can consent to the call of a tool")

        return require

    async def _ancestors(self, run: Run) -> set[RunId]:
        """Return the ids of all ancestors of the run, finished ancestors included."""
        ancestors: set[RunId] = set()
        parent = run.parent
        while parent is not None and parent not in ancestors:
            ancestors.add(parent)
            above = await self._storage.runs.get(parent)
            parent = above.parent if above is not None else None
        return ancestors


def _require_no_consent(interruption: Interruption) -> None:
    """Raise Refused `not_allowed` if the answer would let a tool be called."""
    ask = interruption.ask
    if ask.kind in CALL_KINDS or (ask.tool is not None and ask.kind in CONSENTING_KINDS):
        message = (
            f"only the user can consent to the call of {ask.tool}: in the window, with `answer`, or by starting the "
            "server with --allow-approvals"
        )
        raise Refused("not_allowed", message, tool=ask.tool)


def outside_run_id(context: CallContext) -> RunId:
    """Return the id of the run that a call from outside starts."""
    return RunId(id_from_key("run", _outside_key(context)))


def _outside_key(context: CallContext) -> str:
    return call_child_id(context.run_id, context.call_id)


def _page_of(runs: list[Run], status: RunStatus | None, limit: int, after: RunId | None) -> RunPage:
    """Return the page after `after`, whose status may have changed since."""
    start = 0
    if after is not None:
        indexes = [index for index, run in enumerate(runs) if run.id == after]
        if not indexes:
            raise NotFound("run", after)
        start = indexes[0] + 1
    rest = [run for run in runs[start:] if status in (None, run.status)]
    return RunPage(rest[:limit], rest[limit - 1].id if len(rest) > limit else None)
