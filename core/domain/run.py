"""Runs and the results of their steps.

A run is one execution, of a chat turn or a template, with the snapshot that it was started from. A step result is the
checkpoint of a step, of a forEach iteration, of a round of an agent, or of a raw tool result before `transformCode`;
it is folded from the facts of the run (`core.domain.progress`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.agent import Agent
from core.domain.grants import folders_in, origins_in, read_only_in
from core.domain.ids import MessageId, RunId, TemplateId, WorkflowId
from core.domain.model import ModelChoice
from core.domain.template import Template, ValidationMode
from core.domain.text.masking import masked, masked_text
from core.errors import MetierError


class RunStatus(StrEnum):
    """The states of a run (ENGINE §1).

        enqueued ──► running ◄──► waiting (for the user) ──► success | error | cancelled
           ▲            │
           └────────────┘ (recovered after a crash)

    `paused` (the store cannot be written) is displayed and never stored. An enqueued run can also end directly.
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
        """Whether the run has ended."""
        return self in _FINAL_RUN_STATUSES


_FINAL_RUN_STATUSES = frozenset({RunStatus.SUCCESS, RunStatus.ERROR, RunStatus.CANCELLED})
ACTIVE_STATUSES = frozenset(set(RunStatus) - _FINAL_RUN_STATUSES)


class RunKind(StrEnum):
    """The kind of a run. A `recording` accompanies the conversation of its workflow, and is not its active run (ENGINE
    §11).
    """

    CHAT = "chat"
    WORKFLOW = "workflow"
    RECORDING = "recording"


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """Why a run, a step or a call failed, as stored and displayed (ENGINE §13).

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
        """Record a raised error; `where` are the failed_… fields."""
        return cls(error.code, error.message, parameters=dict(error.parameters), **where)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "ErrorInfo":
        """Return the record of which these are the fields (`as_dict`). Raises KeyError."""
        rest = dict(fields)
        code, message = rest.pop("code"), rest.pop("message")
        step, during, tool = (rest.pop(name, None) for name in ("failed_step", "failed_during", "tool_name"))
        return cls(code, message, step, during, tool, rest)

    def masked(self) -> "ErrorInfo":
        """Copy the record with its message and parameters masked."""
        return replace(self, message=masked_text(self.message), parameters=masked(dict(self.parameters)))

    def as_dict(self) -> dict[str, Any]:
        """Return `{code, message, failed_step?, failed_during?, tool_name?, …parameters}`, without unknown fields."""
        where = {"failed_step": self.failed_step, "failed_during": self.failed_during, "tool_name": self.tool_name}
        known = {name: value for name, value in where.items() if value is not None}
        first = {"code": self.code, "message": self.message}
        return {**first, **self.parameters, **known, **first}


@dataclass(frozen=True, slots=True)
class StepAgent:
    """The agent and model of a step that names its own, as they were at the start of the run.

    `missing` describes named agents or models that did not exist; the run's own are used in their place.
    """

    profile: Agent | None
    model: ModelChoice | None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The immutable parameters of a run, independent of later changes to the template or the settings.

    `allow` holds what the user lets the run access: absolute folders and files, for file tools, written as
    `FolderGrant`, and origins, for `http_fetch`.
    `base` is the folder for relative paths (None: the first allowed folder). `script` holds the lines of a scripted
    offline agent, so that a resumed turn continues them. `gated`: the run waits for the limit on concurrent workflows
    (ENGINE §9). `model` None: the offline agent. `profile` is the agent at the start; None: nothing but the model is
    configured. `cast` has the agents of the steps that name their own.
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
        """All models that the run may ask."""
        choices = (self.model, *(agent.model for agent in self.cast.values()))
        return tuple(model for model in choices if model is not None)

    def for_step(self, step: str) -> "Snapshot":
        """Copy the snapshot with the agent and model of that step."""
        agent = self.cast.get(step)
        return self if agent is None else replace(self, profile=agent.profile, model=agent.model)

    @property
    def folders(self) -> tuple[str, ...]:
        """The allowed folders, those that may only be read included."""
        return folders_in(self.allow)

    @property
    def read_only(self) -> tuple[str, ...]:
        """The allowed folders that may only be read."""
        return read_only_in(self.allow)

    @property
    def origins(self) -> tuple[str, ...]:
        """The allowed origins."""
        return origins_in(self.allow)


def snapshot_fields(snapshot: Snapshot) -> dict[str, Any]:
    """Return the snapshot as a JSON object, as it is stored and exported; fields that are None may be left out."""
    return {
        "template": snapshot.template.model_dump(by_alias=True, exclude_unset=True),
        "input": dict(snapshot.input),
        "mode": snapshot.mode,
        "allow": list(snapshot.allow),
        "base": snapshot.base,
        "agent": snapshot.agent,
        "script": [dict(line) for line in snapshot.script],
        "gated": snapshot.gated,
        "model": _model_fields(snapshot.model),
        "profile": _model_fields(snapshot.profile),
        "cast": {
            step: {
                "profile": _model_fields(agent.profile),
                "model": _model_fields(agent.model),
                "missing": list(agent.missing),
            }
            for step, agent in snapshot.cast.items()
        },
    }


def parse_snapshot(fields: Mapping[str, Any]) -> Snapshot:
    """Return the snapshot of such fields. Raises KeyError, TypeError, AttributeError or ValueError."""
    model, profile = fields.get("model"), fields.get("profile")
    return Snapshot(
        Template.model_validate(fields["template"]),
        fields["input"],
        mode=ValidationMode(fields["mode"]),
        allow=tuple(fields["allow"]),
        base=fields.get("base"),
        agent=fields.get("agent"),
        script=tuple(fields["script"]),
        gated=bool(fields.get("gated")),
        model=None if model is None else ModelChoice.model_validate(model),
        profile=None if profile is None else Agent.model_validate(profile),
        cast={step: _parse_step_agent(agent) for step, agent in fields.get("cast", {}).items()},
    )


def _model_fields(model: Agent | ModelChoice | None) -> dict[str, Any] | None:
    return None if model is None else model.model_dump(mode="json", exclude_none=True)


def _parse_step_agent(fields: Mapping[str, Any]) -> StepAgent:
    profile, model = fields["profile"], fields["model"]
    return StepAgent(
        None if profile is None else Agent.model_validate(profile),
        None if model is None else ModelChoice.model_validate(model),
        tuple(fields["missing"]),
    )


@dataclass(frozen=True, slots=True)
class Run:
    """The row of a run. The rest of its state is in its snapshot, step results and events.

    A child run has a `parent` and the `root` of the chain; `depth` counts the runs above it. `awaited`: its parent
    waits for it. A child that is not awaited and outlives the success of its parent becomes its own root: it keeps
    `parent` and `depth`, but its `root` is None (ENGINE §12).

    `unclean_ends` counts crashes that interrupted it with no more results than at the crash before (`results_then`): a
    run that crashes the app is not restarted for ever.
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
    """The states of a step (ENGINE §1).

        pending ──► running ──► completed | error | cancelled
           │         │   ▲
           │         ▼   │ (after its delay)
           │        retrying
           ▼
        waiting (for the user) ──► running | completed (skipped, or done by the user) | error (rejected)

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
        """Whether the step has ended."""
        return self in _FINAL_STEP_STATUSES


_FINAL_STEP_STATUSES = frozenset({StepStatus.COMPLETED, StepStatus.ERROR, StepStatus.CANCELLED})


_RAW = 0


@dataclass(frozen=True, slots=True)
class StepKey:
    """The key of a checkpoint in a run: a step, its iteration `index`, the `round` of its agent (from 1)."""

    step: str
    index: int | None = None
    round: int | None = None

    @property
    def is_part(self) -> bool:
        """Whether it is an iteration, a round or a raw result, rather than the whole step."""
        return self.index is not None or self.round is not None

    @property
    def is_raw(self) -> bool:
        """Whether it is a tool result before its `transformCode`."""
        return self.round == _RAW

    @property
    def of_raw(self) -> "StepKey":
        """The key of the raw result of this step or iteration."""
        return StepKey(self.step, self.index, _RAW)

    @property
    def of_call(self) -> "StepKey":
        """The key of the step or iteration that this belongs to."""
        return StepKey(self.step, self.index)

    def __str__(self) -> str:
        name = self.step if self.index is None else f"{self.step}[{self.index}]"
        if self.round is None:
            return name
        return f"{name} raw" if self.is_raw else f"{name} round {self.round}"


@dataclass(frozen=True, slots=True)
class StepResult:
    """A checkpoint. `running` is a claim without a known end; `retrying` is a failed attempt with another to
    come.

    `attempt_errors` are those of the attempts before the last. `active_ms` is the active time of the run at this
    checkpoint, so that a crash loses none of it.
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


# Marks a run that summarizes its conversation. It is an ordinary run, so that it can be watched, stopped and recovered;
# the summarized messages stay in the transcript. No stored template has this id.
SUMMARY_TEMPLATE = TemplateId("tpl_summary")
