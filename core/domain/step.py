"""A step result: the checkpoint of a step, of one forEach iteration, or of one round of an agent."""

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


@dataclass(frozen=True, slots=True)
class StepKey:
    """Which checkpoint of a run: a step, its iteration `index`, the `round` of its agent."""

    step: str
    index: int | None = None
    round: int | None = None

    @property
    def is_part(self) -> bool:
        """Whether it is an iteration or a round, and not the whole step."""
        return self.index is not None or self.round is not None

    def __str__(self) -> str:
        place = "" if self.index is None else f"[{self.index}]"
        return f"{self.step}{place}" if self.round is None else f"{self.step}{place} round {self.round}"


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
