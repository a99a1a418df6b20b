"""The agents that a person set up, for tests that have no settings."""

from collections.abc import Iterable, Sequence

from core.domain.agent import Agent
from core.domain.ids import ServerId
from core.domain.model import ModelChoice
from core.errors import NotFound


class Roster:
    """A `core.ports.agents.AgentDirectory`."""

    def __init__(self, agents: Iterable[Agent] = ()) -> None:
        self.agents = {agent.name: agent for agent in agents}

    def find(self, name: str, usual: ModelChoice | None) -> tuple[Agent, ModelChoice | None]:
        if name not in self.agents:
            raise NotFound("agent", name)
        return self.agents[name], self.agents[name].model or usual

    def missing_servers(self, agent: Agent) -> Sequence[ServerId]:
        return ()
