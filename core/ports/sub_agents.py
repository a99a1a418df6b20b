"""Beginning sub-agents: what a tool asks for, what comes of it, and which of them a run has."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.domain.agent import Agent
from core.domain.ids import CallId, ServerId, SubAgentId
from core.domain.model import ModelChoice
from core.domain.run import StepResult
from core.domain.sub_agent import MAX_SUB_AGENTS, SubAgentRecord, is_sub_agent
from core.errors import StepFailed


@dataclass(frozen=True, slots=True)
class SubAgentTask:
    """What a sub-agent is to do. `agent` is the name or the id of a stored agent that does it; without one a fresh
    agent does, with this `system_prompt` and these `tools` (None: all that its parent has). `name` None: the first
    words of the prompt."""

    prompt: str
    agent: str | None = None
    name: str | None = None
    system_prompt: str = ""
    tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SubAgentReport:
    """What came of a task: the last text of the sub-agent, or how it failed."""

    name: str
    text: str = ""
    error: StepFailed | None = None
    input_tokens: int = 0
    output_tokens: int = 0


class SubAgents(Protocol):
    """The sub-agents of one turn, or of one step."""

    async def run(self, call_id: CallId, tasks: Sequence[SubAgentTask]) -> list[SubAgentReport]:
        """Have the tasks done side by side, and give the reports in their order. The same call goes on with the
        sub-agents that it has begun before; those that have ended are not run again.

        What goes wrong with one is in its report. Cancelled, it cancels them.
        """
        ...


class AgentDirectory(Protocol):
    """The agents that a person set up."""

    def colleague(self, name: str, usual: ModelChoice | None) -> tuple[Agent, ModelChoice | None]:
        """The agent of that id, or of that name (exact, else without case), with the model that answers for it: its
        own, else the `usual` one; None: the offline agent. Raises NotFound."""
        ...

    def lost_servers(self, agent: Agent) -> Sequence[ServerId]:
        """The MCP servers that the agent is limited to, and that are not there any more."""
        ...


@dataclass(slots=True)
class RunSubAgents:
    """The sub-agents of one run: the rows of those that were begun, and who of them is at work, by step and iteration.

    `rows` are those of an earlier life. `changed` is called when one is at work no longer.
    """

    rows: dict[SubAgentId, StepResult] = field(default_factory=dict)
    at_work: dict[tuple[str, int | None], set[SubAgentId]] = field(default_factory=dict)
    changed: Callable[[], None] = lambda: None

    @classmethod
    def of(cls, results: Iterable[StepResult], changed: Callable[[], None]) -> "RunSubAgents":
        """Those that are among the results of a run."""
        whole = [one for one in results if is_sub_agent(one.key.step) and one.key.round is None]
        return cls({SubAgentId(one.key.step): one for one in whole}, changed=changed)

    def admits(self, sub_agent_id: SubAgentId) -> bool:
        """Whether that one was begun before, or may be."""
        return sub_agent_id in self.rows or len(self.rows) < MAX_SUB_AGENTS

    def name_of(self, step: str) -> str | None:
        """What the sub-agent of that id is called, if it is one."""
        row = self.rows.get(SubAgentId(step))
        return None if row is None else SubAgentRecord.of_json(row.output_json).name

    def begin(self, step: str, index: int | None, sub_agent_id: SubAgentId) -> None:
        """It is at work for an agent at that step."""
        self.at_work.setdefault((step, index), set()).add(sub_agent_id)

    def end(self, step: str, index: int | None, sub_agent_id: SubAgentId) -> None:
        """It is at work no longer."""
        self.at_work.get((step, index), set()).discard(sub_agent_id)
        self.changed()

    def only_waits(self, step: str, index: int | None, is_asking: Callable[[SubAgentId], bool]) -> bool:
        """Whether sub-agents are at work at that step, and every one of them waits for a person."""
        at_work = self.at_work.get((step, index))
        return bool(at_work) and all(map(is_asking, at_work or ()))
