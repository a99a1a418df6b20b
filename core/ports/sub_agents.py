"""Starting sub-agents: the tasks, the reports, and the sub-agents of a run."""

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
    """The task of a sub-agent.

    `agent` is the name or id of a stored agent; without it a new agent is used, with this `system_prompt` and these
    `tools` (None: all tools of its parent). `name` None: the first words of the prompt.
    """

    prompt: str
    agent: str | None = None
    name: str | None = None
    system_prompt: str = ""
    tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SubAgentReport:
    """The result of a task: the last text of the sub-agent, or its error."""

    name: str
    text: str = ""
    error: StepFailed | None = None
    input_tokens: int = 0
    output_tokens: int = 0


class SubAgents(Protocol):
    """The sub-agents of a turn or a step."""

    async def run(self, call_id: CallId, tasks: Sequence[SubAgentTask]) -> list[SubAgentReport]:
        """Run the tasks concurrently, and return the reports in order.

        A repeated call continues the sub-agents that it started before; finished sub-agents are not run again. The
        error of a sub-agent is in its report. Cancellation cancels them all.
        """
        ...


class AgentDirectory(Protocol):
    """The agents that the user set up."""

    def find(self, name: str, usual: ModelChoice | None) -> tuple[Agent, ModelChoice | None]:
        """Return the agent of that id or name (exact, otherwise ignoring case), with its model.

        The model is the agent's own, otherwise the `usual` model; None: the offline agent. Raises NotFound.
        """
        ...

    def missing_servers(self, agent: Agent) -> Sequence[ServerId]:
        """Return the MCP servers to which the agent is limited and that no longer exist."""
        ...


@dataclass(slots=True)
class RunSubAgents:
    """The sub-agents of a run: the rows of all, and the active sub-agents by step and iteration.

    `rows` come from a previous process. `on_changed` is called when a sub-agent stops being active.
    """

    rows: dict[SubAgentId, StepResult] = field(default_factory=dict)
    active: dict[tuple[str, int | None], set[SubAgentId]] = field(default_factory=dict)
    on_changed: Callable[[], None] = lambda: None

    @classmethod
    def from_results(cls, results: Iterable[StepResult], on_changed: Callable[[], None]) -> "RunSubAgents":
        """Return the sub-agents among the results of a run."""
        rows = [row for row in results if is_sub_agent(row.key.step) and row.key.round is None]
        return cls({SubAgentId(row.key.step): row for row in rows}, on_changed=on_changed)

    def may_start(self, sub_agent_id: SubAgentId) -> bool:
        """Return whether that sub-agent was started before, or may be started."""
        return sub_agent_id in self.rows or len(self.rows) < MAX_SUB_AGENTS

    def name_of(self, step: str) -> str | None:
        """Return the name of the sub-agent with that id; None if it is no sub-agent."""
        row = self.rows.get(SubAgentId(step))
        return None if row is None else SubAgentRecord.from_json(row.output_json).name

    def begin(self, step: str, index: int | None, sub_agent_id: SubAgentId) -> None:
        """Mark the sub-agent as active for an agent at that step."""
        self.active.setdefault((step, index), set()).add(sub_agent_id)

    def end(self, step: str, index: int | None, sub_agent_id: SubAgentId) -> None:
        """Mark the sub-agent as no longer active."""
        self.active.get((step, index), set()).discard(sub_agent_id)
        self.on_changed()

    def all_waiting(self, step: str, index: int | None, is_asking: Callable[[SubAgentId], bool]) -> bool:
        """Return whether sub-agents are active at that step and all of them wait for the user."""
        active = self.active.get((step, index))
        return bool(active) and all(map(is_asking, active or ()))
