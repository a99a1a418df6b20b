"""The engine: takes runs in, gives them places, drives them, and finds them again after a crash.

    start ──► enqueued ──(a place is free)──► a Driver ──► success | error | cancelled
    recover ──► enqueued                        │ ▲          (its place goes to the next, first in first out)
                                                ▼ │
                                              waiting (holds no place)

Recovery goes through the same door as start, so doing it twice is harmless. Child runs run in their root's place.
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
from core.ports.storage import (
    PAGE_ROWS,
    ChangeRoot,
    ChangeRun,
    MarkUnreadable,
    PutMessage,
    PutStepResult,
    Storage,
    Write,
)
from core.ports.templates import TemplateResolver
from core.ports.tools import CallContext
from core.recording.call_recorder import RunCallRecorder
from core.recording.recordings import RecordingRegistry

log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 1.0
RECOVERY_BATCH = 50


class Engine:
    """All runs of one store. An async context manager: leaving it checkpoints what is still at work."""

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
        self._seats = RunRegistry(settings)
        self._subscription = bus.subscribe(SettingsChanged, lambda changed: self._admit())
        self._chores: set[asyncio.Task[None]] = set()
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
        seats = list(self._seats)
        await asyncio.gather(*(seat.driver.checkpoint() for seat in seats if seat.driver is not None))
        tasks = [seat.task for seat in seats if seat.task is not None] + list(self._chores)
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_TIMEOUT_S)
        for task in tasks:
            task.cancel()
        self.journal.close()
        await self._tasks.__aexit__(None, None, None)

    # Starting

    async def start(self, request: StartRequest) -> Run:
        """Make a run and give it a place, or a place in the queue.

        The same key gives the same run, for ever. Raises InvalidTemplate, or Refused (`bad_input`,
        `workflow_busy`, `limit_reached`): then nothing is left of it. Raises StorageFailed likewise.
        """
        (await self._validator.check_template(request.template)).require()
        await self._check_input(request)
        run_id = RunId(id_from_key("run", request.key) if request.key is not None else new_id("run"))
        if request.key is not None and (known := await self._known(run_id)) is not None:
            return known
        rows = await preset_rows(request, run_id, self._steps.schemas, self._clock.now())
        newest = None if request.in_new_workflow else await self.newest(request.workflow.id)
        if request.key is not None and (twin := self._seats.get(run_id)) is not None:
            return twin.run
        if newest is not None and newest.status in ACTIVE_STATUSES:
            raise workflow_busy(request.workflow.id, request.workflow.title)
        self._seats.require_place(request)
        seat = self._sit(run_id, request)
        seat.remains = RecoveredState(rows, ()) if rows else None
        is_new = await self._create(seat, request, preset_facts(request), [PutStepResult(row) for row in rows])
        if not is_new:  # the same key, that began and ended while this start was looking
            return await self.wait(run_id)
        begun = replace(request.workflow, updated_at=seat.run.created_at, archived_at=None)
        self._bus.publish(WorkflowChanged(begun))
        if seat.is_cancelled:  # while it was written down
            await self._cancel_waiting(seat)
        else:
            self._seats.queue(seat)
        self._admit()
        return seat.run

    async def _known(self, run_id: RunId) -> Run | None:
        seat = self._seats.get(run_id)
        return seat.run if seat is not None else await self._storage.run(run_id)

    async def newest(self, workflow_id: WorkflowId) -> Run | None:
        """The newest run of the workflow that no other run began, and that is no recording."""
        before: RunId | None = None
        while page := await self._storage.runs(workflow_id=workflow_id, limit=1, before=before):
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

    def _sit(self, run_id: RunId, request: StartRequest) -> ActiveRun:
        run, snapshot = request.run(run_id, self._clock.now()), request.snapshot()
        seat = ActiveRun(run, snapshot, self.journal.open(run.id, run.workflow_id, run.message_id))
        self._seats.take(seat)
        return seat

    async def _create(
        self, seat: ActiveRun, request: StartRequest, more: Sequence[Fact] = (), rows: Sequence[Write] = ()
    ) -> bool:
        """Write the run down. False, and nothing is left: there is one of that id."""
        try:
            facts, writes = creation_records(request, seat.run, seat.snapshot)
            is_ours = partial(self._is_ours, seat.run)
            lost = await seat.log.create(*facts, *more, writes=[*writes, *rows], is_ours=is_ours, beside=request.beside)
        except BaseException:
            self._seats.leave(seat)
            raise
        if lost:
            self._seats.leave(seat)
        return not lost

    async def _is_ours(self, run: Run) -> bool:
        """Whether this very run is on disk, not another of its key; False where that cannot be found out."""
        try:
            stored = await self._storage.run(run.id)
        except StorageFailed:
            return False
        return stored is not None and stored.message_id == run.message_id

    def _admit(self) -> None:
        """Give free places to those who wait."""
        if not self._is_closing:
            for seat in self._seats.admitted():
                self._begin(seat)

    def _begin(self, seat: ActiveRun) -> None:
        seat.driver = Driver(
            seat.run,
            seat.snapshot,
            seat.log,
            self._steps,
            self._clock,
            self,
            remains=seat.remains,
            no_progress_s=self._settings().no_progress_s,
        )
        seat.remains = None
        seat.is_waiting = seat.driver.is_waiting
        seat.task = self._tasks.create_task(self._drive(seat, seat.driver), name=f"run {seat.run.id}")

    async def _drive(self, seat: ActiveRun, driver: Driver) -> None:
        try:
            await driver.drive()
            if seat.is_finished:
                await seat.log.record()  # what ended after its run is told, and maybe not written yet
        except Exception as error:
            log.exception("run %s broke", seat.run.id)
            info = ErrorInfo("internal", f"{type(error).__name__}: {error}", failed_during="engine")
            await self._end(seat, RunStatus.ERROR, info)
        finally:
            self._seats.leave(seat)
            self._admit()

    async def fork(self, run_id: RunId, step: str, given: Mapping[str, Any] | None = None) -> Run:
        """Start a run of the same snapshot, in a workflow of its own, that begins at `step`: what does not depend on
        it is taken over, once nothing of the run is in flight any more. `given` is another input.

        Raises NotFound for the run or the step, Refused `run_active` for one that still works, and as `start`.
        """
        source = await self._stored(run_id)
        if not source.status.is_final and source.status is not RunStatus.WAITING:
            raise Refused("run_active", f"the run is {source.status}; only a finished or waiting one can be forked")
        snapshot = await self._storage.snapshot(run_id)
        steps = snapshot.template.steps
        if step not in {one.name for one in steps}:
            raise NotFound("step", step)
        request = fork_request(source, snapshot, given, self._clock.now())
        await self._check_input(request)
        if source.status.is_final and (ending := self._seats.get(run_id)) is not None:
            await ending.ended.wait()  # what was in flight at its end has results too (ENGINE §5)
        fork_id = RunId(new_id("run"))
        results = reused_results(steps, step, await self._storage.step_results(run_id), fork_id)
        self._seats.require_place(request)
        seat = self._sit(fork_id, request)
        seat.remains = RecoveredState(results, ())
        rows = [PutStepResult(result) for result in results]
        await self._create(seat, request, reused_facts(results), rows)
        self._bus.publish(WorkflowChanged(request.workflow))
        self._seats.queue(seat)
        self._admit()
        return seat.run

    # What drivers tell

    def waits(self, run: Run, written: "asyncio.Future[Any] | None") -> None:
        """A `core.engine.runs.driver.RunHost`: the run waits for a person, once that is `written`; None: it goes on."""
        seat = self._seat(run.id)
        seat.is_waiting = written is not None
        if seat.parent is not None:
            parent, key = seat.parent
            parent.child_waits(key, is_waiting=seat.is_waiting)
        if written is None:
            seat.settled.clear()
            return
        written.add_done_callback(lambda _: seat.settled.set() if seat.is_waiting else None)
        self._admit()

    def ended(self, run: Run, *, is_success: bool) -> None:
        """The end of the run is on disk. A child that nobody awaits goes on after a success, as a root of its own;
        else it is cancelled."""
        ending = self._seat(run.id)
        ending.is_finished, ending.is_success = True, is_success
        for seat in self._seats.unawaited(run.id) if is_success else ():
            self._move(seat, None)
        if not is_success:
            for driver in self.below(run.id):
                driver.cancel()
        self._admit()

    def _move(self, seat: ActiveRun, root: RunId | None) -> None:
        """Put a driven run below another root, or make it one, and what is below it with it."""
        seat.run = replace(seat.run, root=root)
        if seat.driver is not None:
            seat.driver.run = seat.run
        seat.log.record(RootChanged(root_run_id=root), writes=[ChangeRoot(seat.run.id, root)])
        for below in self._seats:
            if below.run.parent == seat.run.id and below.is_driven and not below.is_root:
                self._move(below, root or seat.run.id)

    def recorder(self, run: Run, *, is_fresh: bool) -> CallRecorder:
        """A `core.engine.runs.driver.RunHost`. What a call begins is no step of its own: the call is."""
        if run.kind is not RunKind.CHAT or run.parent is not None:
            return NO_RECORDER
        since = None if is_fresh else run.created_at
        return RunCallRecorder(self.recordings, run.id, run.workflow_id, self._clock, since)

    async def is_claimed(self, run_id: RunId) -> bool:
        """A `core.engine.runs.driver.RunHost`."""
        return (await self._stored(run_id)).status is RunStatus.RUNNING

    async def asked_above(self, run: Run) -> list[Interruption]:
        """A `core.engine.runs.driver.RunHost`."""
        return await ancestor_interruptions(run, self._seats, self._storage)

    def below(self, run_id: RunId) -> list[Driver]:
        """A `core.engine.runs.driver.RunHost`."""
        return self._seats.below(run_id)

    def _seat(self, run_id: RunId) -> ActiveRun:
        seat = self._seats.get(run_id)
        assert seat is not None
        return seat

    async def run_child(self, parent: Driver, call: StepCall, attempt: int, workflow: WorkflowCall) -> Any:
        """Run another template to its end, as a step of `parent`; the same step and attempt give the same child.

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
        """A `core.ports.executions.Executions`."""
        above = self._seats.get(context.run_id)
        if above is None or above.driver is None:
            raise StepFailed("not_found", f"the run {context.run_id!r} is not at work")
        run_id = call_child_id(context.run_id, context.call_id)
        seat = await self._child(run_id, above.driver, ChildRunRequest(template_id, None, given, timeout_ms, wait))
        if wait and seat is not None:
            await self._await_child(seat, above.driver, above.driver.work.place_of(context.call_id))
        return await self._stored(run_id)

    async def _await_child(self, seat: ActiveRun, parent: Driver, key: StepKey | None) -> None:
        """Come back when the child has ended; cancelled meanwhile, it is cancelled too. While it waits for a person,
        so does the step of its parent that awaits it."""
        if key is not None:
            seat.parent = (parent, key)
            parent.child_waits(key, is_waiting=seat.is_waiting)
        try:
            await seat.ended.wait()
        except asyncio.CancelledError:
            await self._cancel_seat(seat)
            raise
        finally:
            if key is not None:
                parent.child_waits(key, is_waiting=False)

    async def _child(self, run_id: RunId, parent: Driver, wanted: ChildRunRequest) -> ActiveRun | None:
        """A seat for the child, that of its earlier life if it had one; None if it has ended."""
        known = self._seats.get(run_id)
        if known is not None:
            return known
        stored = await self._storage.run(run_id)
        if stored is not None and stored.status.is_final:
            return None
        if stored is not None:
            await self.recover(run_id)
            return self._seats.get(run_id)
        try:
            request = await self._children.request(parent.run, parent.snapshot, wanted)
            await self._check_input(request)
        except Refused as error:
            raise StepFailed(error.code, error.message, **error.parameters) from None
        seat = self._sit(run_id, request)
        facts, writes = creation_records(request, seat.run, seat.snapshot)
        is_ours = partial(self._is_ours, seat.run)
        creating = self._tasks.create_task(seat.log.create_below(parent.log, *facts, writes=writes, is_ours=is_ours))
        try:
            lost = await asyncio.shield(creating)
        except asyncio.CancelledError:
            chore = self._tasks.create_task(self._cancel_made(seat, creating))
            self._chores.add(chore)
            chore.add_done_callback(self._chores.discard)
            raise
        if lost:  # a write of unknown outcome was repeated
            self._seats.leave(seat)
            await self.recover(run_id)
            return self._seats.get(run_id)
        above = self._seats.get(parent.run.id)
        is_unwanted = above is None or (above.is_finished and (seat.run.awaited or not above.is_success))
        if seat.is_cancelled or is_unwanted:  # while it was written down
            await self._cancel_waiting(seat)
            return seat
        self._begin(seat)
        if above is not None and above.is_finished:
            self._move(seat, None)
        return seat

    # Following and ending

    def drives(self, run_id: RunId) -> bool:
        """Whether the run is at work in this process, or waits here for a place."""
        return run_id in self._seats

    @property
    def is_at_work(self) -> bool:
        """Whether any run is driven, or waits here for a place."""
        return any(not seat.is_waiting for seat in self._seats)

    async def wait(self, run_id: RunId) -> Run:
        """Come back when the run has ended, nothing of it is in flight and all of it is on disk, or it only waits for
        a person.

        Raises NotFound.
        """
        if (seat := self._seats.get(run_id)) is not None:
            await seat.settled.wait()
        return await self._stored(run_id)

    async def _stored(self, run_id: RunId) -> Run:
        run = await self._storage.run(run_id)
        if run is None:
            raise NotFound("run", run_id)
        return run

    async def cancel(self, run_id: RunId) -> Run:
        """End the run and those below it as cancelled, within a second. A finished run stays as it is.

        Raises NotFound.
        """
        seat = self._seats.get(run_id)
        if seat is None:
            await self._cancel_stored(run_id)
        else:
            await self._cancel_seat(seat)
            await seat.ended.wait()
        return await self._stored(run_id)

    async def cancel_workflow(self, workflow_id: WorkflowId, *, keep_recording: bool = False) -> None:
        """End every run of the workflow, those below others too, and its recording unless that is to be kept."""
        for run in await self._storage.runs(workflow_id=workflow_id, limit=PAGE_ROWS):
            if run.status in ACTIVE_STATUSES and not (keep_recording and run.kind is RunKind.RECORDING):
                await self.cancel(run.id)
        for seat in self._seats:
            if seat.run.workflow_id == workflow_id:
                await self._cancel_seat(seat)
                await seat.ended.wait()
        if not keep_recording:
            self.recordings.forget(workflow_id)

    async def _cancel_seat(self, seat: ActiveRun) -> None:
        if seat.driver is not None:
            seat.driver.cancel()
        elif self._seats.unqueue(seat):
            await self._cancel_waiting(seat)
        else:
            seat.is_cancelled = True

    async def _cancel_made(self, seat: ActiveRun, creating: "asyncio.Task[frozenset[int]]") -> None:
        """End a run that nobody wanted any more while it was written down. At the close of the app it is left as it is:
        the next process goes on with the step that wanted it, and with the run."""
        if await creating or self._is_closing:
            self._seats.leave(seat)
        else:
            await self._cancel_waiting(seat)

    async def _cancel_waiting(self, seat: ActiveRun) -> None:
        """End a run that has left the queue, and never began."""
        try:
            await self._end(seat, RunStatus.CANCELLED, None)
        finally:
            self._seats.leave(seat)

    async def _cancel_stored(self, run_id: RunId) -> None:
        """Cancel a run that no process drives: what a crash left behind."""
        run = await self._stored(run_id)
        if run.status not in ACTIVE_STATUSES:
            return
        if run.kind is RunKind.RECORDING:
            await self.recordings.cancel(run)
            return
        for child in await self._storage.children(run_id):
            await self._cancel_stored(child.id)
        await self._end_found(await load_recovered_run(run, self._storage), RunStatus.CANCELLED)

    async def _end_found(self, found: RecoveredRun, status: RunStatus, error: ErrorInfo | None = None) -> None:
        seat = self._seat_of(found)
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
        """Write the end of a run that has no driver, with its message, and with the facts and rows that come before."""
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
        await seat.log.record(*facts, ended, writes=writes)

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
        """Answer an open interruption of the run or of one below it; with neither name, the only one that is open.
        `require` raises where that one may not be answered so.

        Raises NotFound for a run that is not at work here, Refused: `nothing_open`, `which_interruption`,
        `already_answered`, `consumed`, `bad_answer`; nothing has changed then.
        """
        drivers = self._drivers_of(run_id)
        known = [one for driver in drivers.values() for one in driver.interruptions.all]
        found = select_interruption(known, interruption, step)
        require(found)
        driver = drivers[found.run_id]
        asking = driver.work.step(location_of(found.ask.step).step)
        await validate_answer(found, answer, asking, driver.work.tool_schema(found.ask.tool), self._steps.schemas)
        driver.interruptions.require_open(found)
        if found.ask.kind is InterruptionKind.STATE_EDIT and answer.action is Action.SUBMIT:
            _apply_state_edit(driver, found, answer)
        driver.interruptions.answer(found, answer)
        return found

    async def written(self, run_id: RunId) -> None:
        """Come back when all that the run and those below it have told until now is on disk."""
        seat = self._seats.get(run_id)
        if seat is not None:
            await asyncio.gather(*(log.record() for log in (seat.log, *(one.log for one in self.below(run_id)))))

    async def preset(self, run_id: RunId, step: str, output: Any) -> None:
        """Give the result of a step of a run that is at work here, which has not begun it; it is not run.

        Raises NotFound, Refused: `not_at_work`, `step_started`, `bad_preset`.
        """
        seat = self._seats.get(run_id)
        if seat is None or seat.driver is None or seat.is_finished:
            run = await self._stored(run_id)
            raise Refused("not_at_work", f"the run is not at work here: it is {run.status}", status=run.status)
        await validate_preset(seat.snapshot.template, step, output, self._steps.schemas)
        seat.driver.preset(step, output)

    def _drivers_of(self, run_id: RunId) -> dict[RunId, Driver]:
        """Those of the run and of all below it."""
        seat = self._seats.get(run_id)
        if seat is None or seat.driver is None:
            raise Refused("nothing_open", f"the run {run_id!r} waits for nobody here", open=[])
        return {driver.run.id: driver for driver in (seat.driver, *self.below(run_id))}

    # Recovering

    async def recover(self, only: RunId | None = None, but: Collection[RunId] = ()) -> list[RunId]:
        """Take in every unfinished run of the store (or `only` that one with those below it) `but` these and those
        below them, oldest first, and give the ids of those that are roots, and of `only`.

        A run whose parent has ended meanwhile ends too, or goes on as a root. One that cannot be read is marked
        `unreadable`; one that was in flight at three unclean ends without coming further ends as `recovery_exhausted`.
        Neither stops another.
        """
        unfinished = [
            run
            for run in await self._storage.unfinished_runs()
            if run.id not in self._seats
            and run.kind is not RunKind.RECORDING  # it waits as long as it is left
            and (only is None or only in (run.id, run.root))
            and run.id not in but
            and run.root not in but
        ]
        moved: set[RunId] = set()
        for at in range(0, len(unfinished), RECOVERY_BATCH):
            some = unfinished[at : at + RECOVERY_BATCH]
            left = await asyncio.gather(*(self._examine(run) for run in some))
            moved |= await self._take_up([found for found in left if found is not None])
        self._admit()
        return [run.id for run in unfinished if run.root is None or run.id in moved or run.id == only]

    async def _examine(self, run: Run) -> RecoveredRun | None:
        """What is left of the run; None, and it is marked, if that cannot be read."""
        try:
            return await load_recovered_run(run, self._storage)
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
            log.warning("run %s cannot be read: %s", run.id, error.message)
            await self._storage.commit([MarkUnreadable(run.id, error.message)])
            return None

    async def _take_up(self, left: Sequence[RecoveredRun]) -> set[RunId]:
        """Put the runs back into the queue, unless they have ended since they were found. One that waits for a person
        goes on waiting. Gives those that are roots from now on."""
        again, moved = [], set[RunId]()
        for found in left:
            if found.unclean_ends >= MAX_UNCLEAN_ENDS:
                self._tell_again(found)
                await self._end_found(found, RunStatus.ERROR, RECOVERY_EXHAUSTED)
            else:
                again.append(found)
        lost = await self._storage.commit([found.back for found in again]) if again else frozenset()
        for position, found in enumerate(again):
            run, above = found.run, await self._above(found.run)
            if position in lost or run.id in self._seats:
                continue
            self._tell_again(found)
            if ends_with_parent(run, above):
                await self._end_found(found, RunStatus.CANCELLED)
                continue
            seat = self._seat_of(found)
            self._seats.take(seat)
            if (root := current_root(run, above)) != run.root:
                self._move(seat, root)
                moved |= {run.id} if root is None else set()
            if run.status is RunStatus.WAITING or not seat.is_root:
                self._begin(seat)
            else:
                self._seats.queue(seat)
        return moved

    async def _above(self, run: Run) -> Run | None:
        """The row of the run that began this one."""
        if run.parent is None:
            return None
        seat = self._seats.get(run.parent)
        return seat.run if seat is not None and not seat.is_finished else await self._storage.run(run.parent)

    def _tell_again(self, left: RecoveredRun) -> None:
        """Those who watch know nothing of an earlier life; what they know already changes nothing."""
        for event in left.events:
            self._bus.publish(event)

    def _seat_of(self, left: RecoveredRun) -> ActiveRun:
        run = left.run
        journal = self.journal.open(run.id, run.workflow_id, run.message_id, left.last_seq)
        return ActiveRun(left.as_taken_up, left.snapshot, journal, left.remains)


def _apply_state_edit(driver: Driver, found: Interruption, answer: Answer) -> None:
    """Change the outputs that the step is about to read. Raises Refused `bad_answer`, `consumed`."""
    made, outputs = state_patches(found, answer)
    for name in outputs:
        consumers = driver.work.consumers(name, but=found.ask.step)
        if consumers:
            message = f"{', '.join(consumers)} has read the output of {name} already; fork the run from there"
            raise Refused("consumed", message, step=name, consumers=consumers)
    driver.work.patch(made, outputs)
