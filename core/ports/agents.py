"""A turn of an agent: it gets a prompt, calls tools and returns a text."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.domain.agent import Agent
from core.domain.model import ModelChoice
from core.domain.run import Run, Snapshot, StepAgent, StepKey
from core.domain.sub_agent import StepLocation, location_of
from core.domain.template import Template
from core.ports.consent import Asker, Consent
from core.ports.interrupted_work import NO_INTERRUPTED_WORK, InterruptedWork
from core.ports.journal import RunLog
from core.ports.recording import NO_RECORDER, CallRecorder
from core.ports.sub_agents import RunSubAgents, SubAgents


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """The request of an agent step. In a chat run the previous conversation precedes the prompt.

    With an `output_schema` the last text must be JSON that matches it, and the turn's output is that value. `tools`
    None means all tools, `max_rounds` None the agent's own limit. A turn that `is_fresh` cannot have stored
    results, so none are looked up; retries and recovered runs are not fresh. `interrupted_work` is the work that a
    previous process left unfinished. `ask` asks the user, `consent` admits calls, and `recorder` turns calls into
    steps while a recording is open. `sub_agents` holds the run's sub-agents; in a sub-agent's turn its id stands
    for the step's name.
    """

    run: Run
    snapshot: Snapshot
    key: StepKey
    prompt: str
    tools: tuple[str, ...] | None = None
    max_rounds: int | None = None
    output_schema: Any = None
    is_fresh: bool = False
    interrupted_work: InterruptedWork = NO_INTERRUPTED_WORK
    recorder: CallRecorder = NO_RECORDER
    ask: Asker = field(kw_only=True)
    consent: Consent = field(kw_only=True)
    sub_agents: RunSubAgents = field(default_factory=RunSubAgents)

    @property
    def location(self) -> StepLocation:
        """The place of the turn's events."""
        return location_of(self.key.step, self.key.index)


class StepAgentResolver(Protocol):
    """Resolves the agents that a template's steps name."""

    def __call__(self, template: Template, profile: Agent | None, model: ModelChoice | None) -> Mapping[str, StepAgent]:
        """Return agents by step name, for steps that do not use the run's own `profile` and `model`."""
        ...


class AgentRunner(Protocol):
    """The agent loop (AGENTS_AND_TOOLS §3)."""

    async def run(self, turn: AgentTurn, log: RunLog) -> Any:
        """Run the turn and return its last text, or with an `output_schema` the value.

        Streams the text, writes each finished answer as a checkpoint and each call to the ledger; a repeated call with
        the same key resumes after the last finished answer. Raises StepFailed (`round_limit`, `too_many_calls`,
        `bad_output`, or the model's failure); texts and results so far are kept. When cancelled, it closes its open
        calls, keeps the received text and returns without waiting.
        """
        ...

    def sub_agents(self, parent: AgentTurn, log: RunLog, tools: Collection[str]) -> "OwnSubAgents":
        """Return the sub-agents that calls of this turn or step may start.

        They get these `tools` without the tools that start sub-agents: there is no further level.
        """
        ...


class OwnSubAgents(SubAgents, Protocol):
    """The sub-agents of a turn, for its owner."""

    def close(self) -> None:
        """End the turn: cancel what a previous process started and this turn did not resume."""
        ...
