"""Agents as the engine sees them: running a turn, sub-agents, and the work that a previous process left unfinished."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from core.domain.access import RunAccess
from core.domain.agent import Agent
from core.domain.events import Fact, MessageAdded, SubAgentFinished, SubAgentText, interrupted_call
from core.domain.ids import CallId, ServerId, SubAgentId
from core.domain.messages import Message, MessageState, Role
from core.domain.model import ModelChoice
from core.domain.run import Run, RunKind, Snapshot, StepAgent, StepKey, StepResult, StepStatus
from core.domain.sub_agent import MAX_SUB_AGENTS, StepLocation, SubAgentRecord, is_sub_agent, location_of
from core.domain.template import Template
from core.domain.tool import ToolCall
from core.errors import StepFailed
from core.ports.consent import Asker, Consent
from core.ports.journal import RunLog
from core.ports.recording import NO_RECORDER, CallRecorder
from core.ports.writes import DropChunks, PutMessage, Write


@dataclass(frozen=True, slots=True)
class InterruptedWork:
    """Calls that were in progress, and the text streamed so far; None if no piece of it is stored.

    For a sub-agent, also its `row`; `below` is the interrupted work of its own sub-agents.
    """

    calls: tuple[ToolCall, ...] = ()
    text: str | None = None
    row: StepResult | None = None
    below: Mapping[StepKey, "InterruptedWork"] = field(default_factory=dict)

    def closed(self, run: Run, key: StepKey, now: datetime) -> tuple[list[Fact], list[Write]]:
        """Return the facts and rows that cancel the calls and keep the text as it is (ENGINE §10, AGENTS_AND_TOOLS
        §3).
        """
        facts: list[Fact] = []
        writes: list[Write] = []
        for its_key, left in self.below.items():
            its_facts, its_writes = left.closed(run, its_key, now)
            facts += its_facts
            writes += its_writes
        facts += [interrupted_call(call) for call in self.calls]
        sub_agent_id = location_of(key.step).sub_agent_id
        if self.text is not None and sub_agent_id is not None:
            facts.append(SubAgentText(sub_agent_id=sub_agent_id, text=self.text))
            writes.append(DropChunks(run.id, key.step, key.index))
        elif self.text is not None:
            facts.append(
                MessageAdded(
                    role=Role.ASSISTANT, text=self.text, message_id=run.message_id, step=key.step, index=key.index
                )
            )
            writes.append(DropChunks(run.id, key.step, key.index))
            if run.kind is RunKind.CHAT:
                state = MessageState.INTERRUPTED
                row = Message(run.message_id, run.workflow_id, Role.ASSISTANT, self.text, now, state, run.id)
                writes.append(PutMessage(row))
        if self.row is not None and sub_agent_id is not None:
            ended = replace(self.row, status=StepStatus.CANCELLED, finished_at=now)
            facts.append(sub_agent_finished(ended))
        return facts, writes


NO_INTERRUPTED_WORK = InterruptedWork()


def sub_agent_finished(row: StepResult) -> SubAgentFinished:
    """Return the fact that a sub-agent has ended as its row states."""
    note = SubAgentRecord.from_json(row.output_json)
    took = row.finished_at - row.started_at if row.finished_at is not None and row.started_at is not None else None
    return SubAgentFinished(
        sub_agent_id=SubAgentId(row.key.step),
        status=row.status,
        duration_ms=0 if took is None else max(0, round(took.total_seconds() * 1000)),
        input_tokens=note.input_tokens,
        output_tokens=note.output_tokens,
        cost=note.cost,
        error=row.error.as_dict() if row.error is not None else None,
        answer=note.text or None,
    )


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

    def close(self) -> None:
        """End the turn: cancel what a previous process started and this turn did not resume."""


@dataclass(frozen=True, slots=True)
class FolderGuide:
    """What the `AGENTS.md` of a folder says. `is_cut`: it is longer."""

    folder: str
    text: str
    is_cut: bool = False


class AgentDirectory(Protocol):
    """The agents that the user set up."""

    def find(self, name: str, usual: ModelChoice | None) -> tuple[Agent, ModelChoice | None]:
        """Return the agent of that id or name (exact, otherwise ignoring case), with its model.

        The model is the agent's own, otherwise the `usual` model; None: the offline agent. Raises NotFound.
        """

    def missing_servers(self, agent: Agent) -> Sequence[ServerId]:
        """Return the MCP servers to which the agent is limited and that no longer exist."""


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


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """The request of an agent step. In a chat run the previous conversation precedes the prompt.

    With an `output_schema` the last text must be JSON that matches it, and the turn's output is that value. `tools`
    None means all tools, `max_rounds` None the agent's own limit. A turn that `is_fresh` cannot have stored
    results, so none are looked up; retries and recovered runs are not fresh. `interrupted_work` is the work that a
    previous process left unfinished. `ask` asks the user, `consent` admits calls, and `recorder` turns calls into
    steps while a recording is open. `sub_agents` holds the run's sub-agents; in a sub-agent's turn its id stands
    for the step's name. `access` is what the user lets the run access; None: what its snapshot allows.
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
    access: RunAccess | None = None

    @property
    def location(self) -> StepLocation:
        """The place of the turn's events."""
        return location_of(self.key.step, self.key.index)


class StepAgentResolver(Protocol):
    """Resolves the agents that a template's steps name."""

    def __call__(self, template: Template, profile: Agent | None, model: ModelChoice | None) -> Mapping[str, StepAgent]:
        """Return agents by step name, for steps that do not use the run's own `profile` and `model`."""


class AgentRunner(Protocol):
    """The agent loop (AGENTS_AND_TOOLS §3)."""

    async def run(self, turn: AgentTurn, log: RunLog) -> Any:
        """Run the turn and return its last text, or with an `output_schema` the value.

        Streams the text, writes each finished answer as a checkpoint and each call to the ledger; a repeated call with
        the same key resumes after the last finished answer. Raises StepFailed (`round_limit`, `too_many_calls`,
        `bad_output`, or the model's failure); texts and results so far are kept. When cancelled, it closes its open
        calls, keeps the received text and returns without waiting.
        """

    def sub_agents(self, parent: AgentTurn, log: RunLog, tools: Collection[str]) -> "SubAgents":
        """Return the sub-agents that calls of this turn or step may start.

        They get these `tools` without the tools that start sub-agents: there is no further level.
        """
