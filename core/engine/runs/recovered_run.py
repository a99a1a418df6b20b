"""Loads what a previous process left of a run (ENGINE §10).

Recovery has to answer three questions about a run from its facts alone. How far did it get? A step with a result is
done. What was interrupted? A step whose claim has no result, and an agent's open calls and streamed text. Does it make
progress at all? A run that keeps crashing the app must not do so forever, so the number of facts that are progress is
stored at each unclean end, and the third end in a row without another ends the run. Progress is whatever was
acknowledged besides a claim: results, whole answers, finished calls, questions, the user's answers, waiting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.domain.access import Allowance
from core.domain.events import (
    AnswerSaved,
    Event,
    Fact,
    InterruptionClosed,
    InterruptionRaised,
    IterationsTaken,
    RawResultSaved,
    RunWaiting,
    StatePatched,
    StepFinished,
    StepPreset,
    StepRecorded,
    StepSkipped,
    StepStarted,
    SubAgentFinished,
    ToolEnded,
)
from core.domain.fold import replay
from core.domain.interruption import Interruption
from core.domain.live_run import LiveRun
from core.domain.messages import Message, MessageState
from core.domain.progress import RunProgress, progress_of
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus, Snapshot, StepKey, StepResult, StepStatus
from core.domain.sub_agent import is_sub_agent, location_of
from core.domain.template import AgentAction
from core.domain.text.stream import TextStream
from core.domain.tool import CallStatus, ToolCall
from core.ports import NO_INTERRUPTED_WORK, ChangeRun, InterruptedWork, Storage, Write

MAX_UNCLEAN_ENDS = 3


RESTORED_MARK = -1
"""In place of the number of unclean ends, for a run that was at work in a backup that was restored."""


@dataclass(frozen=True, slots=True)
class RecoveredState:
    """What a previous process left of a run: results, interruptions, and the interrupted work of its agents."""

    results: Sequence[StepResult]
    interruptions: Sequence[Interruption]
    interrupted_work: Mapping[StepKey, InterruptedWork] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecoveredRun:
    """A run as the previous process left it."""

    run: Run
    snapshot: Snapshot
    state: RecoveredState
    events: Sequence[Event]
    allowances: Sequence[Allowance] = ()

    @property
    def last_seq(self) -> int:
        return self.events[-1].seq if self.events else 0

    @property
    def _progress(self) -> int:
        """The number of committed facts that bring the run further."""
        return sum(_is_progress(event.fact) for event in self.events)

    @property
    def unclean_ends(self) -> int:
        """How often in a row the run was in flight at an unclean end without progress, this time included."""
        run = self.run
        if run.status is not RunStatus.RUNNING:
            return run.unclean_ends
        return run.unclean_ends + 1 if run.unclean_ends and run.results_then == self._progress else 1

    @property
    def as_resumed(self) -> Run:
        """The run in the state in which it continues: enqueued, or waiting as before."""
        waits = self.run.status is RunStatus.WAITING
        return self.run if waits else replace(self.run, status=RunStatus.ENQUEUED)

    @property
    def takeover(self) -> ChangeRun:
        """The change that takes the run over; it is lost if the run has ended meanwhile."""
        if self.run.status is RunStatus.WAITING:
            return ChangeRun(self.run.id, frozenset({RunStatus.WAITING}), RunStatus.WAITING)
        return ChangeRun(
            self.run.id,
            frozenset({RunStatus.RUNNING, RunStatus.ENQUEUED}),
            RunStatus.ENQUEUED,
            unclean_ends=self.unclean_ends,
            results_then=self._progress if self.run.status is RunStatus.RUNNING else self.run.results_then,
        )


_PROGRESS = (
    *(StepFinished, StepSkipped, RawResultSaved, IterationsTaken, StepRecorded, StepPreset, StatePatched),
    *(InterruptionRaised, InterruptionClosed, RunWaiting, SubAgentFinished),
)


def _is_progress(fact: Fact) -> bool:
    match fact:
        case ToolEnded(status=status):  # an interrupted call is closed too, at each recovery
            return status in (CallStatus.COMPLETED, CallStatus.ERROR)
        case AnswerSaved(status=status):
            return status is StepStatus.COMPLETED
        case _:
            return isinstance(fact, _PROGRESS)


def recovery_exhausted(recovered: RecoveredRun) -> ErrorInfo:
    """Return why the run is not begun again, and how the user continues it."""
    run = recovered.run
    ended = {event.fact.step for event in recovered.events if isinstance(event.fact, StepFinished | StepSkipped)}
    begun = [event.fact.step for event in recovered.events if isinstance(event.fact, StepStarted)]
    # What only reads may have left no trace: then the first step without an end.
    unended = [
        name for name in (*begun, *(step.name for step in recovered.snapshot.template.steps)) if name not in ended
    ]
    step = unended[0] if unended and run.kind is RunKind.WORKFLOW else None
    how = (
        f"retry it in the window, or with `fork {run.id} {step}`: it goes on from {step}, whose call may have been made"
        if step is not None
        else "send the message again: what was done is known"
    )
    message = (
        f"the app ended {MAX_UNCLEAN_ENDS} times while this run was at work, and it made no progress in between; {how}"
    )
    return ErrorInfo("recovery_exhausted", message, step, "engine")


RESTORED = ErrorInfo(
    "restored",
    "the data was restored from a backup that was made while this run was at work; what it did afterwards is not known",
    failed_during="engine",
)


async def load_recovered_run(run: Run, storage: Storage) -> RecoveredRun:
    """Load what is left of an unfinished run. Raises StorageFailed, `unreadable` if its rows are damaged."""
    snapshot = await storage.snapshots.of_run(run.id)
    events = await storage.events.of_run(run.id)
    progress = progress_of(run.id, events)
    results = progress.results
    agents = {step.name for step in snapshot.template.steps if isinstance(step.action, AgentAction)}
    open_rows = [result for result in results if not result.status.is_final]
    has_interrupted_agent = any(row.key.step in agents or is_sub_agent(row.key.step) for row in open_rows)
    work = await _interrupted_work(run, storage, events, progress, open_rows) if has_interrupted_agent else {}
    state = RecoveredState(results, progress.interruptions, work)
    return RecoveredRun(run, snapshot, state, events, progress.allowances)


async def _interrupted_work(
    run: Run, storage: Storage, events: Sequence[Event], progress: RunProgress, open_rows: Sequence[StepResult]
) -> dict[StepKey, InterruptedWork]:
    """Return the interrupted work of agents by step, with that of their sub-agents below it.

    Stored chunks continue the text of the events: what an event already contains comes before the chunks.
    """
    calls: dict[StepKey, list[ToolCall]] = {}
    for call in progress.calls:
        if call.status is CallStatus.RUNNING:
            calls.setdefault(StepKey(call.step, call.index), []).append(call)
    streams: dict[StepKey, TextStream] = {}
    live = replay(events)
    # text is stored in chunks until its message is final; an agent continues after what was published already
    for chunk in await storage.chunks.of_run(run.id):
        key = StepKey(chunk.step, chunk.index)
        if key not in streams:
            streams[key] = _streamed_text(live, key)
        streams[key].append(chunk.offset, chunk.text)
    texts = {key: str(stream) for key, stream in streams.items()}
    rows = {row.key: row for row in open_rows if is_sub_agent(row.key.step) and row.key.round is None}
    work = {
        key: InterruptedWork(tuple(calls.get(key, ())), texts.get(key), rows.get(key))
        for key in {**calls, **texts, **rows}
    }
    by_agent: dict[StepKey, dict[StepKey, InterruptedWork]] = {}
    for key in [key for key in work if is_sub_agent(key.step)]:
        location = location_of(key.step)
        by_agent.setdefault(StepKey(location.step, location.index), {})[key] = work.pop(key)
    return {
        key: replace(work.get(key, NO_INTERRUPTED_WORK), below=by_agent.get(key, {})) for key in {**work, **by_agent}
    }


def _streamed_text(live: LiveRun | None, key: StepKey) -> TextStream:
    """Return the text of the agent or sub-agent, as far as events contain it."""
    if live is None:
        return TextStream()
    if (sub_agent_id := location_of(key.step).sub_agent_id) is not None:
        sub_agent = live.sub_agents.get(sub_agent_id)
        return TextStream() if sub_agent is None else sub_agent.text
    step = live.steps.get(key.step)
    return step.texts.get(key.index, TextStream()) if step is not None else TextStream()


def close_interrupted_steps(recovered: RecoveredRun, now: datetime) -> tuple[Sequence[Fact], Sequence[Write]]:
    """Return the facts and rows that close the interrupted steps of a run that nothing continues."""
    facts: list[Fact] = []
    writes: list[Write] = []
    for key, work in recovered.state.interrupted_work.items():
        more_facts, more_writes = work.closed(recovered.run, key, now)
        facts += more_facts
        writes += more_writes
    for row in recovered.state.results:
        # rounds end with their step, and sub-agents were closed with the work of their agents above
        if not row.status.is_final and row.key.round is None and not is_sub_agent(row.key.step):
            facts.append(StepFinished(step=row.key.step, index=row.key.index, status=StepStatus.CANCELLED))
    return facts, writes


async def closing_message(run: Run, status: RunStatus, storage: Storage) -> Message | None:
    """Return the open message of the run as it is closed; None if it has no open message."""
    messages = [
        message for message in await storage.messages.of_workflow(run.workflow_id) if message.id == run.message_id
    ]
    if not messages or messages[-1].state is not MessageState.OPEN:
        return None
    is_interrupted = status is RunStatus.CANCELLED or messages[-1].text
    return replace(messages[-1], state=MessageState.INTERRUPTED if is_interrupted else MessageState.FINAL)
