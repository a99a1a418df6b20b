"""Agents as the user configures them (AGENTS_AND_TOOLS §1), and which agent answers a workflow."""

from typing import Annotated

from pydantic import Field

from core.domain.document import Document
from core.domain.ids import AgentId, ServerId
from core.domain.model import ModelChoice, Reasoning
from core.domain.names import Name

OFFLINE_REFUSAL = "I am the offline agent, not a language model: "
"""How the offline agent begins its answer to what is none of its commands."""

PROMPT_CHARACTERS = 10_000
MAX_TOKENS = 10_000_000
MAX_TOOLS = 1000
MAX_SERVERS = 200


class Agent(Document):
    """A configured agent.

    `model` None: the model of the settings. `tools` None: all tools. `mcp_servers` None: the tools of all servers;
    otherwise of these servers only, whatever `tools` contains. `max_tool_rounds` limits the answers with calls in a
    turn. The other fields that are None are left to the model.
    """

    id: AgentId
    name: Name
    model: ModelChoice | None = None
    system_prompt: Annotated[str, Field(max_length=PROMPT_CHARACTERS)] = ""
    tools: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=256)], ...], Field(max_length=MAX_TOOLS)] | (
        None
    ) = None
    mcp_servers: (
        Annotated[tuple[Annotated[ServerId, Field(min_length=1, max_length=64)], ...], Field(max_length=MAX_SERVERS)]
        | None
    ) = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=MAX_TOKENS)] | None = None
    max_tool_rounds: Annotated[int, Field(ge=1, le=200)] = 10
    reasoning: Reasoning = Reasoning.OFF

    def apply_to(self, model: ModelChoice) -> ModelChoice:
        """Apply the parameters of this agent to a model; parameters that the agent leaves open stay the model's."""
        own = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "reasoning": None if self.reasoning is Reasoning.OFF else self.reasoning,
        }
        return model.model_copy(update={name: value for name, value in own.items() if value is not None})


class AgentSelection(Document):
    """Who answers the next turns of a workflow.

    `agent` None, or a deleted agent: the default agent. `model` None: the agent's own, else that of the settings.
    `is_offline`: the offline agent, whatever the other fields say.
    """

    agent: AgentId | None = None
    model: ModelChoice | None = None
    is_offline: bool = False


# The built-in agent, with all tools. It always exists; a row with its id holds the user's changes to it.
ASSISTANT = Agent(id=AgentId("agent_assistant"), name="Assistant")
