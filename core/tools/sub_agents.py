"""What the tools for sub-agents share: the schema of a task, and the JSON of a report."""

from typing import Any

from core.domain.sub_agent import NAME_CHARACTERS, PROMPT_CHARACTERS
from core.errors import ToolFailed
from core.ports.sub_agents import SubAgentReport, SubAgents, SubAgentTask
from core.ports.tools import CallContext
from core.tools.registry import Arguments

SYSTEM_PROMPT_CHARACTERS = 10_000
MOST_TOOLS = 1000

PROMPT = {
    "type": "string",
    "minLength": 1,
    "maxLength": PROMPT_CHARACTERS,
    "description": "The task, with all that has to be known for it: nothing of this conversation is told.",
}
NAME = {
    "type": "string",
    "minLength": 1,
    "maxLength": NAME_CHARACTERS,
    "description": "What people see it called; without it, the first words of the prompt.",
}
SYSTEM_PROMPT = {
    "type": "string",
    "maxLength": SYSTEM_PROMPT_CHARACTERS,
    "description": "Who it is and how it works.",
}
TOOLS = {
    "type": "array",
    "maxItems": MOST_TOOLS,
    "items": {"type": "string", "minLength": 1, "maxLength": 256},
    "description": "Names of the tools that it may use, some of your own; without it, all of them but those that begin "
    "agents.",
}
AGENT = {
    "type": "string",
    "minLength": 1,
    "maxLength": 256,
    "description": "The name or the id of an agent that the person has set up.",
}


def begin_with(context: CallContext) -> SubAgents:
    """Return the runner of sub-agents. Raises ToolFailed `not_available` where none may be started."""
    if context.sub_agents is None:
        raise ToolFailed("not_available", "no agent can be begun here")
    return context.sub_agents


def task_of(arguments: Arguments) -> SubAgentTask:
    """Return the task that the arguments describe. Raises ToolFailed `invalid_arguments`."""
    agent, tools = arguments.get("agent"), arguments.get("tools")
    if agent is not None and (clash := [name for name in ("system_prompt", "tools") if name in arguments]):
        raise ToolFailed("invalid_arguments", f"{' and '.join(clash)}: an agent that is set up has its own")
    return SubAgentTask(
        arguments["prompt"],
        agent=agent,
        name=arguments.get("name"),
        system_prompt=arguments.get("system_prompt", ""),
        tools=None if tools is None else tuple(tools),
    )


def told(report: SubAgentReport) -> dict[str, Any]:
    """Return a report as JSON: `{name, status, text | error, input_tokens, output_tokens}`."""
    outcome: dict[str, Any]
    if report.error is None:
        outcome = {"status": "completed", "text": report.text}
    else:
        outcome = {"status": "failed", "error": {"code": report.error.code, "message": report.error.message}}
    return {
        "name": report.name,
        **outcome,
        "input_tokens": report.input_tokens,
        "output_tokens": report.output_tokens,
    }


async def run_one(task: SubAgentTask, context: CallContext) -> dict[str, Any]:
    """Run a single task. Raises ToolFailed: as the task was refused, or `failed` where its agent failed."""
    (report,) = await begin_with(context).run(context.call_id, [task])
    if report.error is None:
        return told(report)
    if isinstance(report.error, ToolFailed):
        raise report.error
    message = f"the sub-agent {report.name!r} failed: {report.error.message} ({report.error.code})"
    raise ToolFailed("failed", message, sub_agent=told(report))


def tokens_of(*reports: dict[str, Any]) -> str:
    """Return the sum of the tokens, for the summary."""
    tokens = sum(report["input_tokens"] + report["output_tokens"] for report in reports)
    return f"{tokens:,} tokens"
