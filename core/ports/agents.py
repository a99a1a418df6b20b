"""One turn of an agent: a prompt goes in, tools are called, a text comes out."""

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
    """What an agent step asks for. In a chat run the conversation so far comes before the prompt.

    `output_schema`: the last text must be JSON that fits it; the turn's output is that value. `tools` None: every
    tool there is. `max_rounds` None: the agent's own limit. `fresh`: nothing of this turn can be in the store yet, so
    nothing is looked up; a retry and a run that goes on after a crash are not fresh. `left_open`: what an earlier life
    of the run left in the middle. `ask` puts a question to a person, `consent` lets calls pass, `recorder` makes steps
    of them while a recording is open. `crew` are the sub-agents of the run; the turn of one of them has its id in the
    place of a step's name.
    """

    run: Run
    snapshot: Snapshot
    key: StepKey
    prompt: str
    tools: tuple[str, ...] | None = None
    max_rounds: int | None = None
    output_schema: Any = None
    fresh: bool = False
    left_open: InterruptedWork = NO_INTERRUPTED_WORK
    recorder: CallRecorder = NO_RECORDER
    ask: Asker = field(kw_only=True)
    consent: Consent = field(kw_only=True)
    crew: RunSubAgents = field(default_factory=RunSubAgents)

    @property
    def place(self) -> StepLocation:
        """Where what it tells happens."""
        return location_of(self.key.step, self.key.index)


class StepAgentResolver(Protocol):
    """Finds those whom the steps of a template name."""

    def __call__(self, template: Template, profile: Agent | None, model: ModelChoice | None) -> Mapping[str, StepAgent]:
        """Who answers which step, by the step's name, where that is not the run's own `profile` with its `model`."""
        ...


class AgentRunner(Protocol):
    """The tool loop of AGENTS_AND_TOOLS §3."""

    async def run(self, turn: AgentTurn, log: RunLog) -> Any:
        """Carry out the turn and give its last text, or with `output_schema` the value that it is.

        Streams its text, writes each finished answer as a checkpoint and each call into the ledger; called again
        for the same key it goes on from the last finished answer. Raises StepFailed where the turn fails
        (`round_limit`, `too_many_calls`, `bad_output`, a failed model); text and results so far are kept.
        Cancelled, it closes its open calls, keeps what it had received and leaves without waiting for anything.
        """
        ...

    def sub_agents(self, parent: AgentTurn, log: RunLog, tools: Collection[str]) -> "OwnSubAgents":
        """Those that calls of this turn, or of this step, begin. They may have these `tools`, but for those that begin
        sub-agents: theirs is the last level."""
        ...


class OwnSubAgents(SubAgents, Protocol):
    """The sub-agents of a turn, as its owner has them."""

    def close(self) -> None:
        """The turn is over: what an earlier life had begun, and this one never came to, is closed as cancelled."""
        ...
