"""A step result: the checkpoint of a step, of one forEach iteration, of one round of an agent, or of what a tool gave
before its `transformCode`."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.ids import RunId
from core.domain.run import ErrorInfo


class StepStatus(StrEnum):
    """ENGINE §1.

        pending ──► running ──► completed | error | cancelled
           │         │   ▲
           │         ▼   │ (after its delay)
           │        retrying
           ▼
        waiting (for a person) ──► running | completed (skipped, or done by the person) | error (rejected)

    A skipped step is `completed` with `skipped`. `pending` and `waiting` are never stored.
    """

    PENDING = "pending"
    WAITING = "waiting"
    RUNNING = "running"
    RETRYING = "retrying"
    COMPLETED = "completed"
    ERROR = "error"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in _FINAL


_FINAL = frozenset({StepStatus.COMPLETED, StepStatus.ERROR, StepStatus.CANCELLED})


_RAW = 0


@dataclass(frozen=True, slots=True)
class StepKey:
    """Which checkpoint of a run: a step, its iteration `index`, the `round` of its agent, from 1. `of_raw` is that of
    what its tool gave."""

    step: str
    index: int | None = None
    round: int | None = None

    @property
    def is_part(self) -> bool:
        """Whether it is an iteration, a round or a raw result, and not the whole step."""
        return self.index is not None or self.round is not None

    @property
    def is_raw(self) -> bool:
        """Whether it is the result of a tool before its `transformCode`."""
        return self.round == _RAW

    @property
    def of_raw(self) -> "StepKey":
        """Where the raw result of this step or iteration is kept."""
        return StepKey(self.step, self.index, _RAW)

    @property
    def of_call(self) -> "StepKey":
        """The step or iteration that this belongs to."""
        return StepKey(self.step, self.index)

    def __str__(self) -> str:
        name = self.step if self.index is None else f"{self.step}[{self.index}]"
        if self.round is None:
            return name
        return f"{name} raw" if self.is_raw else f"{name} round {self.round}"


@dataclass(frozen=True, slots=True)
class StepResult:
    """A stored checkpoint. `running` is a claim: somebody began, nobody has said how it ended. `retrying` is an
    attempt that failed, with another to come.

    `attempt_errors` are those of the attempts before the last. `active_ms` is the active time of the run when the
    result was taken, so that a crash loses none of it.
    """

    run_id: RunId
    key: StepKey
    status: StepStatus
    attempt: int = 1
    output_json: str | None = None
    skipped: bool = False
    error: ErrorInfo | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    active_ms: int = 0
    attempt_errors: tuple[ErrorInfo, ...] = ()
