"""`spawn_agent`: a fresh sub-agent for a single task (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.risk import Risk
from core.domain.sub_agent import MAX_SUB_AGENTS
from core.domain.tool import Category, ToolInfo
from core.ports.tools import CallContext
from core.tools import schema, sub_agents
from core.tools.registry import Arguments, Tool

_INFO = ToolInfo(
    name="spawn_agent",
    title="Spawn an agent",
    description=(
        "Begins a fresh sub-agent with a task of its own, waits for its end and gives {name, status, text, "
        "input_tokens, output_tokens}: text is its last answer. "
        f"A run has at most {MAX_SUB_AGENTS} sub-agents; for several at once there is parallel_tasks."
    ),
    input_schema=schema.of_object(
        {"prompt": sub_agents.PROMPT},
        {"name": sub_agents.NAME, "system_prompt": sub_agents.SYSTEM_PROMPT, "tools": sub_agents.TOOLS},
    ),
    risk=Risk.MEDIUM,
    category=Category.SUB_AGENTS,
)


def tool() -> Tool:
    """Return the tool. Its work is stored round by round, so that the same call continues after a crash."""
    return Tool(_INFO, server=_spawn, idempotent=True, summary=lambda _, value: sub_agents.tokens_of(value))


async def _spawn(arguments: Arguments, context: CallContext) -> dict[str, Any]:
    return await sub_agents.run_one(sub_agents.task_of(arguments), context)
