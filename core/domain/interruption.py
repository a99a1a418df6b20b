"""An interruption: a point where a run waits for the user, and the possible answers (ENGINE §8).

    awaiting-… ──(an action of its kind)──► approved | reviewed | state-edited | tool-input-received
        │                                   | resumed | answered | outcome-given | rejected
        ├──(timeout)───────────► expired
        └──(the run ends)──────► cancelled

Each transition is a compare-and-set on an open status, so only the first answer counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.ids import CallId, InterruptionId, RunId, WorkflowId
from core.domain.risk import Risk
from core.domain.sub_agent import location_of
from core.domain.text.masking import masked

# What an approval covers, as the value of the answer; the first is the default.
APPROVAL_SCOPES = ("once", "run", "always")
PREFIX_SCOPE = "prefix"
"""The scope of an approval of commands that begin with the same words."""


class InterruptionKind(StrEnum):
    """What the user is asked to do."""

    APPROVAL = "approval"
    INPUT_REVIEW = "input-review"
    STATE_EDIT = "state-edit"
    TOOL_INPUT = "tool-input"
    LOCAL_EXECUTION = "local-execution"
    QUESTION = "question"
    TOOL_APPROVAL = "tool-approval"
    OUTCOME = "outcome"
    ROUNDS = "rounds"
    SPENDING = "spending"
    ACCESS = "access"
    ELICITATION = "elicitation"


class InterruptionStatus(StrEnum):
    """The states of the diagram above; the `awaiting-…` states are open."""

    AWAITING_APPROVAL = "awaiting-approval"
    AWAITING_INPUT_REVIEW = "awaiting-input-review"
    AWAITING_STATE_EDIT = "awaiting-state-edit"
    AWAITING_TOOL_INPUT = "awaiting-tool-input"
    AWAITING_LOCAL_EXECUTION = "awaiting-local-execution"
    AWAITING_ANSWER = "awaiting-answer"
    AWAITING_OUTCOME = "awaiting-outcome"
    APPROVED = "approved"
    REVIEWED = "reviewed"
    STATE_EDITED = "state-edited"
    TOOL_INPUT_RECEIVED = "tool-input-received"
    RESUMED = "resumed"
    ANSWERED = "answered"
    OUTCOME_GIVEN = "outcome-given"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        return self in _OPEN


class Action(StrEnum):
    """What the user can do about an interruption."""

    APPROVE = "approve"
    REJECT = "reject"
    SUBMIT = "submit"
    SKIP = "skip"


_OPEN = frozenset(status for status in InterruptionStatus if status.startswith("awaiting-"))

OPEN_STATUS: Mapping[InterruptionKind, InterruptionStatus] = {
    InterruptionKind.APPROVAL: InterruptionStatus.AWAITING_APPROVAL,
    InterruptionKind.INPUT_REVIEW: InterruptionStatus.AWAITING_INPUT_REVIEW,
    InterruptionKind.STATE_EDIT: InterruptionStatus.AWAITING_STATE_EDIT,
    InterruptionKind.TOOL_INPUT: InterruptionStatus.AWAITING_TOOL_INPUT,
    InterruptionKind.LOCAL_EXECUTION: InterruptionStatus.AWAITING_LOCAL_EXECUTION,
    InterruptionKind.QUESTION: InterruptionStatus.AWAITING_ANSWER,
    InterruptionKind.TOOL_APPROVAL: InterruptionStatus.AWAITING_APPROVAL,
    InterruptionKind.OUTCOME: InterruptionStatus.AWAITING_OUTCOME,
    InterruptionKind.ROUNDS: InterruptionStatus.AWAITING_APPROVAL,
    InterruptionKind.SPENDING: InterruptionStatus.AWAITING_APPROVAL,
    InterruptionKind.ACCESS: InterruptionStatus.AWAITING_APPROVAL,
    InterruptionKind.ELICITATION: InterruptionStatus.AWAITING_ANSWER,
}

# What shows the user the call that a step is about to make: their answer is consent to it.
CONSENTING_KINDS = frozenset({InterruptionKind.APPROVAL, InterruptionKind.INPUT_REVIEW, InterruptionKind.TOOL_INPUT})

# What asks about a call, whose arguments are masked on disk and whole in memory.
CALL_KINDS = frozenset({InterruptionKind.TOOL_APPROVAL, InterruptionKind.ACCESS})

# What a call asks in the middle of its work. Silence is no answer to it: at the time limit it is skipped.
ASKED_IN_CALLS = frozenset({InterruptionKind.QUESTION, InterruptionKind.ELICITATION})

# What of an interruption is shown unmasked. The arguments of a call are masked before they are asked about. Input that
# the user is to edit, or to carry out by hand, is useless with masks in it.
_HAS_NO_SECRETS = CALL_KINDS | {InterruptionKind.OUTCOME} | ASKED_IN_CALLS
_SHOWN_WHOLE = _HAS_NO_SECRETS | {InterruptionKind.INPUT_REVIEW, InterruptionKind.LOCAL_EXECUTION}

_REJECT = {Action.REJECT: InterruptionStatus.REJECTED}
_OUTCOME = InterruptionStatus.OUTCOME_GIVEN

# Kind → allowed actions → the status that each leads to.
CLOSED_STATUS: Mapping[InterruptionKind, Mapping[Action, InterruptionStatus]] = {
    InterruptionKind.APPROVAL: {Action.APPROVE: InterruptionStatus.APPROVED, **_REJECT},
    InterruptionKind.INPUT_REVIEW: {
        Action.SUBMIT: InterruptionStatus.REVIEWED,
        Action.APPROVE: InterruptionStatus.REVIEWED,
        **_REJECT,
    },
    InterruptionKind.STATE_EDIT: {Action.SUBMIT: InterruptionStatus.STATE_EDITED, **_REJECT},
    InterruptionKind.TOOL_INPUT: {Action.SUBMIT: InterruptionStatus.TOOL_INPUT_RECEIVED, **_REJECT},
    InterruptionKind.LOCAL_EXECUTION: {Action.SUBMIT: InterruptionStatus.RESUMED, **_REJECT},
    InterruptionKind.QUESTION: {
        Action.SUBMIT: InterruptionStatus.ANSWERED,
        Action.SKIP: InterruptionStatus.ANSWERED,
    },
    InterruptionKind.TOOL_APPROVAL: {
        Action.APPROVE: InterruptionStatus.APPROVED,
        Action.SUBMIT: InterruptionStatus.APPROVED,
        **_REJECT,
    },
    InterruptionKind.ROUNDS: {Action.APPROVE: InterruptionStatus.APPROVED, **_REJECT},
    InterruptionKind.SPENDING: {Action.APPROVE: InterruptionStatus.APPROVED, **_REJECT},
    InterruptionKind.OUTCOME: {Action.APPROVE: _OUTCOME, Action.SUBMIT: _OUTCOME, Action.REJECT: _OUTCOME},
    InterruptionKind.ACCESS: {Action.APPROVE: InterruptionStatus.APPROVED, **_REJECT},
    InterruptionKind.ELICITATION: {
        Action.SUBMIT: InterruptionStatus.ANSWERED,
        Action.SKIP: InterruptionStatus.ANSWERED,
        **_REJECT,
    },
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer. `value` is a JSON value whose meaning depends on the kind of the interruption."""

    action: Action
    value: Any = None
    reason: str | None = None


def approval_scope(answer: Answer | None) -> str | None:
    """Return `once`, `run`, `always` or `prefix` if the answer is an approval, else None."""
    if answer is None or answer.action is not Action.APPROVE:
        return None
    return answer.value if answer.value in (*APPROVAL_SCOPES, PREFIX_SCOPE) else APPROVAL_SCOPES[0]


def exact_call(ask: "InterruptionRequest") -> str | None:
    """Return the digest of the only arguments that an approval holds for, or None if it holds for any."""
    found = ask.options.get("exact") if isinstance(ask.options, Mapping) else None
    return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True)
class InterruptionRequest:
    """What a step, or a call in a step, asks before the interruption has an id.

    `attempt`: the attempt of the step. `input`: the input that the step would run with. `outputs`: step → the output
    that it is about to read. `arguments`: of the `tool`, masked if the call itself is in question; `unmasked` are the
    arguments that will run, which stay in memory (`Interruptions.arguments_of`). `timeout_ms`: None waits without
    limit; otherwise `default_action` is applied after it. For a request for consent, SKIP asks again, and `options`
    has the `definition` of a tool of a server, and what `changed` since an approval that does not hold any more; for a
    request for access it has the `places` that the call would reach; for an elicitation by address its `url` and
    `host`. If a sub-agent asks, `step` is its id and
    `sub_agent_name` its display name.
    """

    kind: InterruptionKind
    step: str
    index: int | None = None
    attempt: int = 1
    prompt: str | None = None
    schema: Any = None
    options: Any = None
    input: Any = None
    outputs: Any = None
    tool: str | None = None
    arguments: Any = None
    risk: Risk | None = None
    call_id: CallId | None = None
    timeout_ms: int | None = None
    default_action: Action = Action.REJECT
    sub_agent_name: str | None = None
    unmasked: Any = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Interruption:
    """The row of an interruption. `seq` is the number of the fact that raised it, which gives the order of requests."""

    id: InterruptionId
    run_id: RunId
    workflow_id: WorkflowId
    ask: InterruptionRequest
    status: InterruptionStatus
    seq: int
    created_at: datetime
    expires_at: datetime | None = None
    answer: Answer | None = None
    closed_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.status.is_open

    @property
    def default_action(self) -> Action:
        """The action at the time limit. A question is always skipped."""
        return Action.SKIP if self.ask.kind in ASKED_IN_CALLS else self.ask.default_action

    def closed(self, status: InterruptionStatus, answer: Answer | None, at: datetime) -> "Interruption":
        """Copy the interruption with its outcome."""
        return replace(self, status=status, answer=answer, closed_at=at)

    def fields(self) -> dict[str, Any]:
        """List the fields that the user sees: COMMAND_LINE's `interruptions` without the times and `seq`.

        Secrets are masked, except in values that the user is to edit or to work with.
        """
        ask, location = self.ask, location_of(self.ask.step, self.ask.index)
        in_sub_agent = {"sub_agent_id": location.sub_agent_id, "sub_agent_name": ask.sub_agent_name}
        return {
            "id": self.id,
            "step": location.step,
            "index": location.index,
            **(in_sub_agent if location.sub_agent_id is not None else {}),
            "kind": ask.kind,
            "status": self.status,
            "prompt": ask.prompt,
            "schema": ask.schema,
            "options": ask.options if ask.kind is not InterruptionKind.TOOL_APPROVAL else _shown_options(ask.options),
            "input": ask.input if ask.kind in _SHOWN_WHOLE else masked(ask.input),
            "outputs": ask.outputs,
            "tool": ask.tool,
            "arguments": ask.arguments if ask.kind in _HAS_NO_SECRETS else masked(ask.arguments),
            "risk": ask.risk,
        }


def _shown_options(options: Any) -> Any:
    """Return of a request for consent what has changed since the user agreed, and the rule that it offers; its
    definition is not for the user.
    """
    found = options if isinstance(options, Mapping) else {}
    return {name: found[name] for name in ("changed", "command") if found.get(name)} or None
