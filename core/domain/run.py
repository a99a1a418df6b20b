"""A run: one execution, chat turn or template, with the snapshot it was started from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.agent import Agent
from core.domain.ids import MessageId, RunId, TemplateId, WorkflowId
from core.domain.model import ModelChoice
from core.domain.template import Template, ValidationMode
from core.domain.text.masking import masked, masked_text
from core.domain.text.web_address import is_origin
from core.errors import MetierError


class RunStatus(StrEnum):
    """ENGINE §1.

        enqueued ──► running ◄──► waiting (for a person) ──► success | error | cancelled
           ▲            │
           └────────────┘ (found again after a crash)

    `paused` (the store cannot be written) is shown and never stored. An enqueued run can also end at once.
    """

    ENQUEUED = "enqueued"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    SUCCESS = "success"
    ERROR = "error"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in _FINAL_RUN_STATUSES


_FINAL_RUN_STATUSES = frozenset({RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.CANCELLED})
ACTIVE_STATUSES = frozenset(set(RunStatus) - _FINAL_RUN_STATUSES)


class RunKind(StrEnum):
    """A `recording` stands beside the conversation of its workflow, whose active run it is not (ENGINE §11)."""

    CHAT = "chat"
    WORKFLOW = "workflow"
    RECORDING = "recording"


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """Why a run, a step or a call failed, as it is kept and shown (ENGINE §13).

    `failed_during` is one of model, tool_execution, code, storage, engine. `parameters` are JSON values.
    """

    code: str
    message: str
    failed_step: str | None = None
    failed_during: str | None = None
    tool_name: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, error: MetierError, **where: str | None) -> "ErrorInfo":
        """The record of a raised error; `where` are the failed_… fields."""
        return cls(error.code, error.message, parameters=dict(error.parameters), **where)

    def masked(self) -> "ErrorInfo":
        """The same without secrets in its message and parameters."""
        return replace(self, message=masked_text(self.message), parameters=masked(dict(self.parameters)))

    def as_dict(self) -> dict[str, Any]:
        """`{code, message, failed_step?, failed_during?, tool_name?, …parameters}`, absent where unknown."""
        where = {"failed_step": self.failed_step, "failed_during": self.failed_during, "tool_name": self.tool_name}
        known = {name: value for name, value in where.items() if value is not None}
        first = {"code": self.code, "message": self.message}
        return {**first, **self.parameters, **known, **first}


@dataclass(frozen=True, slots=True)
class StepAgent:
    """Who answers a step that names an agent or a model of its own, as they were when the run was started. `missing`
    says in words what it names that there was not: there the run's own stands in."""

    profile: Agent | None
    model: ModelChoice | None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a run was started with. It never changes, whatever becomes of the template or the settings.

    `allow` holds what a person has let the run reach: absolute folders, for the file tools, and origins, for
    `http_fetch`. `base` is the folder where relative paths start
    (the first allowed one if None); `script` the lines of a scripted offline agent, so that a resumed turn plays on.
    `gated`: it waits in the queue until the limit on workflows at once lets it in (ENGINE §9). `model` answers where an
    agent is asked; None: the offline agent. `profile` is the agent as it was then; None: nothing is set beside the
    model. `cast` has those of the steps that name others.
    """

    template: Template
    input: Mapping[str, Any]
    mode: ValidationMode = ValidationMode.AUTO
    allow: tuple[str, ...] = ()
    base: str | None = None
    agent: str | None = None
    script: tuple[Mapping[str, Any], ...] = ()
    gated: bool = False
    model: ModelChoice | None = None
    profile: Agent | None = None
    cast: Mapping[str, StepAgent] = field(default_factory=dict)

    @property
    def models(self) -> tuple[ModelChoice, ...]:
        """All that may be asked."""
        asked = (self.model, *(one.model for one in self.cast.values()))
        return tuple(model for model in asked if model is not None)

    def at(self, step: str) -> "Snapshot":
        """The same, with who answers that step."""
        one = self.cast.get(step)
        return self if one is None else replace(self, profile=one.profile, model=one.model)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that are allowed."""
        return tuple(place for place in self.allow if not is_origin(place))

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins that are allowed."""
        return tuple(place for place in self.allow if is_origin(place))


@dataclass(frozen=True, slots=True)
class Run:
    """The row of a run. Everything else about it is its snapshot, its step results and its events.

    A child run has its `parent` and, at the top of the chain, its `root`; `depth` counts the runs above it. `awaited`:
    its parent waits for its end. One that is not, and goes on after its parent's success, is a root of its own from
    then on: it keeps `parent` and `depth`, and has no `root` any more, as a run that no other began (ENGINE §12).

    `unclean_ends` counts the crashes that found it in flight with as many results as at the crash before
    (`results_then`): a run that kills the app is not begun for ever.
    """

    id: RunId
    workflow_id: WorkflowId
    kind: RunKind
    title: str
    status: RunStatus
    message_id: MessageId
    created_at: datetime
    template_id: TemplateId | None = None
    template_version: int | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    output_json: str | None = None
    error: ErrorInfo | None = None
    active_ms: int = 0
    parent: RunId | None = None
    root: RunId | None = None
    depth: int = 0
    awaited: bool = False
    unclean_ends: int = 0
    results_then: int = 0


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
        return self in _FINAL_STEP_STATUSES


_FINAL_STEP_STATUSES = frozenset({StepStatus.COMPLETED, StepStatus.ERROR, StepStatus.CANCELLED})


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


SUMMARY_TEMPLATE = TemplateId("tpl_summary")
"""What marks a run as one that writes a summary. There is no stored template of that id."""
