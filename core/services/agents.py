"""Agents: those that a person set up beside the one that is always there, and who answers where."""

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
from core.ports.storage import PutAgent, RemoveAgent, Storage
from core.services.outcome import returns_outcome

OFFLINE = "offline"
"""What the offline agent is called where a name is asked for; no agent of a person can be."""


@dataclass(frozen=True, slots=True)
class RemovedAgent:
    """An agent that is gone, as it was, and how many workflows it was to answer in."""

    agent: Agent
    workflows: int


class AgentService:
    """`current` holds those that there are, by name."""

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
        """Who answers where none is named."""
        return self.get(self._settings().default_agent) or self.get(ASSISTANT.id) or ASSISTANT

    def tools(self) -> Sequence[ToolInfo]:
        """The tools that an agent can have, by name."""
        return self._tools()

    def servers(self) -> Sequence[McpServer]:
        """The MCP servers that an agent can be limited to, by name."""
        return self._servers()

    def lost_servers(self, agent: Agent) -> Sequence[ServerId]:
        """A `core.ports.sub_agents.AgentDirectory`."""
        there = {one.id for one in self._servers()}
        return [one for one in agent.mcp_servers or () if one not in there]

    def get(self, agent_id: AgentId | None) -> Agent | None:
        return next((one for one in self.current if one.id == agent_id), None)

    def named(self, name: str) -> Agent:
        """The agent of that name: exact, else without case. Raises NotFound."""
        wanted = name.strip()
        exact = next((one for one in self.current if one.name == wanted), None)
        found = exact or next((one for one in self.current if one.name.casefold() == wanted.casefold()), None)
        if found is None:
            raise NotFound("agent", name)
        return found

    def colleague(self, name: str, usual: ModelChoice | None) -> tuple[Agent, ModelChoice | None]:
        """A `core.ports.sub_agents.AgentDirectory`. By the name `offline` it is the default agent, without a model."""
        if name.strip().casefold() == OFFLINE:
            return self.default, None
        agent = self.get(AgentId(name.strip())) or self.named(name)
        model = agent.model or usual
        return agent, model and agent.asking(self._as_set(model))

    def cast(self, answering: AgentSelection) -> tuple[Agent, ModelChoice | None]:
        """Who answers, and with which model as that agent asks it; None: the offline agent.

        An agent that is gone is replaced by the default one.
        """
        agent = self.get(answering.agent) or self.default
        model = None if answering.is_offline else answering.model or agent.model or self._settings().model
        return agent, model and agent.asking(self._as_set(model))

    def for_steps(self, template: Template, profile: Agent | None, model: ModelChoice | None) -> dict[str, StepAgent]:
        """Those whom the steps of a template name, by step (`Casting`). An agent is named by its id, or as for `named`;
        `offline` is the offline agent. A model is one of the settings' of that name, else one of that name where the
        step's agent asks its own."""
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
            model = model if profile is None else profile.asking(model)
        return StepAgent(profile, model, tuple(missing))

    def _model_named(self, name: str, usual: ModelChoice) -> ModelChoice:
        """One of the settings' of that name, else the one of that name at the server of the `usual` one."""
        known = (one for one in self._settings().models if one.label == name)
        return next(known, None) or usual.model_copy(
            update={"model": name, "price_in": None, "price_out": None, "context_tokens": None}
        )

    def settled(self, answering: AgentSelection, asked: ModelChoice | None) -> AgentSelection:
        """The same, as a workflow keeps it once it was answered so: it stays with the model that the settings had then,
        and follows its agent where that has a model of its own. `asked` is the model that was asked."""
        agent = self.get(answering.agent) or self.default
        if asked is None:
            return AgentSelection(agent=agent.id, is_offline=True)
        model = answering.model or (None if agent.model is not None else self._settings().model)
        if model is not None and asked.needs_key:
            model = model.model_copy(update={"needs_key": True})
        return AgentSelection(agent=agent.id, model=model)

    @returns_outcome
    async def put(self, agent_id: AgentId | None = None, **fields: Any) -> Agent:
        """Make an agent, or change all of one; what is not given has its default.

        Fails with `bad_input` (`field` says which) and `name_taken`.
        """
        async with self._one_at_a_time:
            agent = _validated_agent({**fields, "id": agent_id or new_id("agent")})
            self._require_own_name(agent)
            await self._storage.commit([PutAgent(agent)])
            self._become([*(one for one in self.current if one.id != agent.id), agent])
            return agent

    @returns_outcome
    async def delete(self, agent_id: AgentId) -> RemovedAgent:
        """Remove an agent. The workflows in which it was to answer go on with the default agent; a run at work keeps
        it. `put` with what is given brings it back, there too. Fails with `not_found`, and with `agent_stays` for the
        one that is always there."""
        async with self._one_at_a_time:
            agent = self.get(agent_id)
            if agent is None:
                raise NotFound("agent", agent_id)
            if agent_id == ASSISTANT.id:
                raise Refused("agent_stays", f"{agent.name!r} comes with the app and cannot be deleted")
            workflows = await self._storage.workflows()
            await self._storage.commit([RemoveAgent(agent_id)])
            self._become(one for one in self.current if one.id != agent_id)
            using = sum(1 for one in workflows if one.answering is not None and one.answering.agent == agent_id)
            return RemovedAgent(agent, using)

    def _as_set(self, model: ModelChoice) -> ModelChoice:
        """The model with what the settings say of it by now: its prices and the size of its window."""
        told = next((one for one in self._settings().models if one.is_same(model)), None)
        if told is None:
            return model
        names = ("price_in", "price_out", "context_tokens")
        return model.model_copy(update={name: getattr(told, name) for name in names})

    def _require_own_name(self, agent: Agent) -> None:
        """Raises Refused where another has it."""
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
    """Raises Refused `bad_input`."""
    try:
        return Agent.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "agent"
        raise Refused("bad_input", f"{name}: {first['msg'].removeprefix('Value error, ')}", field=name) from None
