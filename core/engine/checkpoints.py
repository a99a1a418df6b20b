"""Writing down what happens in a run: facts for those who watch, rows for the next start.

The output rule of ENGINE §10 lives here: what a step without effects says and keeps is told, what an
effect says and keeps is recorded.
"""

from asyncio import Future
from collections.abc import Iterable, Sequence
from typing import Any

from core.domain.events import Fact, MessageAdded, RunFinished, RunStarted, StepFinished, StepSkipped, StepStarted
from core.domain.json_text import decode, encode
from core.domain.message import Message, MessageState, Role
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus
from core.domain.step import StepKey, StepResult, StepStatus
from core.domain.tool import Effect
from core.engine.planner import Cancelled, Failed, Outcome, Succeeded
from core.engine.run_log import Log
from core.ports.clock import Clock
from core.ports.storage import ChangeRun, Claim, PutMessage, PutStepResult, Write

RUNNING = frozenset({RunStatus.RUNNING})
ENQUEUED = frozenset({RunStatus.ENQUEUED})


class Checkpoints:
    """The written side of one run at work. Knows its active time and the outputs that become the run's."""

    def __init__(self, run: Run, log: Log, clock: Clock, terminal: Iterable[str], active_ms: int) -> None:
        self._run = run
        self._log = log
        self._clock = clock
        self._terminal = frozenset(terminal)
        self._outputs: dict[str, str] = {}
        self._active_ms = active_ms
        self._since: float | None = None

    def active_ms(self) -> int:
        """Milliseconds that the run has been at work, over all its lives."""
        since = self._since
        return self._active_ms + (round((self._clock.monotonic() - since) * 1000) if since is not None else 0)

    def keep_output(self, step: str, output_json: str | None) -> None:
        """Remember a step's output text: it may become the run's output."""
        self._outputs[step] = output_json or "null"

    def claim_run(self) -> "Future[frozenset[int]]":
        """Claim the run: the future is empty if it is ours. Nothing is told before that is known."""
        self._since = self._clock.monotonic()
        change = ChangeRun(self._run.id, ENQUEUED, RunStatus.RUNNING, started_at=self._clock.now())
        return self._log.record(writes=[change])

    def run_started(self) -> None:
        self._log.tell(RunStarted())

    def claim(self, key: StepKey) -> "Future[frozenset[int]]":
        """Claim a step that leaves the process: the future is empty if it is ours, and all before it is on disk."""
        row = StepResult(
            self._run.id, key, StepStatus.RUNNING, started_at=self._clock.now(), active_ms=self.active_ms()
        )
        return self._log.record(writes=[Claim(row)])

    def step_started(self, key: StepKey, total: int | None = None) -> None:
        self._log.tell(StepStarted(step=key.step, index=key.index, total=total))

    def step_skipped(self, step: str, value: Any) -> None:
        if step in self._terminal:
            self.keep_output(step, None)
        row = self._row(StepKey(step), StepStatus.COMPLETED, "null", is_skipped=True)
        self._log.tell(StepSkipped(step=step, value=value), writes=[PutStepResult(row)])

    def step_completed(self, key: StepKey, output: Any, output_json: str, effect: Effect, *, is_return: bool) -> None:
        if key.index is None and (is_return or key.step in self._terminal):
            self.keep_output(key.step, output_json)
        fact = StepFinished(step=key.step, index=key.index, status=StepStatus.COMPLETED, output=output)
        self._say(effect, fact, [PutStepResult(self._row(key, StepStatus.COMPLETED, output_json))])

    def step_failed(self, key: StepKey, error: ErrorInfo, effect: Effect) -> None:
        if key.index is None and key.step in self._terminal:
            self.keep_output(key.step, None)
        fact = StepFinished(step=key.step, index=key.index, status=StepStatus.ERROR, error=error.as_dict())
        self._say(effect, fact, [PutStepResult(self._row(key, StepStatus.ERROR, None, error=error))])

    def step_cancelled(self, key: StepKey) -> None:
        """Goes to the disk with the end of its run, never before."""
        fact = StepFinished(step=key.step, index=key.index, status=StepStatus.CANCELLED)
        self._log.tell(fact, writes=[PutStepResult(self._row(key, StepStatus.CANCELLED, None))])

    def run_finished(self, outcome: Outcome) -> "Future[frozenset[int]]":
        """Write the end of the run with its message: the one terminal transition."""
        status, error, output_json = self._ending(outcome)
        change = ChangeRun(
            self._run.id,
            RUNNING,
            status,
            finished_at=self._clock.now(),
            output_json=output_json,
            error=error,
            active_ms=self.active_ms(),
        )
        writes: list[Write] = [change]
        facts: list[Fact] = []
        if (message := self._closing_message(status, output_json)) is not None:
            writes.append(PutMessage(message))
            facts.append(MessageAdded(role=Role.ASSISTANT, text=message.text, message_id=message.id))
        ended = RunFinished(status=status, error=error.as_dict() if error else None, active_ms=self.active_ms())
        return self._log.record(*facts, ended, writes=writes)

    def _ending(self, outcome: Outcome) -> tuple[RunStatus, ErrorInfo | None, str | None]:
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
        """A template's message is its output. A chat turn's was written by its agent, if that came so far."""
        run = self._run
        if run.kind is RunKind.CHAT and self._log.is_message_told:
            return None
        text = output_json or ""
        if text.startswith('"'):
            text = decode(text)
        state = MessageState.INTERRUPTED if status is RunStatus.CANCELLED else MessageState.FINAL
        return Message(run.message_id, run.workflow_id, Role.ASSISTANT, text, run.created_at, state, run.id)

    def _say(self, effect: Effect, fact: Fact, writes: Sequence[Write]) -> None:
        if effect is Effect.NONE:
            self._log.tell(fact, writes=writes)
        else:
            self._log.record(fact, writes=writes)

    def _row(
        self,
        key: StepKey,
        status: StepStatus,
        output_json: str | None,
        *,
        error: ErrorInfo | None = None,
        is_skipped: bool = False,
    ) -> StepResult:
        return StepResult(
            self._run.id,
            key,
            status,
            output_json=output_json,
            skipped=is_skipped,
            error=error,
            finished_at=self._clock.now(),
            active_ms=self.active_ms(),
        )
