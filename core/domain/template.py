"""Templates: saved DAGs of steps, in their JSON form (ENGINE §2).

Keys are camelCase in JSON and snake_case here. Unknown fields are preserved, so that a file of a later version survives
a round trip. These models check only the shape; `core.engine.plan.validation` decides whether a template can run.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic.alias_generators import to_camel

from core.domain.interruption import InterruptionKind

FORMAT = "metier.template/1"

StepName = Annotated[str, Field(min_length=1)]


class ValidationMode(StrEnum):
    """When the user is asked before a tool runs: never, always, or by category (AGENTS_AND_TOOLS §6)."""

    AUTO = "auto"
    MANUAL = "manual"
    SELECTIVE = "selective"


_STRICTNESS = (ValidationMode.AUTO, ValidationMode.SELECTIVE, ValidationMode.MANUAL)


def stricter_mode(one: ValidationMode, other: ValidationMode) -> ValidationMode:
    """Return the mode that asks more."""
    return max(one, other, key=_STRICTNESS.index)


# Unlike stored documents, templates come from files and from models. They are strict, so that "5" is not taken for 5
# and the error names the field, and they keep unknown fields.
class _Model(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True, strict=True)


class When(_Model):
    """A condition on a step. `eq: null` is a valid operator, so presence is decided by `model_fields_set`."""

    ref: str
    eq: Any = None
    neq: Any = None
    gt: Any = None
    lt: Any = None

    @property
    def operators(self) -> list[str]:
        """The operators that are present, in the order of ENGINE §2."""
        return [name for name in ("eq", "neq", "gt", "lt") if name in self.model_fields_set]


class ForEach(_Model):
    """Runs the step once for each item of a list."""

    ref: str
    concurrency: int = Field(default=1, ge=1, le=1000)


class OnError(StrEnum):
    """What the failure of a step means for its run."""

    FAIL = "fail"
    CONTINUE = "continue"


class StepConfig(_Model):
    """How a step is executed. `on_error` None: the default of its kind."""

    max_attempts: int = Field(default=1, ge=1, le=10)
    backoff_ms: int = Field(default=1000, ge=100, le=60_000)
    timeout_ms: int | None = Field(default=None, ge=100, le=86_400_000)
    idempotent: bool | None = None
    on_error: Annotated[OnError, Field(strict=False)] | None = None
    on_unknown: Literal["ask", "rerun", "fail"] = "ask"


class Interrupt(_Model):
    """A request to the user before a step runs (ENGINE §8). `answer_schema` is `schema` in JSON: what may be
    submitted.
    """

    kind: Annotated[InterruptionKind, Field(strict=False)]
    prompt: str | None = None
    answer_schema: Any = Field(default=None, alias="schema")
    options: list[Any] | None = None
    timeout_ms: int | None = Field(default=None, ge=1)
    default_action: Literal["approve", "reject"] = "reject"
    on_reject: Literal["fail", "skip"] = "fail"


class ToolAction(_Model):
    """Calls a tool; `transform_code` makes the output of its result."""

    tool_name: str
    transform_code: str | None = None


class CodeAction(_Model):
    """Runs code in the sandbox."""

    code: str


class AgentCall(_Model):
    """The prompt of an agent step, and its agent. Without `agent_id` it is the run's own."""

    prompt: str
    agent_id: str | None = None
    model: str | None = None
    tools: list[str] | None = None
    max_tool_rounds: int | None = Field(default=None, ge=1, le=200)


class AgentAction(_Model):
    """Runs a turn of an agent."""

    agent: AgentCall


class SetAction(_Model):
    """Returns the input of the step as its output."""

    set: Literal[True]


class ReturnAction(_Model):
    """Ends the run with the input of the step as its output."""

    return_: Literal[True] = Field(alias="return")


class WorkflowCall(_Model):
    """The template that a step runs, by id or title."""

    template_id: str | None = None
    title: str | None = None


class WorkflowAction(_Model):
    """Runs another template as a child run."""

    workflow: WorkflowCall


ACTION_KEYS = ("toolName", "code", "agent", "set", "return", "workflow")


def _action_kind(value: Any) -> str | None:
    if isinstance(value, BaseModel):
        value = value.model_dump(by_alias=True, exclude_unset=True)
    return next((key for key in ACTION_KEYS if key in value), None) if isinstance(value, Mapping) else None


StepAction = Annotated[
    Annotated[ToolAction, Tag("toolName")]
    | Annotated[CodeAction, Tag("code")]
    | Annotated[AgentAction, Tag("agent")]
    | Annotated[SetAction, Tag("set")]
    | Annotated[ReturnAction, Tag("return")]
    | Annotated[WorkflowAction, Tag("workflow")],
    Discriminator(_action_kind),
]


class Step(_Model):
    """A named unit of a template. `input` is `{}` by default."""

    name: StepName
    action: StepAction
    description: str | None = None
    input: Any = Field(default_factory=dict)
    when: When | None = None
    for_each: ForEach | None = None
    interrupt: Interrupt | None = None
    depends_on: list[str] = Field(default_factory=list)
    output_schema: Any = None
    config: StepConfig = Field(default_factory=StepConfig)

    @property
    def tool_name(self) -> str | None:
        """The tool that the step calls, if it calls one."""
        return self.action.tool_name if isinstance(self.action, ToolAction) else None

    @property
    def on_error(self) -> OnError:
        """What a failure means. By default, a step fails the run, an iteration does not."""
        return self.config.on_error or (OnError.CONTINUE if self.for_each else OnError.FAIL)


class Template(_Model):
    """A saved DAG of steps with the schema of its input."""

    title: str = Field(min_length=1, max_length=256)
    steps: list[Step]
    description: str | None = None
    input_schema: Any = None
    timeout_ms: int | None = Field(default=None, ge=1)
    max_parallel: int = Field(default=16, ge=1, le=1000)
    mode: Annotated[ValidationMode, Field(strict=False)] | None = None
    layout: dict[str, Any] | None = None

    def tools(self) -> set[str]:
        """Collect the names of all tools that its steps call, or allow agents to call."""
        called = {step.action.tool_name for step in self.steps if isinstance(step.action, ToolAction)}
        allowed = [step.action.agent.tools or () for step in self.steps if isinstance(step.action, AgentAction)]
        return called.union(*allowed)

    def as_json(self) -> dict[str, Any]:
        """Convert to the file format, with every field that is set, including unknown fields."""
        return {"format": FORMAT, **self.model_dump(mode="json", by_alias=True, exclude_unset=True)}
