"""Agents: the built-in assistant, the agents of the user, and which of them answers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from core.domain.agent import ASSISTANT, Agent, AgentSelection
from core.domain.ids import AgentId, ServerId
from core.domain.mcp_server import McpServer
from core.domain.model import PRICES, ModelChoice
from core.domain.names import find_named, name_key
from core.domain.run import StepAgent
from core.domain.settings import Settings
from core.domain.template import AgentAction, AgentCall, Template
from core.domain.tool import ToolInfo
from core.errors import NotFound, Refused
from core.ports import Remove, Storage
from core.services.catalogue import Catalogue, name_taken
from core.services.outcome import returns_outcome

OFFLINE = "offline"
"""What the offline agent is called where a name is asked for; no agent of a person can be."""


@dataclass(frozen=True, slots=True)
class RemovedAgent:
    """An agent as it was before its removal, and the number of workflows that it was assigned to."""

    agent: Agent
    workflows: int


class AgentService(Catalogue[Agent]):
    """The catalogue of agents, and the choice of the agent and the model that answer."""

    def __init__(
        self,
        agents: Iterable[Agent],
        storage: Storage,
        settings: Callable[[], Settings],
        tools: Callable[[], Sequence[ToolInfo]],
        servers: Callable[[], Sequence[McpServer]],
    ) -> None:
        super().__init__("agent", Agent.model_validate, partial(Remove, Agent), agents, storage, (ASSISTANT,))
        self._settings = settings
        self._tools = tools
        self._servers = servers

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
        """Return the servers of the agent that no longer exist (`core.ports.agents.Roster`)."""
        existing = {server.id for server in self._servers()}
        return [server for server in agent.mcp_servers or () if server not in existing]

    def named(self, name: str) -> Agent:
        """Return the agent of that name, matching exactly, else ignoring case. Raises NotFound."""
        agent = find_named(self.current, name)
        if agent is None:
            raise NotFound("agent", name)
        return agent

    def find(self, name: str, usual: ModelChoice | None) -> tuple[Agent, ModelChoice | None]:
        """Return the agent for a sub-agent call (`core.ports.agents.Roster`). The name `offline` gives the default
        agent without a model.
        """
        if name_key(name.strip()) == OFFLINE:
            return self.default, None
        agent = self.get(AgentId(name.strip())) or self.named(name)
        model = agent.model or usual
        return agent, model and agent.apply_to(self._with_settings(model))

    def resolve(self, answering: AgentSelection) -> tuple[Agent, ModelChoice | None]:
        """Return the agent that answers, and its model with the agent's own parameters; None as model is the offline
        agent.

        A removed agent is replaced by the default agent.
        """
        agent = self.get(answering.agent) or self.default
        model = None if answering.is_offline else answering.model or agent.model or self._settings().model
        return agent, model and agent.apply_to(self._with_settings(model))

    def for_steps(self, template: Template, profile: Agent | None, model: ModelChoice | None) -> dict[str, StepAgent]:
        """Return the agent and model of each step whose template names an agent or a model (`Casting`).

        An agent is named by id or name; `offline` is the offline agent. A model is looked up by name in the settings;
        an unknown name is taken as a model of the same server as the step's own model.
        """
        cast: dict[str, StepAgent] = {}
        for step in template.steps:
            if isinstance(step.action, AgentAction) and (step.action.agent.agent_id or step.action.agent.model):
                cast[step.name] = self._step_agent(step.action.agent, profile, model)
        return cast

    def _step_agent(self, call: AgentCall, profile: Agent | None, model: ModelChoice | None) -> StepAgent:
        missing: list[str] = []
        name = (call.agent_id or "").strip()
        if name == OFFLINE:
            model = None
        elif name:
            try:
                agent = self.get(AgentId(name)) or self.named(name)
            except NotFound:
                missing.append(f"there is no agent {name!r}: the run's own answers")
            else:
                profile, model = self.resolve(AgentSelection(agent=agent.id))
        if call.model and model is None:
            missing.append(f"the offline agent answers, which has no model {call.model!r}")
        elif call.model and model is not None:
            model = self._model_named(call.model, model)
            model = model if profile is None else profile.apply_to(model)
        return StepAgent(profile, model, tuple(missing))

    def _model_named(self, name: str, usual: ModelChoice) -> ModelChoice:
        """Return the model of that name from the settings, else the model of that name at the server of `usual`."""
        known = (choice for choice in self._settings().models if choice.label == name)
        return next(known, None) or usual.model_copy(
            update={"model": name, **dict.fromkeys((*PRICES, "context_tokens", "takes_pictures"))}
        )

    def as_stored(self, answering: AgentSelection, used: ModelChoice | None) -> AgentSelection:
        """Return the answering as a workflow stores it after a turn. The workflow keeps the model that the settings had
        then, unless the agent has a model of its own, which it then follows. `asked` is the model that answered.
        """
        agent = self.get(answering.agent) or self.default
        if used is None:
            return AgentSelection(agent=agent.id, is_offline=True)
        model = answering.model or (None if agent.model is not None else self._settings().model)
        if model is not None and used.needs_key:
            model = model.model_copy(update={"needs_key": True})
        return AgentSelection(agent=agent.id, model=model)

    @returns_outcome
    async def remove(self, agent_id: AgentId) -> RemovedAgent:
        """Remove an agent. Its workflows continue with the default agent; an active run keeps the agent.

        `save` with the fields of the agent restores it. Fails with `not_found`, and with `agent_stays` for the built-in
        assistant.
        """
        if agent_id == ASSISTANT.id:
            raise Refused("agent_stays", f"{self.require(agent_id).name!r} comes with the app and cannot be deleted")
        # read before the removal: a failure must not leave an agent removed and its count unknown
        workflows = [workflow.answering for workflow in await self._storage.workflows.all()]
        agent = await self._remove(agent_id)
        return RemovedAgent(agent, sum(1 for chosen in workflows if chosen is not None and chosen.agent == agent_id))

    def _with_settings(self, model: ModelChoice) -> ModelChoice:
        """Return the model with what the settings know of it now: prices, the context size, whether it takes
        pictures.
        """
        known = next((choice for choice in self._settings().models if choice.is_same(model)), None)
        if known is None:
            return model
        names = (*PRICES, "context_tokens", "takes_pictures")
        return model.model_copy(update={name: getattr(known, name) for name in names})

    def _require_unique_name(self, item: Agent) -> None:
        # templates and the command line name the offline agent so
        if name_key(item.name) == OFFLINE:
            raise name_taken(self._kind, item.name)
        super()._require_unique_name(item)
