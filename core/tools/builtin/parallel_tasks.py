"""`parallel_tasks`: several sub-agents side by side (AGENTS_AND_TOOLS §5)."""

from collections.abc import Mapping
from typing import Any

from core.domain.risk import Risk
from core.domain.sub_agent import MAX_SUB_AGENTS
from core.domain.tool import Category, ToolInfo
from core.ports.tools import CallContext
from core.tools import schema, sub_agents
from core.tools.registry import Arguments, Tool

MOST_TASKS = 50

_INFO = ToolInfo(
    name="parallel_tasks",
    title="Parallel tasks",
    description=(
        "Begins a sub-agent for each of several tasks, all at once, and waits for all of them. Gives {results}, in the "
        "order of the tasks: each {name, status, text, input_tokens, output_tokens}, or with status failed {code, "
        f"message}} as error. A run has at most {MAX_SUB_AGENTS} sub-agents: tasks beyond fail with limit_reached."
    ),
    input_schema=schema.of_object(
        {
            "tasks": {
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_TASKS,
                "items": schema.of_object(
                    {"prompt": sub_agents.PROMPT},
                    {
                        "agent": {
                            **sub_agents.AGENT,
                            "description": "The name or the id of an agent that the person has set up, which does the "
                            "task with its own tools and instructions; without it a fresh one does.",
                        },
                        "name": sub_agents.NAME,
                        "system_prompt": sub_agents.SYSTEM_PROMPT,
                        "tools": sub_agents.TOOLS,
                    },
                ),
                "description": "The tasks. They must not depend on each other.",
            }
        }
    ),
    risk=Risk.MEDIUM,
    category=Category.SUB_AGENTS,
)


def tool() -> Tool:
    """Return the tool, which behaves as `spawn_agent`. The failure of a task is its result, and stops no other task."""
    return Tool(_INFO, server=_run, idempotent=True, summary=_summary)


async def _run(arguments: Arguments, context: CallContext) -> dict[str, Any]:
    tasks = [sub_agents.task_of(one) for one in arguments["tasks"]]
    reports = await sub_agents.begin_with(context).run(context.call_id, tasks)
    return {"results": [sub_agents.told(report) for report in reports]}


def _summary(_: Arguments, value: Mapping[str, Any]) -> str:
    done = sum(one["status"] == "completed" for one in value["results"])
    return f"{done}/{len(value['results'])}, {sub_agents.tokens_of(*value['results'])}"
