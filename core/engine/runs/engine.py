"""The engine: admits runs, drives them, and recovers them after a crash.

    start ──► enqueued ──(a slot is free)──► a Driver ──► success | error | cancelled
    recover ──► enqueued                       │ ▲          (the slot goes to the next run, first in first out)
                                               ▼ │
                                             waiting (holds no slot)

Recovery uses the same entry point as start, so repeating it is harmless. Child runs use the slot of their root.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

from core.bus import Bus, SettingsChanged, WorkflowChanged
from core.domain.events import Fact, RootChanged, RunFinished
from core.domain.ids import InterruptionId, RunId, TemplateId, WorkflowId, id_from_key, new_id
from core.domain.interruption import Action, Answer, Interruption, InterruptionKind
from core.domain.run import ACTIVE_STATUSES, ErrorInfo, Run, RunKind, RunStatus, StepKey
from core.domain.settings import Settings
from core.domain.sub_agent import location_of
from core.domain.template import WorkflowCall
from core.engine.interruptions.answers import select_interruption, state_patches, validate_answer
from core.engine.interruptions.interruptions import Interruptions
from core.engine.log.journal import Journal
from core.engine.plan.dispatch import StepCall
from core.engine.plan.validation import Validator
from core.engine.runs.child_runs import (
    ChildRunRequest,
    ChildStartRequests,
    call_child_id,
    child_output,
    current_root,
    ends_with_parent,
    step_child_id,
)
from core.engine.runs.driver import Driver, RecoveredState
from core.engine.runs.forks import reused_facts, reused_results
from core.engine.runs.recovery import (
    MAX_UNCLEAN_ENDS,
    RECOVERY_EXHAUSTED,
    RecoveredRun,
    close_interrupted_steps,
    closing_message,
    load_recovered_run,
)
from core.engine.runs.run_registry import ActiveRun, RunRegistry, ancestor_interruptions
from core.engine.runs.start_request import (
    StartRequest,
    creation_records,
    fork_request,
    preset_facts,
    preset_rows,
    validate_preset,
)
from core.engine.runs.step_runner import StepRunner
from core.errors import NotFound, Refused, StepFailed, StorageFailed, workflow_busy
from core.ports.agents import StepAgentResolver
from core.ports.clock import Clock
from core.ports.recording import NO_RECORDER, CallRecorder
from core.ports.storage import PAGE_ROWS, Storage
from core.ports.templates import TemplateResolver
from core.ports.tools import CallContext
from core.ports.writes import ChangeRoot, ChangeRun, MarkUnreadable, PutMessage, PutStepResult, Write
from core.recording.call_recorder import RunCallRecorder
from core.recording.recordings import RecordingRegistry

log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 1.0
RECOVERY_BATCH = 50


class Engine:
    """All runs of a store. An async context manager: leaving it checkpoints the active runs."""

    def __init__(
        self,
        storage: Storage,
        bus: Bus,
        clock: Clock,
        steps: StepRunner,
        validator: Validator,
        templates: TemplateResolver,
        settings: Callable[[], Settings],
        casting: StepAgentResolver,
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._bus = bus
        self._steps = steps
        self._validator = validator
        self._children = ChildStartRequests(storage, templates, settings, casting)
        self._settings = settings
        self._registry = RunRegistry(settings)
        self._subscription = bus.subscribe(SettingsChanged, lambda changed: self._admit())
        self._cleanups: set[asyncio.Task[None]] = set()
        self._is_closing = False
        self.journal = Journal(storage, bus, clock, text_interval_s=settings().stream_write_interval_s)
        self.recordings = RecordingRegistry(storage, self.journal, clock)

    async def __aenter__(self) -> Self:
        self._tasks = asyncio.TaskGroup()
        await self._tasks.__aenter__()
        self._writer = self._tasks.create_task(self.journal.run(), name="journal")
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._is_closing = True
        self._subscription.close()
        seats = list(self._registry)
        await asyncio.gather(*(seat.driver.checkpoint() for seat in seats if seat.driver is not None))
        tasks = [seat.task for seat in seats if seat.task is not None] + list(self._cleanups)
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_TIMEOUT_S)
        for task in tasks:
            task.cancel()
        self.journal.close()
        await self._tasks.__aexit__(None, None, None)

    # Starting

    async def start(self, request: StartRequest) -> Run:
        """Create a run, and start it or enqueue it.

        The same key returns the same run, forever. Raises InvalidTemplate, StorageFailed, or Refused (`bad_input`,
        `workflow_busy`, `limit_reached`); nothing has been stored then.
        """
        (await self._validator.check_template(request.template)).require()
        await self._check_input(request)
        run_id = RunId(id_from_key("run", request.key) if request.key is not None else new_id("run"))
        if request.key is not None and (known := await self._known(run_id)) is not None:
            return known
        rows = await preset_rows(request, run_id, self._steps.schemas, self._clock.now())
        newest = None if request.in_new_workflow else await self.newest(request.workflow.id)
        if request.key is not None and (twin := self._registry.get(run_id)) is not None:
            return twin.run
        if newest is not None and newest.status in ACTIVE_STATUSES:
            raise workflow_busy(request.workflow.id, request.workflow.title)
        self._registry.require_slot(request)
        seat = self._register(run_id, request)
        seat.recovered = RecoveredState(rows, ()) if rows else None
        is_new = await self._create(seat, request, preset_facts(request), [PutStepResult(row) for row in rows])
        if not is_new:  # the same key, that began and ended while this start was looking
            return await self.wait(run_id)
        begun = replace(request.workflow, updated_at=seat.run.created_at, archived_at=None)
        self._bus.publish(WorkflowChanged(begun))
        if seat.is_cancelled:  # while it was written down
            await self._cancel_queued(seat)
        else:
            self._registry.enqueue(seat)
        self._admit()
        return seat.run

    async def _known(self, run_id: RunId) -> Run | None:
        seat = self._registry.get(run_id)
        return seat.run if seat is not None else await self._storage.runs.get(run_id)

    async def newest(self, workflow_id: WorkflowId) -> Run | None:
        """Return the newest run of the workflow that is neither a child run nor a recording."""
        before: RunId | None = None
        while page := await self._storage.runs.page(workflow_id=workflow_id, limit=1, before=before):
            if page[0].parent is None and page[0].kind is not RunKind.RECORDING:
                return page[0]
            before = page[0].id
        return None

    async def _check_input(self, request: StartRequest) -> None:
        schema = request.template.input_schema
        if schema is None:
            return
        violations = await self._steps.schemas.violations(schema, dict(request.input))
        if violations:
            told = "; ".join(f"{one.path or 'the input'}: {one.message}" for one in violations)
            raise Refused("bad_input", told, problems=[{"path": v.path, "message": v.message} for v in violations])

    def _register(self, run_id: RunId, request: StartRequest) -> ActiveRun:
        run, snapshot = request.run(run_id, self._clock.now()), request.snapshot()
        seat = ActiveRun(run, snapshot, self.journal.open(run.id, run.workflow_id, run.message_id))
        self._registry.add(seat)
        return seat

    async def _create(
        self, seat: ActiveRun, request: StartRequest, more: Sequence[Fact] = (), rows: Sequence[Write] = ()
    ) -> bool:
        """Write the new run. Returns False if a run of that id exists already; nothing is left then."""
        try:
            facts, writes = creation_records(request, seat.run, seat.snapshot)
            is_ours = partial(self._is_ours, seat.run)
            lost = await seat.log.create(*facts, *more, writes=[*writes, *rows], is_ours=is_ours, beside=request.beside)
        except BaseException:
            self._registry.remove(seat)
            raise
        if lost:
            self._registry.remove(seat)
        return not lost

    async def _is_ours(self, run: Run) -> bool:
        """Return whether this very run is on disk, not another with the same key; False if the store cannot be read."""
        try:
            stored = await self._storage.runs.get(run.id)
        except StorageFailed:
            return False
        return stored is not None and stored.message_id == run.message_id

    def _admit(self) -> None:
        """Start the queued runs for which a slot is free."""
        if not self._is_closing:
            for seat in self._registry.admit():
                self._begin(seat)

    def _begin(self, seat: ActiveRun) -> None:
        seat.driver = Driver(
            seat.run,
            seat.snapshot,
            seat.log,
            self._steps,
            self._clock,
            self,
            remains=seat.recovered,
            no_progress_s=self._settings().no_progress_s,
        )
        seat.recovered = None
        seat.is_waiting = seat.driver.is_waiting
        seat.task = self._tasks.create_task(self._drive(seat, seat.driver), name=f"run {seat.run.id}")

    async def _drive(self, seat: ActiveRun, driver: Driver) -> None:
        try:
            await driver.drive()
            if seat.is_finished:
                await seat.log.commit()  # what ended after its run is told, and maybe not written yet
        except Exception as error:
            log.exception("run %s broke", seat.run.id)
            info = ErrorInfo("internal", f"{type(error).__name__}: {error}", failed_during="engine")
            await self._end(seat, RunStatus.ERROR, info)
        finally:
            self._registry.remove(seat)
            self._admit()

    async def fork(self, run_id: RunId, step: str, given: Mapping[str, Any] | None = None) -> Run:
        """Start a run of the same snapshot, in a workflow of its own, that begins at `step`.

        The results of all steps that do not depend on `step` are reused, once nothing of the source run is in flight.
        `given` replaces the input. Raises NotFound for the run or the step, Refused `run_active` for a run that still
        works, and as `start`.
        """
        source = await self._stored(run_id)
        if not source.status.is_final and source.status is not RunStatus.WAITING:
            raise Refused("run_active", f"the run is {source.status}; only a finished or waiting one can be forked")
        snapshot = await self._storage.snapshots.of_run(run_id)
        steps = snapshot.template.steps
        if step not in {one.name for one in steps}:
            raise NotFound("step", step)
        request = fork_request(source, snapshot, given, self._clock.now())
        await self._check_input(request)
        if source.status.is_final and (ending := self._registry.get(run_id)) is not None:
            await ending.ended.wait()  # what was in flight at its end has results too (ENGINE §5)
        fork_id = RunId(new_id("run"))
        results = reused_results(steps, step, await self._storage.step_results.of_run(run_id), fork_id)
        self._registry.require_slot(request)
        seat = self._register(fork_id, request)
        seat.recovered = RecoveredState(results, ())
        rows = [PutStepResult(result) for result in results]
        await self._create(seat, request, reused_facts(results), rows)
        self._bus.publish(WorkflowChanged(request.workflow))
        self._registry.enqueue(seat)
        self._admit()
        return seat.run

    # What drivers tell

    def on_waiting(self, run: Run, written: "asyncio.Future[Any] | None") -> None:
        """Handle that the run waits for the user (`RunHost.waits`): its slot is free once that is on disk."""
        seat = self._active(run.id)
        seat.is_waiting = written is not None
        if seat.parent is not None:
            parent, key = seat.parent
            parent.set_child_waiting(key, is_waiting=seat.is_waiting)
        if written is None:
            seat.settled.clear()
            return
        written.add_done_callback(lambda _: seat.settled.set() if seat.is_waiting else None)
        self._admit()

    def on_ended(self, run: Run, *, is_success: bool) -> None:
        """Handle the end of a run (`RunHost.ended`).

        After a success, children that are not awaited continue as roots of their own; otherwise they are cancelled.
        """
        ending = self._active(run.id)
        ending.is_finished, ending.is_success = True, is_success
        for seat in self._registry.detached_children(run.id) if is_success else ():
            self._change_root(seat, None)
        if not is_success:
            for driver in self.descendants(run.id):
                driver.cancel()
        self._admit()

    def _change_root(self, seat: ActiveRun, root: RunId | None) -> None:
        """Move a driven run, with its descendants, below another root; None makes it a root."""
        seat.run = replace(seat.run, root=root)
        if seat.driver is not None:
            seat.driver.run = seat.run
        seat.log.commit(RootChanged(root_run_id=root), writes=[ChangeRoot(seat.run.id, root)])
        for below in self._registry:
            if below.run.parent == seat.run.id and below.is_driven and not below.has_own_slot:
                self._change_root(below, root or seat.run.id)

    def recorder(self, run: Run, *, is_fresh: bool) -> CallRecorder:
        """Return the recorder of the run's agent calls (`RunHost.recorder`).

        A child run has none: the call that started it is the recorded step.
        """
        if run.kind is not RunKind.CHAT or run.parent is not None:
            return NO_RECORDER
        since = None if is_fresh else run.created_at
        return RunCallRecorder(self.recordings, run.id, run.workflow_id, self._clock, since)

    async def is_claimed(self, run_id: RunId) -> bool:
        """Return whether the run is `running` on disk (`RunHost.is_claimed`)."""
        return (await self._stored(run_id)).status is RunStatus.RUNNING

    async def ancestor_interruptions(self, run: Run) -> list[Interruption]:
        """Return the interruptions of the ancestors of the run (`RunHost.asked_above`)."""
        return await ancestor_interruptions(run, self._registry, self._storage)

    def descendants(self, run_id: RunId) -> list[Driver]:
        """Return the drivers of all descendants of the run (`RunHost.below`)."""
        return self._registry.descendants(run_id)

    def _active(self, run_id: RunId) -> ActiveRun:
        seat = self._registry.get(run_id)
        assert seat is not None
        return seat

    async def run_child(self, parent: Driver, call: StepCall, attempt: int, workflow: WorkflowCall) -> Any:
        """Run another template to its end as a step of `parent`; the same step and attempt use the same child run.

        Raises StepFailed: `child_failed` with its error, `too_deep`, `not_found`, `bad_input`.
        """
        if not isinstance(call.input, dict):
            raise StepFailed("bad_input", "the input of another template is an object")
        run_id = step_child_id(parent.run.id, call.key, attempt)
        template_id = TemplateId(workflow.template_id) if workflow.template_id is not None else None
        wanted = ChildRunRequest(template_id, workflow.title, call.input)
        seat = await self._child(run_id, parent, wanted)
        if seat is not None:
            await self._await_child(seat, parent, call.key)
        return child_output(await self._stored(run_id))

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
        above = self._registry.get(context.run_id)
        if above is None or above.driver is None:
            raise StepFailed("not_found", f"the run {context.run_id!r} is not at work")
        run_id = call_child_id(context.run_id, context.call_id)
        seat = await self._child(run_id, above.driver, ChildRunRequest(template_id, None, given, timeout_ms, wait))
        if wait and seat is not None:
            await self._await_child(seat, above.driver, above.driver.steps.call_key_of(context.call_id))
        return await self._stored(run_id)

    async def _await_child(self, seat: ActiveRun, parent: Driver, key: StepKey | None) -> None:
        """Wait until the child run has ended; cancellation cancels it too.

        While it waits for the user, so does the step of the parent that awaits it.
        """
        if key is not None:
            seat.parent = (parent, key)
            parent.set_child_waiting(key, is_waiting=seat.is_waiting)
        try:
            await seat.ended.wait()
        except asyncio.CancelledError:
            await self._cancel_active(seat)
            raise
        finally:
            if key is not None:
                parent.set_child_waiting(key, is_waiting=False)

    async def _child(self, run_id: RunId, parent: Driver, wanted: ChildRunRequest) -> ActiveRun | None:
        """Return the child run: active already, recovered from a previous process, or new; None if it has ended."""
        known = self._registry.get(run_id)
        if known is not None:
            return known
        stored = await self._storage.runs.get(run_id)
        if stored is not None and stored.status.is_final:
            return None
        if stored is not None:
            await self.recover(run_id)
            return self._registry.get(run_id)
        try:
            request = await self._children.request(parent.run, parent.snapshot, wanted)
            await self._check_input(request)
        except Refused as error:
            raise StepFailed(error.code, error.message, **error.parameters) from None
        seat = self._register(run_id, request)
        facts, writes = creation_records(request, seat.run, seat.snapshot)
        is_ours = partial(self._is_ours, seat.run)
        creating = self._tasks.create_task(seat.log.create_below(parent.log, *facts, writes=writes, is_ours=is_ours))
        try:
            lost = await asyncio.shield(creating)
        except asyncio.CancelledError:
            chore = self._tasks.create_task(self._cancel_created(seat, creating))
            self._cleanups.add(chore)
            chore.add_done_callback(self._cleanups.discard)
            raise
        if lost:  # a write of unknown outcome was repeated
            self._registry.remove(seat)
            await self.recover(run_id)
            return self._registry.get(run_id)
        above = self._registry.get(parent.run.id)
        is_unwanted = above is None or (above.is_finished and (seat.run.awaited or not above.is_success))
        if seat.is_cancelled or is_unwanted:  # while it was written down
            await self._cancel_queued(seat)
            return seat
        self._begin(seat)
        if above is not None and above.is_finished:
            self._change_root(seat, None)
        return seat

    # Following and ending

    def drives(self, run_id: RunId) -> bool:
        """Return whether the run is active or queued in this process."""
        return run_id in self._registry

    @property
    def is_at_work(self) -> bool:
        """Whether any run is active or queued in this process, apart from runs that wait for the user."""
        return any(not seat.is_waiting for seat in self._registry)

    async def wait(self, run_id: RunId) -> Run:
        """Wait until the run has ended and is completely on disk, or only waits for the user. Raises NotFound."""
        if (seat := self._registry.get(run_id)) is not None:
            await seat.settled.wait()
        return await self._stored(run_id)

    async def _stored(self, run_id: RunId) -> Run:
        run = await self._storage.runs.get(run_id)
        if run is None:
            raise NotFound("run", run_id)
        return run

    async def cancel(self, run_id: RunId) -> Run:
        """Cancel the run and its descendants within a second. A finished run stays unchanged. Raises NotFound."""
        seat = self._registry.get(run_id)
        if seat is None:
            await self._cancel_stored(run_id)
        else:
            await self._cancel_active(seat)
            await seat.ended.wait()
        return await self._stored(run_id)

    async def cancel_workflow(self, workflow_id: WorkflowId, *, keep_recording: bool = False) -> None:
        """Cancel every run of the workflow, child runs included, and its recording unless `keep_recording`."""
        for run in await self._storage.runs.page(workflow_id=workflow_id, limit=PAGE_ROWS):
            if run.status in ACTIVE_STATUSES and not (keep_recording and run.kind is RunKind.RECORDING):
                await self.cancel(run.id)
        for seat in self._registry:
            if seat.run.workflow_id == workflow_id:
                await self._cancel_active(seat)
                await seat.ended.wait()
        if not keep_recording:
            self.recordings.forget(workflow_id)

    async def _cancel_active(self, seat: ActiveRun) -> None:
        if seat.driver is not None:
            seat.driver.cancel()
        elif self._registry.dequeue(seat):
            await self._cancel_queued(seat)
        else:
            seat.is_cancelled = True

    async def _cancel_created(self, seat: ActiveRun, creating: "asyncio.Task[frozenset[int]]") -> None:
        """Cancel a run that is no longer wanted as soon as it is written.

        While the app is closing it is left unchanged: the next process continues the step that wanted it, and the run.
        """
        if await creating or self._is_closing:
            self._registry.remove(seat)
        else:
            await self._cancel_queued(seat)

    async def _cancel_queued(self, seat: ActiveRun) -> None:
        """Write the end of a run that has left the queue without starting."""
        try:
            await self._end(seat, RunStatus.CANCELLED, None)
        finally:
            self._registry.remove(seat)

    async def _cancel_stored(self, run_id: RunId) -> None:
        """Cancel a run that a crash left behind and that no process drives."""
        run = await self._stored(run_id)
        if run.status not in ACTIVE_STATUSES:
            return
        if run.kind is RunKind.RECORDING:
            await self.recordings.cancel(run)
            return
        for child in await self._storage.runs.children(run_id):
            await self._cancel_stored(child.id)
        await self._end_recovered(await load_recovered_run(run, self._storage), RunStatus.CANCELLED)

    async def _end_recovered(self, found: RecoveredRun, status: RunStatus, error: ErrorInfo | None = None) -> None:
        seat = self._recovered_active(found)
        Interruptions(found.run, seat.log, self._clock, found.remains.interruptions).cancel_open()
        await self._end(seat, status, error, *close_interrupted_steps(found, self._clock.now()))

    async def _end(
        self,
        seat: ActiveRun,
        status: RunStatus,
        error: ErrorInfo | None,
        facts: Sequence[Fact] = (),
        rows: Sequence[Write] = (),
    ) -> None:
        """Commit the end of a run that has no driver, with its message, after the given facts and rows."""
        run = seat.run
        change = ChangeRun(run.id, ACTIVE_STATUSES, status, finished_at=self._clock.now(), error=error)
        ended = RunFinished(status=status, error=error.as_dict() if error else None, active_ms=run.active_ms)
        writes: list[Write] = [*rows, change]
        is_told = any(isinstance(row, PutMessage) and row.message.id == run.message_id for row in rows)
        if (
            run.parent is None
            and not is_told
            and (message := await closing_message(run, status, self._storage)) is not None
        ):
            writes.append(PutMessage(message))
        await seat.log.commit(*facts, ended, writes=writes)

    # Answering

    async def answer(
        self,
        run_id: RunId,
        answer: Answer,
        *,
        interruption: InterruptionId | None = None,
        step: str | None = None,
        require: Callable[[Interruption], None] = lambda found: None,
    ) -> Interruption:
        """Answer an open interruption of the run or of a descendant; without a selector, the only open interruption.

        `require` raises where the answer is not allowed. Raises NotFound for a run that is not active here, Refused:
        `nothing_open`, `which_interruption`, `already_answered`, `consumed`, `bad_answer`; nothing has changed then.
        """
        drivers = self._drivers_of(run_id)
        known = [one for driver in drivers.values() for one in driver.interruptions.all]
        found = select_interruption(known, interruption, step)
        require(found)
        driver = drivers[found.run_id]
        asking = driver.steps.step(location_of(found.ask.step).step)
        await validate_answer(found, answer, asking, driver.steps.tool_schema(found.ask.tool), self._steps.schemas)
        driver.interruptions.require_open(found)
        if found.ask.kind is InterruptionKind.STATE_EDIT and answer.action is Action.SUBMIT:
            _apply_state_edit(driver, found, answer)
        driver.interruptions.answer(found, answer)
        return found

    async def flush(self, run_id: RunId) -> None:
        """Wait until everything emitted so far by the run and its descendants is on disk."""
        seat = self._registry.get(run_id)
        if seat is not None:
            await asyncio.gather(*(log.commit() for log in (seat.log, *(one.log for one in self.descendants(run_id)))))

    async def preset(self, run_id: RunId, step: str, output: Any) -> None:
        """Set the result of a step that an active run has not begun, instead of running it.

        Raises NotFound, Refused: `not_at_work`, `step_started`, `bad_preset`.
        """
        seat = self._registry.get(run_id)
        if seat is None or seat.driver is None or seat.is_finished:
            run = await self._stored(run_id)
            raise Refused("not_at_work", f"the run is not at work here: it is {run.status}", status=run.status)
        await validate_preset(seat.snapshot.template, step, output, self._steps.schemas)
        seat.driver.preset(step, output)

    def _drivers_of(self, run_id: RunId) -> dict[RunId, Driver]:
        """Return the drivers of the run and of its descendants. Raises Refused `nothing_open`."""
        seat = self._registry.get(run_id)
        if seat is None or seat.driver is None:
            raise Refused("nothing_open", f"the run {run_id!r} waits for nobody here", open=[])
        return {driver.run.id: driver for driver in (seat.driver, *self.descendants(run_id))}

    # Recovering

    async def recover(self, only: RunId | None = None, but: Collection[RunId] = ()) -> list[RunId]:
        """Recover the unfinished runs of the store, oldest first, and return the ids of the roots, and of `only`.

        `only` limits recovery to a run and its descendants; `but` excludes runs and their descendants. A run whose
        parent has ended meanwhile ends too, or continues as a root. A run that cannot be read is marked `unreadable`; a
        run that was in flight at three unclean ends without progress ends as `recovery_exhausted`. Neither stops the
        others.
        """
        unfinished = [
            run
            for run in await self._storage.runs.unfinished()
            if run.id not in self._registry
            and run.kind is not RunKind.RECORDING  # it waits as long as it is left
            and (only is None or only in (run.id, run.root))
            and run.id not in but
            and run.root not in but
        ]
        moved: set[RunId] = set()
        for at in range(0, len(unfinished), RECOVERY_BATCH):
            some = unfinished[at : at + RECOVERY_BATCH]
            left = await asyncio.gather(*(self._load(run) for run in some))
            moved |= await self._resume_recovered([found for found in left if found is not None])
        self._admit()
        return [run.id for run in unfinished if run.root is None or run.id in moved or run.id == only]

    async def _load(self, run: Run) -> RecoveredRun | None:
        """Return the recovered run; None if it cannot be read, which is then stored."""
        try:
            return await load_recovered_run(run, self._storage)
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
            log.warning("run %s cannot be read: %s", run.id, error.message)
            await self._storage.commit([MarkUnreadable(run.id, error.message)])
            return None

    async def _resume_recovered(self, left: Sequence[RecoveredRun]) -> set[RunId]:
        """Enqueue the recovered runs, unless they have ended since. Returns the ids of runs that became roots.

        The compare-and-set in the store comes first, in a single commit: a run that another caller ended or recovered
        between the read and this point is lost there and left alone. Only then are its events published and its end,
        its new root or its place in the queue decided. A run that waited for the user gets its driver at once and keeps
        waiting.
        """
        again, moved = [], set[RunId]()
        for found in left:
            if found.unclean_ends >= MAX_UNCLEAN_ENDS:
                self._republish(found)
                await self._end_recovered(found, RunStatus.ERROR, RECOVERY_EXHAUSTED)
            else:
                again.append(found)
        lost = await self._storage.commit([found.back for found in again]) if again else frozenset()
        for position, found in enumerate(again):
            run, above = found.run, await self._parent_of(found.run)
            if position in lost or run.id in self._registry:
                continue
            self._republish(found)
            if ends_with_parent(run, above):
                await self._end_recovered(found, RunStatus.CANCELLED)
                continue
            seat = self._recovered_active(found)
            self._registry.add(seat)
            if (root := current_root(run, above)) != run.root:
                self._change_root(seat, root)
                moved |= {run.id} if root is None else set()
            if run.status is RunStatus.WAITING or not seat.has_own_slot:
                self._begin(seat)
            else:
                self._registry.enqueue(seat)
        return moved

    async def _parent_of(self, run: Run) -> Run | None:
        """Return the row of the parent run."""
        if run.parent is None:
            return None
        seat = self._registry.get(run.parent)
        return seat.run if seat is not None and not seat.is_finished else await self._storage.runs.get(run.parent)

    def _republish(self, left: RecoveredRun) -> None:
        """Publish the events of a previous process: observers have not seen them, and repeated events change
        nothing."""
        for event in left.events:
            self._bus.publish(event)

    def _recovered_active(self, left: RecoveredRun) -> ActiveRun:
        run = left.run
        journal = self.journal.open(run.id, run.workflow_id, run.message_id, left.last_seq)
        return ActiveRun(left.as_taken_up, left.snapshot, journal, left.remains)


def _apply_state_edit(driver: Driver, found: Interruption, answer: Answer) -> None:
    """Edit the outputs that the step is about to read. Raises Refused `bad_answer`, `consumed`."""
    made, outputs = state_patches(found, answer)
    for name in outputs:
        consumers = driver.steps.consumers(name, but=found.ask.step)
        if consumers:
            message = f"{', '.join(consumers)} has read the output of {name} already; fork the run from there"
            raise Refused("consumed", message, step=name, consumers=consumers)
    driver.steps.edit_outputs(made, outputs)
