"""The engine: everything that services ask of runs, in one place.

The work is done by its parts: the scheduler drives runs, recovery takes over those of a previous process, and child
runs are started for steps and tool calls. Starting, forking, cancelling and answering are here.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Self

from core.bus import Bus, WorkflowChanged
from core.domain.access import RunAccess
from core.domain.ids import InterruptionId, RunId, TemplateId, WorkflowId, id_from_key, new_id
from core.domain.interruption import Action, Answer, Interruption, InterruptionKind
from core.domain.progress import progress_of
from core.domain.run import ACTIVE_STATUSES, Run, RunKind, RunStatus
from core.domain.settings import Settings
from core.domain.sub_agent import location_of
from core.domain.template import ValidationMode, WorkflowCall
from core.engine.interruptions.answers import select_interruption, state_patches, validate_answer
from core.engine.log.journal import Journal
from core.engine.plan.dispatch import StepCall
from core.engine.plan.validation import Validator
from core.engine.runs.child_runs import ChildRunRequest, ChildRuns, ChildStartRequests
from core.engine.runs.driver import Driver
from core.engine.runs.forks import fork_request, reused_facts, reused_results
from core.engine.runs.recovered_run import RecoveredState
from core.engine.runs.recovery import Recovery
from core.engine.runs.run_registry import ActiveRun, OpenCall, stored_run
from core.engine.runs.scheduler import Scheduler
from core.engine.runs.start_request import StartRequest, preset_facts, preset_results, validate_preset
from core.engine.runs.step_runner import StepRunner
from core.errors import NotFound, Refused, workflow_busy
from core.ports import PAGE_ROWS, CallContext, Clock, RunRecordings, Storage, WorkflowGate


class Engine:
    """All runs of a store. An async context manager: leaving it checkpoints the active runs.

    `gate` is what the user sees of the workflow gate (ENGINE §9); without it only the engine's own check holds.
    """

    def __init__(
        self,
        storage: Storage,
        bus: Bus,
        clock: Clock,
        journal: Journal,
        steps: StepRunner,
        validator: Validator,
        children: ChildStartRequests,
        recordings: RunRecordings,
        settings: Callable[[], Settings],
        gate: WorkflowGate | None = None,
    ) -> None:
        self._storage = storage
        self._bus = bus
        self._clock = clock
        self._steps = steps
        self._validator = validator
        self._recordings = recordings
        self._gate = gate
        self._scheduler = Scheduler(storage, bus, clock, journal, steps, recordings, settings, self.run_child)
        self._registry = self._scheduler.registry
        self._recovery = Recovery(storage, bus, clock, journal, self._scheduler)
        self._children = ChildRuns(storage, steps.schemas, children, self._scheduler, self._recovery)
        self.journal = journal

    async def __aenter__(self) -> Self:
        await self._scheduler.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._scheduler.__aexit__(*exception)

    # Starting

    async def start(self, request: StartRequest) -> Run:
        """Create a run, and start it or enqueue it.

        The same key returns the same run, forever. Raises InvalidTemplate, StorageFailed, or Refused (`bad_input`,
        `workflow_busy`, `limit_reached`); nothing has been stored then.
        """
        (await self._validator.check_template(request.template)).require()
        request = await request.with_valid_input(self._steps.schemas)
        run_id = RunId(id_from_key("run", request.key) if request.key is not None else new_id("run"))
        if request.key is not None and (existing := await self._existing(run_id)) is not None:
            return existing
        presets = await preset_results(request, run_id, self._steps.schemas, self._clock.now())
        newest = None if request.in_new_workflow else await self.newest(request.workflow.id)
        # the same key again: it may have been started while this start was reading
        if request.key is not None and (twin := self._registry.get(run_id)) is not None:
            return twin.run
        if newest is not None and newest.status in ACTIVE_STATUSES:
            raise workflow_busy(request.workflow.id, request.workflow.title)
        active = self._register(run_id, request)
        active.recovered = RecoveredState(presets, ()) if presets else None
        is_new = await self._create(active, request, preset_facts(request, presets))
        if not is_new:  # the same key, begun and ended while this start was reading
            return await self.wait(run_id)
        begun = replace(request.workflow, updated_at=active.run.created_at, archived_at=None)
        self._bus.publish(WorkflowChanged(begun))
        if active.is_cancelled:  # while it was being written
            await self._scheduler.cancel_queued(active)
            self._scheduler.admit()
        else:
            self._scheduler.enqueue(active)
        return active.run

    def _register(self, run_id: RunId, request: StartRequest) -> ActiveRun:
        """Take a place for the run: at the gate that the user sees, and then in the engine.

        Nothing is awaited in here, so two starts cannot both take the last slot. Raises Refused `workflow_busy`,
        `limit_reached`.
        """
        if self._is_at_gate(request) and self._gate is not None:
            workflow = request.workflow
            self._gate.register(workflow.id, workflow.agent, workflow.title, request.mode)
        try:
            self._scheduler.queue.require_slot(request)
        except Refused:
            self._leave_gate(request)
            raise
        return self._scheduler.register(run_id, request)

    async def _create(self, active: ActiveRun, request: StartRequest, *records: Any) -> bool:
        """Write the new run (`Scheduler.create`). If it is not written, its place at the gate is free again."""
        is_new = False
        try:
            is_new = await self._scheduler.create(active, request, *records)
        finally:
            if not is_new:
                self._leave_gate(request)
        return is_new

    def _leave_gate(self, request: StartRequest) -> None:
        if self._is_at_gate(request) and self._gate is not None:
            self._gate.mark_complete(request.workflow.id, RunStatus.ERROR)

    @staticmethod
    def _is_at_gate(request: StartRequest) -> bool:
        """Return whether the gate can refuse the start. A queued start waits for the gate instead."""
        return request.gated and not request.queued

    async def _existing(self, run_id: RunId) -> Run | None:
        active = self._registry.get(run_id)
        return active.run if active is not None else await self._storage.runs.get(run_id)

    async def newest(self, workflow_id: WorkflowId) -> Run | None:
        """Return the newest run of the workflow that is neither a child run nor a recording."""
        before: RunId | None = None
        while page := await self._storage.runs.page(workflow_id=workflow_id, limit=1, before=before):
            if page[0].parent is None and page[0].kind is not RunKind.RECORDING:
                return page[0]
            before = page[0].id
        return None

    async def fork(
        self,
        run_id: RunId,
        step: str,
        given: Mapping[str, Any] | None = None,
        *,
        mode: ValidationMode | None = None,
        gated: bool = False,
        queued: bool = False,
    ) -> Run:
        """Start a run of the same snapshot, in a workflow of its own, that begins at `step`.

        The results of all steps that do not depend on `step` are reused, once nothing of the source run is in flight.
        `given` replaces the input, `mode` can only make the run stricter, and `gated` and `queued` are as in
        StartRequest. Raises NotFound for the run or the step, Refused `run_active` for a run that still works, and as
        `start`.
        """
        source = await stored_run(self._storage, run_id)
        if not source.status.is_final and source.status is not RunStatus.WAITING:
            raise Refused("run_active", f"the run is {source.status}; only a finished or waiting one can be forked")
        snapshot = await self._storage.snapshots.of_run(run_id)
        steps = snapshot.template.steps
        if all(known.name != step for known in steps):
            raise NotFound("step", step)
        workflow = await self._storage.workflows.get(source.workflow_id)
        folders = workflow.folders if workflow is not None else ()
        request = fork_request(
            source, snapshot, given, self._clock.now(), folders=folders, mode=mode, gated=gated, queued=queued
        )
        request = await request.with_valid_input(self._steps.schemas)
        if source.status.is_final and (ending := self._registry.get(run_id)) is not None:
            await ending.ended.wait()  # what was in flight at its end has results too (ENGINE §5)
        fork_id = RunId(new_id("run"))
        progress = progress_of(run_id, await self._storage.events.of_run(run_id))
        request = replace(request, allowances=RunAccess(allowances=progress.allowances).lasting)
        results = reused_results(steps, step, progress.results, fork_id)
        active = self._register(fork_id, request)
        active.recovered = RecoveredState(results, ())
        await self._create(active, request, reused_facts(results))
        self._bus.publish(WorkflowChanged(request.workflow))
        self._scheduler.enqueue(active)
        return active.run

    # Child runs

    async def run_child(self, parent: Driver, call: StepCall, attempt: int, workflow: WorkflowCall) -> Any:
        """Run another template as a step of `parent`, and return its output (`ChildRuns.run`)."""
        return await self._children.run(parent, call, attempt, workflow)

    async def execute(
        self,
        context: CallContext,
        template_id: TemplateId,
        given: Mapping[str, Any],
        *,
        timeout_ms: int | None,
        wait: bool,
    ) -> Run:
        """Start a child run for a tool call (`core.ports.executions.Executions`)."""
        return await self._children.execute(context, ChildRunRequest(template_id, None, given, timeout_ms, wait))

    # Following and ending

    def drives(self, run_id: RunId) -> bool:
        """Return whether the run is active or queued in this process."""
        return run_id in self._registry

    @property
    def is_at_work(self) -> bool:
        """Whether any run is active or queued in this process, apart from runs that wait for the user."""
        return any(not active.is_waiting for active in self._registry)

    def descendants(self, run_id: RunId) -> list[Driver]:
        """Return the drivers of all descendants of the run."""
        return self._registry.descendants(run_id)

    async def wait(self, run_id: RunId) -> Run:
        """Wait until the run has ended and is completely on disk, or only waits for the user. Raises NotFound."""
        if (active := self._registry.get(run_id)) is not None:
            await active.settled.wait()
        return await stored_run(self._storage, run_id)

    async def flush(self, run_id: RunId) -> None:
        """Wait until everything emitted so far by the run and its descendants is on disk."""
        if (active := self._registry.get(run_id)) is not None:
            journals = [active.log, *(driver.log for driver in self.descendants(run_id))]
            await asyncio.gather(*(journal.commit() for journal in journals))

    async def recover(self, only: RunId | None = None, exclude: Collection[RunId] = ()) -> list[RunId]:
        """Take over the unfinished runs of a previous process (`Recovery.recover`)."""
        return await self._recovery.recover(only, exclude)

    async def cancel(self, run_id: RunId) -> Run:
        """Cancel the run and its descendants within a second. A finished run stays unchanged. Raises NotFound."""
        if (active := self._registry.get(run_id)) is not None:
            await self._scheduler.cancel(active)
            await active.ended.wait()
        else:
            await self._cancel_stored(run_id)
        return await stored_run(self._storage, run_id)

    async def cancel_workflow(self, workflow_id: WorkflowId, *, keep_recording: bool = False) -> None:
        """Cancel every run of the workflow, child runs included, and its recording unless `keep_recording`."""
        for run in await self._storage.runs.page(workflow_id=workflow_id, limit=PAGE_ROWS):
            if run.status in ACTIVE_STATUSES and not (keep_recording and run.kind is RunKind.RECORDING):
                await self.cancel(run.id)
        for active in self._registry:  # runs that are not on disk yet
            if active.run.workflow_id == workflow_id:
                await self._scheduler.cancel(active)
                await active.ended.wait()
        if not keep_recording:
            self._recordings.forget(workflow_id)

    async def _cancel_stored(self, run_id: RunId) -> None:
        """Cancel a run that a crash left behind and that no process drives."""
        run = await stored_run(self._storage, run_id)
        if run.status not in ACTIVE_STATUSES:
            return
        if run.kind is RunKind.RECORDING:
            await self._recordings.cancel(run)
            return
        for child in await self._storage.runs.children(run_id):
            await self._cancel_stored(child.id)
        await self._recovery.cancel(run)

    # Answering

    async def answer(
        self,
        run_id: RunId,
        answer: Answer,
        *,
        interruption: InterruptionId | None = None,
        step: str | None = None,
        require: Callable[[Interruption], None] = lambda interruption: None,
    ) -> Interruption:
        """Answer an open interruption of the run or of a descendant; without a selector, the only open interruption.

        `require` raises where the answer is not allowed. Raises NotFound for a run that is not active here, Refused:
        `nothing_open`, `which_interruption`, `already_answered`, `consumed`, `bad_answer`; nothing has changed then.
        """
        active = self._registry.get(run_id)
        if active is None or active.driver is None:
            raise Refused("nothing_open", f"the run {run_id!r} is not active here", open=[])
        drivers = {driver.run.id: driver for driver in (active.driver, *self.descendants(run_id))}
        raised = [known for driver in drivers.values() for known in driver.interruptions.all]
        selected = select_interruption(raised, interruption, step)
        require(selected)
        driver = drivers[selected.run_id]
        ask = selected.ask
        asking = driver.steps.step(location_of(ask.step).step)
        await validate_answer(selected, answer, asking, driver.steps.tool_schema(ask.tool), self._steps.schemas)
        driver.interruptions.require_open(selected)  # it may have been closed while a schema was checked
        if ask.kind is InterruptionKind.STATE_EDIT and answer.action is Action.SUBMIT:
            _apply_state_edit(driver, selected, answer)
        driver.interruptions.answer(selected, answer)
        return selected

    async def find_request(self, run_id: RunId, interruption_id: InterruptionId) -> OpenCall | None:
        """Return an open interruption of an active run with what it asks about, unmasked; None if there is none. After
        a restart, wait until the call has come to its request again: the request is stored with masks.
        """
        request = self.request_now(run_id, interruption_id)
        if request is None or request.arguments is not None:
            return request
        driver = self._registry[run_id].driver
        assert driver is not None
        arguments = await driver.interruptions.wait_for_arguments(request.interruption)
        return replace(request, arguments=arguments) if arguments is not None else None

    def request_now(self, run_id: RunId, interruption_id: InterruptionId) -> OpenCall | None:
        """Return the same at once; the arguments are None where `find_request` would wait for them."""
        return self._registry.request(run_id, interruption_id)

    async def preset(self, run_id: RunId, step: str, output: Any) -> None:
        """Set the result of a step that an active run has not begun, instead of running it.

        Raises NotFound, Refused: `not_at_work`, `step_started`, `bad_preset`.
        """
        active = self._registry.get(run_id)
        if active is None or active.driver is None or active.is_finished:
            run = await stored_run(self._storage, run_id)
            raise Refused("not_at_work", f"the run is not at work here: it is {run.status}", status=run.status)
        await validate_preset(active.snapshot.template, step, output, self._steps.schemas)
        active.driver.preset(step, output)


def _apply_state_edit(driver: Driver, interruption: Interruption, answer: Answer) -> None:
    """Edit the outputs that the step is about to read. Raises Refused `bad_answer`, `consumed`."""
    patches, outputs = state_patches(interruption, answer)
    for name in outputs:
        consumers = driver.steps.consumers(name, exclude=interruption.ask.step)
        if consumers:
            message = f"{', '.join(consumers)} has read the output of {name} already; fork the run from there"
            raise Refused("consumed", message, step=name, consumers=consumers)
    driver.steps.edit_outputs(patches, outputs)
