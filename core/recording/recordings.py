"""The recordings of a store: started, filled, recovered after a crash, and ended (ENGINE §11).

    begin ──► open ──(calls become steps; results are preset; the input is replaced)──► sealed | ended | cancelled

A recording is a run without a driver: it uses no slot and no active time, and waits indefinitely. Everything that
happens to it is a fact of its run. The facts of a call are committed with those that its own run has of it, so a crash
loses both or neither.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from core.domain.events import (
    Fact,
    RecordingInput,
    RecordingSealed,
    RunCreated,
    RunFinished,
    RunStarted,
    StepFinished,
    StepPreset,
    with_text,
)
from core.domain.ids import MessageId, RunId, WorkflowId, new_id
from core.domain.recording import Recording
from core.domain.run import ACTIVE_STATUSES, Run, RunKind, RunStatus, Snapshot, StepStatus
from core.domain.template import Template
from core.domain.text.json_text import encode_output
from core.domain.text.masking import masked
from core.domain.workflow import Workflow
from core.engine.log.journal import Journal
from core.engine.plan.refs import NAME, ROOTS
from core.engine.runs.run_registry import stored_run
from core.errors import NotFound, Refused, StepFailed, StorageFailed
from core.ports import (
    PAGE_ROWS,
    ChangeRun,
    Clock,
    Companion,
    CreateRun,
    MarkUnreadable,
    Put,
    Storage,
    StoredTemplate,
    Write,
)
from core.recording.call_recorder import RunCallRecorder
from core.recording.open_recording import OpenRecording, RecordingStart

log = logging.getLogger(__name__)

MAX_NAME_LENGTH = 128


class RecordingRegistry:
    """All recordings of a store. Open recordings are loaded on first use and stay in memory."""

    def __init__(self, storage: Storage, journal: Journal, clock: Clock) -> None:
        self._storage = storage
        self._journal = journal
        self._clock = clock
        self._open: dict[WorkflowId, OpenRecording] = {}
        self._unread: dict[WorkflowId, Run] | None = None
        self._reading = asyncio.Lock()

    # Finding

    async def find_open(self, workflow_id: WorkflowId) -> OpenRecording | None:
        """Return the open recording of the workflow. Raises StorageFailed."""
        if (opened := self._open.get(workflow_id)) is not None:
            return opened
        if self._unread is not None and workflow_id not in self._unread:
            return None
        async with self._reading:  # two callers must not get two objects of the same recording
            if self._unread is None:
                unfinished = await self._storage.runs.unfinished()
                self._unread = {run.workflow_id: run for run in unfinished if run.kind is RunKind.RECORDING}
            run = self._unread.get(workflow_id)
            if run is None or workflow_id in self._open:
                return self._open.get(workflow_id)
            opened = await self._read(run)
            self._unread.pop(workflow_id, None)
            if opened is not None:
                self._open[workflow_id] = opened
            return opened

    async def ended_since(self, workflow_id: WorkflowId, since: datetime) -> OpenRecording | None:
        """Return a recording of the workflow that was still open at that time and has ended since; it accepts no
        steps.
        """
        for run in await self._storage.runs.page(workflow_id=workflow_id, limit=PAGE_ROWS):
            if run.kind is RunKind.RECORDING and run.finished_at is not None and run.finished_at >= since:
                return await self._read(run)
        return None

    def recorder(self, run: Run, *, is_fresh: bool) -> RunCallRecorder:
        """Return a recorder of the run's agent calls. `is_fresh`: no previous process began the run."""
        since = None if is_fresh else run.created_at
        return RunCallRecorder(self, run.id, run.workflow_id, since)

    async def all_open(self) -> list[OpenRecording]:
        """Return every open recording, the oldest first."""
        await self.find_open(WorkflowId(""))
        for workflow_id in list(self._unread or ()):
            await self.find_open(workflow_id)
        return sorted(self._open.values(), key=lambda opened: opened.run.created_at)

    async def _read(self, run: Run) -> OpenRecording | None:
        """Load an open recording; if it is unreadable, mark it so and return None."""
        try:
            snapshot = await self._storage.snapshots.of_run(run.id)
            events = await self._storage.events.of_run(run.id)
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
            log.warning("the recording %s cannot be read: %s", run.id, error.message)
            await self._storage.commit([MarkUnreadable(run.id, error.message)])
            return None
        last_seq = events[-1].seq if events else 0
        journal = self._journal.open(run.id, run.workflow_id, run.message_id, last_seq)
        return OpenRecording(run, snapshot, journal, Recording.of(snapshot.input, events))

    async def run(self, run_id: RunId) -> Run:
        """Return the row of a recording. Raises NotFound, Refused `not_a_recording`."""
        run = await stored_run(self._storage, run_id)
        if run.kind is not RunKind.RECORDING:
            raise Refused("not_a_recording", f"{run_id} is no recording: it is a run of the kind {run.kind}")
        return run

    async def require_open(self, run_id: RunId) -> OpenRecording:
        """Return the recording if it is open.

        Raises NotFound, Refused: `not_a_recording`, `already_sealed`, `recording_ended`.
        """
        run = await self.run(run_id)
        opened = await self.find_open(run.workflow_id)
        if opened is not None and opened.run.id == run_id:
            return opened
        recording = await self.recording(run)
        if recording.template_id is not None:
            message = "the recording was exported as a template"
            raise Refused("already_sealed", message, template_id=recording.template_id)
        raise Refused("recording_ended", "the recording has ended and accepts no more steps", status=run.status)

    async def recording(self, run: Run) -> Recording:
        """Return the recorded steps, whether the recording is open or not. Raises StorageFailed."""
        opened = await self.find_open(run.workflow_id)
        if opened is not None and opened.run.id == run.id:
            return opened.recording
        return Recording.of(
            (await self._storage.snapshots.of_run(run.id)).input, await self._storage.events.of_run(run.id)
        )

    # Beginning

    async def begin(
        self, workflow: Workflow, new_input: Mapping[str, Any] | None, rules: Snapshot | None
    ) -> RecordingStart:
        """Start a recording in the workflow, or continue the open recording; `new_input` replaces its input.

        `rules` are the mode, folders and base of calls that are made in the recording alone. Nothing is written yet.
        Raises Refused `bad_input`, StorageFailed.
        """
        if new_input is not None:
            _require_storable(new_input, "the input")
        opened = await self.find_open(workflow.id)
        if opened is not None:
            facts = [RecordingInput(input=dict(new_input))] if new_input is not None else []
            return RecordingStart(opened, Companion(opened.log, facts) if facts else None)
        now = self._clock.now()
        template = Template(title=workflow.title or "Recording", steps=[])
        snapshot = replace(rules or Snapshot(template, {}), template=template, input=dict(new_input or {}), gated=False)
        run = Run(
            RunId(new_id("run")),
            workflow.id,
            RunKind.RECORDING,
            template.title,
            RunStatus.RUNNING,
            MessageId(new_id("msg")),
            now,
            started_at=now,
        )
        journal = self._journal.open(run.id, run.workflow_id, run.message_id)
        created = RunCreated(kind=run.kind, title=run.title, message_id=run.message_id, steps=[], mode=snapshot.mode)
        opened = OpenRecording(run, snapshot, journal, Recording(snapshot.input))
        self._open[workflow.id] = opened
        companion = Companion(journal, [created, RunStarted()], [CreateRun(run, snapshot)])
        return RecordingStart(opened, companion, partial(self.forget, workflow.id))

    async def start(self, workflow_id: WorkflowId, new_input: Mapping[str, Any] | None = None) -> OpenRecording:
        """Start or continue a recording as `begin` does, and commit it. Raises NotFound too."""
        workflow = await self._storage.workflows.get(workflow_id)
        if workflow is None:
            raise NotFound("workflow", workflow_id)
        beginning = await self.begin(workflow, new_input, None)
        beginning.confirm()
        if (companion := beginning.companion) is not None:
            try:
                await beginning.opened.log.commit(*companion.facts, writes=companion.writes)
            except BaseException:
                beginning.discard()
                raise
        return beginning.opened

    # Filling

    async def preset(self, run_id: RunId, name: str, output: Any) -> None:
        """Set the result of a step without running it: a recorded step, a future call, or data for refs.

        Raises as `require_open`, and Refused: `bad_input`, `step_running`.
        """
        opened = await self.require_open(run_id)
        if not NAME.fullmatch(name) or name in ROOTS or len(name) > MAX_NAME_LENGTH:
            message = f"{name[:MAX_NAME_LENGTH]!r} cannot be referred to: a name is made of A-Z, a-z, 0-9, _ and -"
            raise Refused("bad_input", message, step=name[:MAX_NAME_LENGTH])
        _require_storable(output, f"the result of {name}")
        if name in opened.names.values() or name in opened.at_work:
            raise Refused("step_running", f"{name} is at work: it will have a result of its own", step=name)
        stored = masked(output)
        fact = with_text(StepPreset(step=name, output=stored), encode_output(stored))
        opened.recording.apply(fact)
        # refs resolve to the value with its secrets; only the masked value is written
        opened.recording.steps[name].output = output
        await opened.log.commit(fact)

    # Ending

    async def end(
        self, opened: OpenRecording, status: RunStatus, template: StoredTemplate | None, output_json: str | None
    ) -> Run:
        """Commit the end of the recording, with its template if it was exported."""
        run, recording, now = opened.run, opened.recording, self._clock.now()
        running = [step.name for step in recording.steps.values() if step.status is StepStatus.RUNNING]
        template_id = template.id if template is not None else None
        facts: list[Fact] = [StepFinished(step=name, status=StepStatus.CANCELLED) for name in running]
        if status is RunStatus.SUCCESS:
            facts.append(RecordingSealed(template_id=template_id))
        facts.append(RunFinished(status=status))
        writes: list[Write] = [ChangeRun(run.id, ACTIVE_STATUSES, status, finished_at=now, output_json=output_json)]
        if template is not None:
            writes.append(Put(template))
        for fact in facts:
            recording.apply(fact)
        self.forget(run.workflow_id)
        await opened.log.commit(*facts, writes=writes)
        return await self.run(run.id)

    async def cancel(self, run: Run) -> None:
        """Cancel an open recording; an ended recording stays unchanged."""
        opened = await self.find_open(run.workflow_id)
        if opened is not None and opened.run.id == run.id:
            await self.end(opened, RunStatus.CANCELLED, None, None)

    def forget(self, workflow_id: WorkflowId) -> None:
        """Drop the recording of the workflow from memory: nothing is recorded any more."""
        self._open.pop(workflow_id, None)
        if self._unread is not None:
            self._unread.pop(workflow_id, None)


def _require_storable(value: Any, what: str) -> None:
    """Raise Refused `bad_input` for a value that cannot be stored."""
    try:
        encode_output(value)
    except StepFailed as error:
        raise Refused("bad_input", f"{what}: {error.message}") from None
