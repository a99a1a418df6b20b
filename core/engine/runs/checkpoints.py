"""Checkpoints of a run: facts, for its observers and for the next start (`core.domain.progress`).

The output rule of ENGINE §10 is applied here. The facts of a step without effects are emitted: they are visible
immediately and on disk with the next group. An effect may be visible outside the process already, so its facts are
committed: on disk first, then published.
"""

from asyncio import Future
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.domain.events import (
    Fact,
    MessageAdded,
    RawResultSaved,
    RunFinished,
    RunResumed,
    RunStarted,
    RunWaiting,
    StatePatched,
    StepFinished,
    StepPreset,
    StepRetry,
    StepSkipped,
    StepStarted,
    ToolEnded,
    with_text,
)
from core.domain.messages import Message, MessageState, Role
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus, StepKey, StepStatus
from core.domain.template import ReturnAction
from core.domain.text.json_text import decode, encode
from core.domain.tool import Effect
from core.engine.interruptions.answers import StatePatch
from core.engine.log.run_journal import RunJournal
from core.engine.plan.outcomes import CallOutcome
from core.engine.plan.planner import Cancelled, Failed, RunOutcome, Succeeded
from core.ports import NO_INTERRUPTED_WORK, ChangeRun, Claim, Clock, InterruptedWork, PutMessage, Write
from core.threads.long_values import encode_output_async

RUNNING = frozenset({RunStatus.RUNNING})
WAITING = frozenset({RunStatus.WAITING})
RUNNING_OR_WAITING = RUNNING | WAITING
ENQUEUED = frozenset({RunStatus.ENQUEUED})


class Checkpoints:
    """Writes the transitions of a run and of its steps. Counts active time and keeps the outputs that become the
    run's.
    """

    def __init__(self, run: Run, log: RunJournal, clock: Clock, terminal: Iterable[str], active_ms: int) -> None:
        self._run = run
        self._log = log
        self._clock = clock
        self._terminal = frozenset(terminal)
        self._outputs: dict[str, str] = {}
        self._active_ms = active_ms
        self._since: float | None = None

    def active_ms(self) -> int:
        """Return the active time of the run in milliseconds, including that of previous processes."""
        since = self._since
        return self._active_ms + (round((self._clock.monotonic() - since) * 1000) if since is not None else 0)

    def keep_output(self, step: str, output_json: str | None) -> None:
        """Keep the output text of a step: it may become the output of the run."""
        self._outputs[step] = output_json or "null"

    def claim_run(self) -> "Future[frozenset[int]]":
        """Claim the run. The future returns an empty set if the claim was won; nothing is published before that."""
        self._since = self._clock.monotonic()
        # the first start counts, also for a run that a previous process had begun
        change = ChangeRun(
            self._run.id, ENQUEUED, RunStatus.RUNNING, started_at=self._run.started_at or self._clock.now()
        )
        return self._log.commit(writes=[change])

    def run_started(self) -> None:
        self._log.emit(RunStarted())

    def run_waits(self) -> "Future[frozenset[int]]":
        """Write that the run waits for the user, and stop counting active time."""
        self._active_ms, self._since = self.active_ms(), None
        change = ChangeRun(self._run.id, RUNNING, RunStatus.WAITING, active_ms=self._active_ms)
        return self._log.commit(RunWaiting(), writes=[change])

    def run_resumed(self) -> None:
        self._since = self._clock.monotonic()
        self._log.commit(RunResumed(), writes=[ChangeRun(self._run.id, WAITING, RunStatus.RUNNING)])

    def run_released(self) -> "Future[frozenset[int]]":
        """Write the run back as `enqueued`, because the app is closing: the next process continues it."""
        change = ChangeRun(self._run.id, RUNNING, RunStatus.ENQUEUED, active_ms=self.active_ms())
        return self._log.commit(writes=[change])

    def emit(self, *facts: Fact) -> None:
        """Emit facts that have no row of their own."""
        self._log.emit(*facts)

    def claim(self, key: StepKey, attempt: int = 1) -> "Future[frozenset[int]]":
        """Claim an attempt of a step with effects: its start is a fact on disk before it begins.

        The future returns an empty set if the claim was won and all earlier entries are on disk.
        """
        started = StepStarted(step=key.step, index=key.index, attempt=attempt, claimed=True, active_ms=self.active_ms())
        return self._log.commit(started, writes=[Claim(self._run.id)])

    def step_started(self, key: StepKey, total: int | None = None, attempt: int = 1) -> None:
        self._log.emit(StepStarted(step=key.step, index=key.index, total=total, attempt=attempt))

    def step_retrying(self, key: StepKey, attempt: int, delay_s: float, error: ErrorInfo, effect: Effect) -> None:
        """Write that the attempt failed, and that the next attempt starts after the delay."""
        fact = StepRetry(
            step=key.step,
            index=key.index,
            attempt=attempt,
            delay_ms=round(delay_s * 1000),
            error=error.as_dict(),
            active_ms=self.active_ms(),
        )
        self._write(effect, fact)

    def raw_result_kept(
        self, key: StepKey, raw: Any, raw_json: str, ended: ToolEnded, attempt: int
    ) -> "Future[frozenset[int]]":
        """Commit the raw result of a tool with the end of its call. The output is still to be computed from it."""
        fact = RawResultSaved(step=key.step, index=key.index, attempt=attempt, raw=raw, active_ms=self.active_ms())
        return self._log.commit(ended, with_text(fact, raw_json))

    def state_patched(self, patches: Iterable[StatePatch], outputs: Mapping[str, Any]) -> None:
        """Commit outputs that the user edited, in the same group as the answer."""
        facts = [StatePatched(path=patch.path, old=patch.old, new=patch.new) for patch in patches]
        for step in outputs.keys() & self._terminal:
            self.keep_output(step, encode(outputs[step]))
        self._log.commit(*facts)

    def step_preset(self, step: str, output: Any) -> None:
        """Commit the preset result of a step that was not run."""
        text = encode(output)
        if step in self._terminal:
            self.keep_output(step, text)
        self._log.commit(with_text(StepPreset(step=step, output=output), text))

    def step_skipped(self, step: str, value: Any) -> None:
        if step in self._terminal:
            self.keep_output(step, None)
        self._log.emit(StepSkipped(step=step, value=value, active_ms=self.active_ms()))

    def step_completed(self, outcome: CallOutcome, output_json: str) -> None:
        """Write the result of a step. For an instant call, its start is emitted in the same entry
        (`CallOutcome.is_instant`).
        """
        key, is_return = outcome.call.key, isinstance(outcome.call.step.action, ReturnAction)
        if key.index is None and (is_return or key.step in self._terminal):
            self.keep_output(key.step, output_json)
        fact = StepFinished(
            step=key.step,
            index=key.index,
            attempt=outcome.attempt,
            status=StepStatus.COMPLETED,
            output=outcome.output,
            active_ms=self.active_ms(),
        )
        with_text(fact, output_json)
        if outcome.is_instant:
            self._log.emit(StepStarted(step=key.step, index=key.index), fact)
        else:
            self._write(outcome.effect, fact)

    def step_failed(self, outcome: CallOutcome, error: ErrorInfo) -> None:
        key = outcome.call.key
        if key.index is None and key.step in self._terminal:
            self.keep_output(key.step, None)
        fact = StepFinished(
            step=key.step,
            index=key.index,
            attempt=outcome.attempt,
            status=StepStatus.ERROR,
            error=error.as_dict(),
            active_ms=self.active_ms(),
        )
        if outcome.is_instant:
            self.step_started(key)
        self._write(outcome.effect, fact)

    def step_cancelled(self, key: StepKey, work: InterruptedWork = NO_INTERRUPTED_WORK) -> None:
        """Emit the cancellation of a step; it reaches the disk together with the end of the run.

        `work` is the interrupted work of its agent.
        """
        fact = StepFinished(step=key.step, index=key.index, status=StepStatus.CANCELLED, active_ms=self.active_ms())
        facts, writes = work.closed(self._run, key, self._clock.now())
        self._log.emit(*facts, fact, writes=writes)

    def run_finished(self, outcome: RunOutcome) -> "Future[frozenset[int]]":
        """Commit the end of the run with its message: the only terminal transition."""
        status, error, output_json = self._run_result(outcome)
        active_ms = self.active_ms()
        change = ChangeRun(
            self._run.id,
            RUNNING_OR_WAITING,
            status,
            finished_at=self._clock.now(),
            output_json=output_json,
            error=error,
            active_ms=active_ms,
        )
        writes: list[Write] = [change]
        facts: list[Fact] = []
        if (message := self._closing_message(status, output_json)) is not None:
            writes.append(PutMessage(message))
            facts.append(MessageAdded(role=Role.ASSISTANT, text=message.text, message_id=message.id))
        ended = RunFinished(status=status, error=error.as_dict() if error else None, active_ms=active_ms)
        return self._log.commit(*facts, ended, writes=writes)

    def _run_result(self, outcome: RunOutcome) -> tuple[RunStatus, ErrorInfo | None, str | None]:
        match outcome:
            case Succeeded([name]):
                return RunStatus.SUCCESS, None, self._outputs[name]
            case Succeeded(names):
                pairs = (f"{encode(name)}:{self._outputs[name]}" for name in names)
                return RunStatus.SUCCESS, None, "{" + ",".join(pairs) + "}"
            case Failed(error):
                return RunStatus.ERROR, error, None
            case Cancelled():
                return RunStatus.CANCELLED, None, None

    def _closing_message(self, status: RunStatus, output_json: str | None) -> Message | None:
        """Return the message of the finished run; None where it has one already or must not have one.

        The message of a template is its output. The message of a chat turn was written by its agent, if it got that
        far. A child run has none: its parent displays the output.
        """
        run = self._run
        if run.parent is not None or (run.kind is RunKind.CHAT and self._log.is_message_emitted):
            return None
        text = output_json or ""
        # a text is shown as it is, any other output as JSON
        if text.startswith('"'):
            text = decode(text)
        state = MessageState.INTERRUPTED if status is RunStatus.CANCELLED else MessageState.FINAL
        return Message(run.message_id, run.workflow_id, Role.ASSISTANT, text, run.created_at, state, run.id)

    def _write(self, effect: Effect, fact: Fact) -> None:
        if effect is Effect.NONE:
            self._log.emit(fact)
        else:
            self._log.commit(fact)


@dataclass(slots=True)
class RawResult:
    """The raw result of a tool call, before `transformCode` computes the output from it (ENGINE §2).

    It is on disk before the transform begins. From then on the call is never repeated: retries, and the next process,
    begin with the stored result. `text` is its JSON; None while the call has not succeeded.
    """

    key: StepKey
    checkpoints: Checkpoints
    text: str | None = None

    @property
    def is_kept(self) -> bool:
        return self.text is not None

    async def keep(self, value: Any, ended: ToolEnded, attempt: int) -> str:
        """Commit the result together with the end of its call, and return its JSON once it is on disk.

        Raises StepFailed `not_json` or `output_too_large`, with the limits of an output.
        """
        text = await encode_output_async(value)
        await self.checkpoints.raw_result_kept(self.key, value, text, ended, attempt)
        self.text = text
        return text
