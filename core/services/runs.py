"""Runs: started from a template, followed, cancelled, described."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from core.domain.access import kept_grants
from core.domain.agent import AgentSelection
from core.domain.events import Event
from core.domain.fold import replay
from core.domain.grants import FolderGrant
from core.domain.ids import InterruptionId, RunId, WorkflowId
from core.domain.input_schema import named_places
from core.domain.interruption import Answer, Interruption, InterruptionKind, approval_scope
from core.domain.messages import AttachedFile, with_input
from core.domain.progress import interruptions_of
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus
from core.domain.template import AgentAction, ValidationMode
from core.domain.workflow import run_title
from core.engine.runs.engine import Engine
from core.engine.runs.start_request import StartRequest
from core.errors import StorageFailed
from core.ports import Clock, ResolvedTemplate, Storage
from core.services.agents import OFFLINE, AgentService
from core.services.attachments import require_within_limits
from core.services.chat import message_fields
from core.services.key_check import KeyCheck
from core.services.lookup import new_workflow, require_run, require_workflow
from core.services.outcome import returns_outcome
from core.services.run_objects import interruption_object, reopen_calls, run_object

PAGE_SIZE = 200


class RunService:
    """Starts and manages runs of templates. `keep_folders` adds folders to those of a workflow."""

    def __init__(
        self,
        engine: Engine,
        storage: Storage,
        clock: Clock,
        access: KeyCheck,
        agents: AgentService,
        keep_folders: Callable[[WorkflowId, Sequence[FolderGrant]], Awaitable[None]],
    ) -> None:
        self._engine = engine
        self._storage = storage
        self._clock = clock
        self._access = access
        self._agents = agents
        self._keep_folders = keep_folders

    @returns_outcome
    async def start(
        self,
        found: ResolvedTemplate,
        run_input: Mapping[str, Any],
        *,
        mode: ValidationMode | None = None,
        allow: Sequence[str] = (),
        base: str | None = None,
        folders: Sequence[str] = (),
        allows_input: bool = False,
        key: str | None = None,
        gated: bool = False,
        queued: bool = False,
        timeout_ms: int | None = None,
        presets: Mapping[str, Any] | None = None,
        workflow_id: WorkflowId | None = None,
        prompt: str | None = None,
        answering: AgentSelection | None = None,
        attached: Sequence[AttachedFile] = (),
    ) -> Run:
        """Start a template with the `given` input, in a workflow or in a new workflow titled after the template and its
        main input (`run_title`).

        `prompt` is the user's message that started it, with the texts `attached`; the template reads these as
        `@input.attachments`. `mode` defaults to the template's, else to auto. `timeout_ms` replaces the template's
        deadline in active time. `gated`: the user starts it in the window; `queued`: it may wait for a slot
        (StartRequest). `presets` are results of steps that are not run, by step name; a result that the step could not
        have fails with `bad_preset`.

        `allow` defaults to the folders of the workflow, which are `folders` in a new one. `allows_input`: the user gave
        the input, so that the run may also access the folders and files that it names.

        Agent steps use `answering`, else the workflow's, in a new workflow the default agent. Fails with `key_missing`
        if the model's key is missing.
        """
        template = found.template
        require_within_limits(attached)
        # in the template: the deadline belongs to the snapshot, and so survives a restart
        if timeout_ms is not None:
            template = template.model_copy(update={"timeout_ms": timeout_ms})
        if workflow_id is not None:
            workflow = await require_workflow(self._storage, workflow_id)
        else:
            title = run_title(template.title, template.input_schema, run_input)
            workflow = new_workflow(title, OFFLINE, self._clock, folders)
        selection = answering or workflow.answering or AgentSelection()
        profile, model = self._agents.resolve(selection)
        if model is not None and any(isinstance(step.action, AgentAction) for step in template.steps):
            model = await self._access.require(model)
        cast = await self._access.check_all(self._agents.for_steps(template, profile, model))
        agent = OFFLINE if model is None else profile.name
        named = named_places(template.input_schema, run_input) if allows_input else []
        return await self._engine.start(
            StartRequest(
                replace(workflow, agent=agent, answering=self._agents.as_stored(selection, model)),
                template,
                with_input(run_input, attached),
                RunKind.WORKFLOW,
                prompt=prompt,
                mode=mode or template.mode or ValidationMode.AUTO,
                allow=tuple(dict.fromkeys((*(allow or workflow.folders), *named))),
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

    @returns_outcome
    async def cancel(self, run_id: RunId) -> Run:
        """Cancel the run and return it."""
        return await self._engine.cancel(run_id)

    @returns_outcome
    async def fork(
        self,
        run_id: RunId,
        step: str,
        run_input: Mapping[str, Any] | None = None,
        *,
        mode: ValidationMode | None = None,
        gated: bool = False,
        queued: bool = False,
    ) -> Run:
        """Run again from a step, keeping the results that do not depend on it (`Engine.fork`). Fails with `key_missing`
        if the model's key is missing, and `limit_reached` if gated.
        """
        await require_run(self._storage, run_id)
        await self._access.require_for_run(run_id)
        return await self._engine.fork(run_id, step, run_input, mode=mode, gated=gated, queued=queued)

    def retry_writing(self) -> None:
        """Retry at once what could not be written; without a request it is retried every 5 s."""
        self._engine.journal.retry_now()

    @returns_outcome
    async def recover(self, only: RunId | None = None) -> list[RunId]:
        """Continue every unfinished run that no driver runs, or only that run. A run that waits for a key stays as it
        is, and is included in the returned ids.
        """
        unfinished = [
            run
            for run in await self._storage.runs.unfinished()
            if run.kind is not RunKind.RECORDING and not self._engine.drives(run.id)
        ]
        ids = {run.id for run in unfinished}
        # a child is continued by its root
        roots = [run for run in unfinished if run.root not in ids and only in (None, run.id, run.root)]
        waiting = await self._access.find_waiting(roots)
        continued = {*await self._engine.recover(only, waiting), *(run.id for run in roots if run.id in waiting)}
        return [run.id for run in unfinished if run.id in continued]

    @returns_outcome
    async def events(self, run_id: RunId) -> list[Event]:
        """Return the stored events of a run, in order."""
        await require_run(self._storage, run_id)
        return await self._storage.events.of_run(run_id)

    @returns_outcome
    async def describe(self, run_id: RunId) -> dict[str, Any]:
        """Return everything about a run as a JSON object (COMMAND_LINE)."""
        run = await require_run(self._storage, run_id)
        try:
            events = await self._storage.events.of_run(run_id)
        except StorageFailed as error:
            run, events = _as_unreadable(run, error), []
        description = run_object(run, replay(events), is_driven=self._engine.drives(run_id))
        interruptions = await self._interruptions(run_id, events)
        description["interruptions"] = [interruption_object(interruption) for interruption in interruptions]
        reopen_calls(
            description,
            {
                interruption.ask.call_id
                for interruption in interruptions
                if interruption.is_open and interruption.run_id == run_id
            },
        )
        # enqueued without a driver: it may wait for a key
        if run.status is RunStatus.ENQUEUED and not self._engine.drives(run_id):
            missing = await self._access.missing_key(run_id)
            description["error"] = missing.as_dict() if missing is not None else None
        if (reason := self.pause_reason(run)) is not None:
            message = "the store cannot be written; the run continues by itself once it can"
            description.update(status=RunStatus.PAUSED, error={"code": reason, "message": message})
        return description

    def pause_reason(self, run: Run) -> str | None:
        """Return the code of the error because of which the run is paused, None if it is not."""
        return None if run.status.is_final else self._engine.journal.pause_reason(run.id)

    @returns_outcome
    async def answer(
        self,
        run_id: RunId,
        answer: Answer,
        *,
        interruption: InterruptionId | None = None,
        step: str | None = None,
        require: Callable[[Interruption], None] = lambda _: None,
    ) -> Interruption:
        """Answer an interruption of the run or of a descendant (`Engine.answer`). Fails with `key_missing` if the run
        could not continue with the answer; the interruption stays open. Access that is granted for always is kept by
        the workflow; if that fails, with `too_many_folders` or a storage error, it is granted for the run all the same.
        """
        run = await require_run(self._storage, run_id)
        top = run.root or run.id
        if not self._engine.drives(top):
            await self._access.require_for_run(top)
        answered = await self._engine.answer(run_id, answer, interruption=interruption, step=step, require=require)
        if answered.ask.kind is InterruptionKind.ACCESS and approval_scope(answer) == "always":
            await self._keep_folders(answered.workflow_id, kept_grants(answered.ask.options))
        return answered

    @returns_outcome
    async def root_of(self, run_id: RunId) -> RunId:
        """Return the root of the run's tree; the run itself, if no other run started it."""
        run = await require_run(self._storage, run_id)
        return run.root or run.id

    @returns_outcome
    async def open_interruptions(self) -> list[Interruption]:
        """Return the open interruptions of all runs, oldest first."""
        return await self._storage.interruptions.open()

    @returns_outcome
    async def pending(self, run_id: RunId) -> list[dict[str, Any]]:
        """Return the open interruptions of the run and of its descendants, oldest first."""
        await require_run(self._storage, run_id)
        interruptions = list[Interruption]()
        async for current in self._with_descendants(run_id):
            interruptions += await self._storage.interruptions.open(current)
        return [interruption_object(interruption) for interruption in sorted(interruptions, key=_by_age)]

    async def _interruptions(self, run_id: RunId, events: Sequence[Event]) -> list[Interruption]:
        """Return the interruptions of the run and of its descendants, open interruptions first, then by age."""
        interruptions = list[Interruption]()
        async for current in self._with_descendants(run_id):
            known = {run_id: events} if current == run_id else await self._storage.events.of_runs([current])
            interruptions += interruptions_of(current, known.get(current, ()))
        return sorted(interruptions, key=_by_age)

    async def _with_descendants(self, run_id: RunId) -> AsyncIterator[RunId]:
        todo = [run_id]
        while todo:
            current = todo.pop()
            yield current
            todo += [child.id for child in await self._storage.runs.children(current) if child.root is not None]

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


def _by_age(interruption: Interruption) -> tuple[bool, datetime, int]:
    return not interruption.is_open, interruption.created_at, interruption.seq


def _as_unreadable(run: Run, error: StorageFailed) -> Run:
    """Return the run as it is shown without its events (ENGINE §10). Raises the error if it is another."""
    if error.code != "unreadable":
        raise error
    if run.error is not None and run.error.code == error.code:
        return run
    return replace(run, status=RunStatus.ERROR, error=ErrorInfo.of(error, failed_during="storage"))
