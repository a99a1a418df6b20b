"""`delegate_task`: a task for an agent that the user has set up (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.ports.tools import CallContext
from core.tools import schema, sub_agents
from core.tools.registry import Arguments, Tool

_INFO = ToolInfo(
    name="delegate_task",
    title="Delegate a task",
    description=(
        "Gives a task to an agent that the person has set up, by its name or id, waits for its end and gives {name, "
        "status, text, input_tokens, output_tokens}: text is its last answer. It has its own tools, model and "
        "instructions."
    ),
    input_schema=schema.of_object({"agent": sub_agents.AGENT, "prompt": sub_agents.PROMPT}, {"name": sub_agents.NAME}),
    risk=Risk.MEDIUM,
    category=Category.SUB_AGENTS,
)


def tool() -> Tool:
    """Return the tool, which behaves as `spawn_agent`. Error `not_found` where there is no such agent."""
    return Tool(_INFO, server=_delegate, idempotent=True, summary=lambda _, value: sub_agents.tokens_of(value))


async def _delegate(arguments: Arguments, context: CallContext) -> dict[str, Any]:
    return await sub_agents.run_one(sub_agents.task_of(arguments), context)
