"""Sub-agents: who they are, and where their words, rounds and calls are kept (AGENTS_AND_TOOLS §5).

A sub-agent has a key space of its own in the run of its parent: where a step keeps what it says and does by its name, a
sub-agent does by its id, which is that of the call that began it and a number. No step can have such a name.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from core.domain.ids import CallId, SubAgentId
from core.domain.text.json_text import decode, encode

MAX_SUB_AGENTS = 15
"""So many may be begun in one run."""

NAME_CHARACTERS = 64
PROMPT_CHARACTERS = 50_000

_OWNER = re.compile(r"([^\s.\[/]+)(?:\[(\d+)\])?")
_OF_CALL = re.compile(r"(.*/\d+)\.\d+\.\d+")
_SIGN = "/"


@dataclass(frozen=True, slots=True)
class StepLocation:
    """Where something happened: at a step, in an iteration of it, and there maybe in a sub-agent."""

    step: str
    index: int | None = None
    sub_agent_id: SubAgentId | None = None


@dataclass(frozen=True, slots=True)
class SubAgentRecord:
    """What the row of a sub-agent holds of it, as its output: what it is called, which stored agent it is, with which
    model, as they were when it was begun, as JSON values; the tokens of its answers, and its last text once it has
    ended.
    """

    name: str
    agent: Mapping[str, Any] | None = None
    model: Mapping[str, Any] | None = None
    text: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def using(self, input_tokens: int, output_tokens: int, cost: float | None) -> "SubAgentRecord":
        """The same, after another answer."""
        return replace(
            self,
            input_tokens=self.input_tokens + input_tokens,
            output_tokens=self.output_tokens + output_tokens,
            cost=self.cost if cost is None else (self.cost or 0.0) + cost,
        )

    def as_json(self) -> str:
        return encode(asdict(self))

    @classmethod
    def of_json(cls, text: str | None) -> Self:
        return cls(**decode(text or '{"name": ""}'))


def sub_agent_id(call_id: CallId, number: int) -> SubAgentId:
    """The `number`th that a call begins, from 1: the same after a crash."""
    return SubAgentId(f"{call_id}{_SIGN}{number}")


def is_sub_agent(step: str) -> bool:
    """Whether what is kept by this name is a sub-agent's."""
    return _SIGN in step


def location_of(step: str, index: int | None = None) -> StepLocation:
    """Where that is, which is kept by this name: of a sub-agent, the step whose call began it."""
    found = _OWNER.match(step) if is_sub_agent(step) else None
    if found is None:
        return StepLocation(step, index)
    return StepLocation(found[1], None if found[2] is None else int(found[2]), SubAgentId(step))


def calling_sub_agent(call_id: CallId) -> SubAgentId | None:
    """The sub-agent that made the call, if one did."""
    found = _OF_CALL.fullmatch(call_id)
    return SubAgentId(found[1]) if found is not None else None
