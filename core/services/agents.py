"""Agents: the built-in assistant, the agents of the user, and which of them answers."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from core.bus import AgentsChanged, Bus
from core.domain.agent import ASSISTANT, Agent, AgentSelection
from core.domain.ids import AgentId, ServerId, new_id
from core.domain.mcp_server import McpServer
from core.domain.model import ModelChoice
from core.domain.run import StepAgent
from core.domain.settings import Settings
from core.domain.template import AgentAction, AgentCall, Template
from core.domain.tool import ToolInfo
from core.errors import NotFound, Refused
from core.ports.storage import Storage
from core.ports.writes import Put, Remove
from core.services.outcome import returns_outcome

OFFLINE = "offline"
"""What the offline agent is called where a name is asked for; no agent of a person can be."""


@dataclass(frozen=True, slots=True)
class RemovedAgent:
    """An agent as it was before its removal, and the number of workflows that it was assigned to."""

    agent: Agent
    workflows: int


class AgentService:
    """`current` holds all agents, sorted by name."""

    def __init__(
        self,
        kept: Iterable[Agent],
        storage: Storage,
        bus: Bus,
        settings: Callable[[], Settings],
        tools: Callable[[], Sequence[ToolInfo]],
        servers: Callable[[], Sequence[McpServer]],
    ) -> None:
        self.current = _with_assistant(kept)
        self._storage = storage
        self._bus = bus
        self._settings = settings
        self._tools = tools
        self._servers = servers
        self._one_at_a_time = asyncio.Lock()

    @property
    def default(self) -> Agent:
        """The agent that answers where none is named."""
        return self.get(self._settings().default_agent) or self.get(ASSISTANT.id) or ASSISTANT

    def tools(self) -> Sequence[ToolInfo]:
        """Return the tools that an agent can have, sorted by name."""
        return self._tools()

    def servers(self) -> Sequence[McpServer]:
        """Return the MCP servers that an agent can be restricted to, sorted by name."""
        return self._servers()

    def missing_servers(self, agent: Agent) -> Sequence[ServerId]:
        """Return the servers of the agent that no longer exist (`core.ports.sub_agents.Roster`)."""
        there = {one.id for one in self._servers()}
        return [one for one in agent.mcp_servers or () if one not in there]

    def get(self, agent_id: AgentId | None) -> Agent | None:
        """Return the agent, or None if it does not exist."""
        return next((one for one in self.current if one.id == agent_id), None)

    def named(self, name: str) -> Agent:
        """Return the agent of that name, matching exactly, else ignoring case. Raises NotFound."""
        wanted = name.strip()
        exact = next((one for one in self.current if one.name == wanted), None)
        found = exact or next((one for one in self.current if one.name.casefold() == wanted.casefold()), None)
        if found is None:
            raise NotFound("agent", name)
        return found

    def find(self, name: str, usual: ModelChoice | None) -> tuple[Agent, ModelChoice | None]:
        """Return the agent for a sub-agent call (`core.ports.sub_agents.Roster`). The name `offline` gives the default
        agent without a model.
        """
        if name.strip().casefold() == OFFLINE:
            return self.default, None
        agent = self.get(AgentId(name.strip())) or self.named(name)
        model = agent.model or usual
        return agent, model and agent.apply_to(self._as_set(model))

    def cast(self, answering: AgentSelection) -> tuple[Agent, ModelChoice | None]:
        """Return the agent that answers, and its model with the agent's own parameters; None as model is the offline
        agent.

        A removed agent is replaced by the default agent.
        """
        agent = self.get(answering.agent) or self.default
        model = None if answering.is_offline else answering.model or agent.model or self._settings().model
        return agent, model and agent.apply_to(self._as_set(model))

    def for_steps(self, template: Template, profile: Agent | None, model: ModelChoice | None) -> dict[str, StepAgent]:
        """Return the agent and model of each step whose template names an agent or a model (`Casting`).

        An agent is named by id or name; `offline` is the offline agent. A model is looked up by name in the settings;
        an unknown name is taken as a model of the same server as the step's own model.
        """
        found: dict[str, StepAgent] = {}
        for step in template.steps:
            if isinstance(step.action, AgentAction) and (step.action.agent.agent_id or step.action.agent.model):
                found[step.name] = self._cast_of(step.action.agent, profile, model)
        return found

    def _cast_of(self, call: AgentCall, profile: Agent | None, model: ModelChoice | None) -> StepAgent:
        missing: list[str] = []
        wanted = (call.agent_id or "").strip()
        if wanted == OFFLINE:
            model = None
        elif wanted:
            try:
                agent = self.get(AgentId(wanted)) or self.named(wanted)
            except NotFound:
                missing.append(f"there is no agent {wanted!r}: the run's own answers")
            else:
                profile, model = self.cast(AgentSelection(agent=agent.id))
        if call.model and model is None:
            missing.append(f"the offline agent answers, which has no model {call.model!r}")
        elif call.model and model is not None:
            model = self._model_named(call.model, model)
            model = model if profile is None else profile.apply_to(model)
        return StepAgent(profile, model, tuple(missing))

    def _model_named(self, name: str, usual: ModelChoice) -> ModelChoice:
        """Return the model of that name from the settings, else the model of that name at the server of `usual`."""
        known = (one for one in self._settings().models if one.label == name)
        return next(known, None) or usual.model_copy(
            update={"model": name, "price_in": None, "price_out": None, "context_tokens": None}
        )

    def settled(self, answering: AgentSelection, asked: ModelChoice | None) -> AgentSelection:
        """Return the answering as a workflow stores it after a turn. The workflow keeps the model that the settings had
        then, unless the agent has a model of its own, which it then follows. `asked` is the model that answered.
        """
        agent = self.get(answering.agent) or self.default
        if asked is None:
            return AgentSelection(agent=agent.id, is_offline=True)
        model = answering.model or (None if agent.model is not None else self._settings().model)
        if model is not None and asked.needs_key:
            model = model.model_copy(update={"needs_key": True})
        return AgentSelection(agent=agent.id, model=model)

    @returns_outcome
    async def put(self, agent_id: AgentId | None = None, **fields: Any) -> Agent:
        """Create an agent, or replace all fields of an existing agent; fields that are not given have their defaults.

        Fails with `bad_input` (`field` names the field) and `name_taken`.
        """
        async with self._one_at_a_time:
            agent = _validated_agent({**fields, "id": agent_id or new_id("agent")})
            self._require_own_name(agent)
            await self._storage.commit([Put(agent)])
            self._become([*(one for one in self.current if one.id != agent.id), agent])
            return agent

    @returns_outcome
    async def delete(self, agent_id: AgentId) -> RemovedAgent:
        """Remove an agent. Its workflows continue with the default agent; an active run keeps the agent.

        `put` with the returned fields restores it. Fails with `not_found`, and with `agent_stays` for the built-in
        assistant.
        """
        async with self._one_at_a_time:
            agent = self.get(agent_id)
            if agent is None:
                raise NotFound("agent", agent_id)
            if agent_id == ASSISTANT.id:
                raise Refused("agent_stays", f"{agent.name!r} comes with the app and cannot be deleted")
            workflows = await self._storage.workflows.all()
            await self._storage.commit([Remove(Agent, agent_id)])
            self._become(one for one in self.current if one.id != agent_id)
            using = sum(1 for one in workflows if one.answering is not None and one.answering.agent == agent_id)
            return RemovedAgent(agent, using)

    def _as_set(self, model: ModelChoice) -> ModelChoice:
        """Return the model with the prices and the context size that the settings have for it now."""
        told = next((one for one in self._settings().models if one.is_same(model)), None)
        if told is None:
            return model
        names = ("price_in", "price_out", "context_tokens")
        return model.model_copy(update={name: getattr(told, name) for name in names})

    def _require_own_name(self, agent: Agent) -> None:
        """Raise Refused `name_taken` if another agent has the name."""
        name = agent.name.casefold()
        others = {one.name.casefold() for one in self.current if one.id != agent.id}
        if name in others or name == OFFLINE:
            raise Refused("name_taken", f"there is an agent {agent.name!r} already", field="name")

    def _become(self, agents: Iterable[Agent]) -> None:
        self.current = _with_assistant(agents)
        self._bus.publish(AgentsChanged(self.current))


def _with_assistant(kept: Iterable[Agent]) -> tuple[Agent, ...]:
    agents = {one.id: one for one in (ASSISTANT, *kept)}
    return tuple(sorted(agents.values(), key=lambda one: (one.name.casefold(), one.id)))


def _validated_agent(fields: dict[str, Any]) -> Agent:
    """Return the validated agent. Raises Refused `bad_input`."""
    try:
        return Agent.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "agent"
        raise Refused("bad_input", f"{name}: {first['msg'].removeprefix('Value error, ')}", field=name) from None
