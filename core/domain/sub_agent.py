"""Sub-agents: their identity, and where their texts, rounds and calls are stored (AGENTS_AND_TOOLS §5).

A sub-agent has its own key space in the run of its parent. Rows that a step stores under its name, a sub-agent stores
under its id: the id of the call that started it, and a number. No step can have such a name.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from core.domain.ids import CallId, SubAgentId
from core.domain.text.json_text import decode, encode

# Per run.
MAX_SUB_AGENTS = 15

PROMPT_CHARACTERS = 50_000

# A sub-agent's id is `STEP.ROUND.POSITION/NUMBER`, or `STEP[INDEX]…` in an iteration. A call that it makes has the id
# `ID.ROUND.POSITION`. Names of steps contain neither a slash nor a dot (ENGINE §2), so the parts can be told apart.
_OWNER = re.compile(r"([^\s.\[/]+)(?:\[(\d+)\])?")
_OF_CALL = re.compile(r"(.*/\d+)\.\d+\.\d+")
_SIGN = "/"


@dataclass(frozen=True, slots=True)
class StepLocation:
    """Where something happened: in a step, in an iteration of it, and possibly in a sub-agent there."""

    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None


@dataclass(frozen=True, slots=True)
class SubAgentRecord:
    """The content of a sub-agent's row, stored as its output.

    `agent` and `model` are the stored agent and the model at its start, as JSON values; the tokens are those of its
    answers; `text` is its last text, once it has ended.
    """

    name: str
    agent: Mapping[str, Any] | None = None
    model: Mapping[str, Any] | None = None
    text: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def with_usage(self, input_tokens: int, output_tokens: int, cost: float | None) -> "SubAgentRecord":
        """Add the usage of another answer."""
        return replace(
            self,
            input_tokens=self.input_tokens + input_tokens,
            output_tokens=self.output_tokens + output_tokens,
            cost=self.cost if cost is None else (self.cost or 0.0) + cost,
        )

    def as_json(self) -> str:
        """Encode the record."""
        return encode(asdict(self))

    @classmethod
    def from_json(cls, text: str | None) -> Self:
        """Decode a record."""
        return cls(**decode(text or '{"name": ""}'))


def sub_agent_id(call_id: CallId, number: int) -> SubAgentId:
    """Derive the id of the `number`th sub-agent of a call, from 1. It is the same after a crash."""
    return SubAgentId(f"{call_id}{_SIGN}{number}")


def is_sub_agent(step: str) -> bool:
    """Return whether rows of this name belong to a sub-agent."""
    return _SIGN in step


def location_of(step: str, index: int | None = None) -> StepLocation:
    """Locate rows of this name. For a sub-agent, the step is that of the call that started it."""
    match = _OWNER.match(step) if is_sub_agent(step) else None
    if match is None:
        return StepLocation(step, index)
    return StepLocation(match[1], None if match[2] is None else int(match[2]), SubAgentId(step))


def calling_sub_agent(call_id: CallId) -> SubAgentId | None:
    """Return the sub-agent that made the call, if any."""
    match = _OF_CALL.fullmatch(call_id)
    return SubAgentId(match[1]) if match is not None else None
