"""`spawn_agent`, `delegate_task`, `parallel_tasks`: work for sub-agents (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.names import NAME_CHARACTERS
from core.domain.risk import Risk
from core.domain.sub_agent import MAX_SUB_AGENTS, PROMPT_CHARACTERS
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext, SubAgentReport, SubAgents, SubAgentTask
from core.tools import schema
from core.tools.registry import Arguments, Tool

SYSTEM_PROMPT_CHARACTERS = 10_000
MAX_TOOLS = 1000
MAX_TASKS = 50

_PROMPT = {
    "prompt": schema.text("The complete task: the sub-agent sees nothing of this conversation.", PROMPT_CHARACTERS)
}
_NAME = {"name": schema.text("Its displayed name; the first words of the prompt if absent.", NAME_CHARACTERS)}
_FRESH = {
    "system_prompt": schema.text("Its role and how it works.", SYSTEM_PROMPT_CHARACTERS, can_be_empty=True),
    "tools": schema.array(
        "Names of the tools that it may use, some of your own; if absent, all of them but the tools for sub-agents.",
        {"type": "string", "minLength": 1, "maxLength": 256},
        MAX_TOOLS,
    ),
}

_SPAWN = ToolInfo(
    name="spawn_agent",
    title="Spawn an agent",
    description=(
        "Starts a fresh sub-agent with its own task, waits for its end and returns {name, status, text, input_tokens, "
        f"output_tokens}}: text is its last answer. A run has at most {MAX_SUB_AGENTS} sub-agents; for several at once "
        "use parallel_tasks."
    ),
    input_schema=schema.of_object(_PROMPT, {**_NAME, **_FRESH}),
    risk=Risk.MEDIUM,
    category=Category.SUB_AGENTS,
)
_DELEGATE = ToolInfo(
    name="delegate_task",
    title="Delegate a task",
    description=(
        "Gives a task to an agent that the user has set up, by its name or id, waits for its end and returns {name, "
        "status, text, input_tokens, output_tokens}: text is its last answer. It has its own tools, model and "
        "instructions."
    ),
    input_schema=schema.of_object(
        {"agent": schema.an_id("The name or the id of an agent that the user has set up.", 256), **_PROMPT}, _NAME
    ),
    risk=Risk.MEDIUM,
    category=Category.SUB_AGENTS,
)
_AGENT = schema.an_id(
    "The name or the id of an agent that the user has set up, which does the task with its own tools and instructions; "
    "if absent, a fresh sub-agent does it.",
    256,
)
_PARALLEL = ToolInfo(
    name="parallel_tasks",
    title="Parallel tasks",
    description=(
        "Starts a sub-agent for each task, all at once, and waits for all of them. Returns {results}, in the order of "
        "the tasks: each {name, status, text, input_tokens, output_tokens}, or with status failed {code, message} as "
        f"error. A run has at most {MAX_SUB_AGENTS} sub-agents: further tasks fail with limit_reached."
    ),
    input_schema=schema.of_object(
        {
            "tasks": schema.array(
                "The tasks. They must not depend on each other.",
                schema.of_object(_PROMPT, {"agent": _AGENT, **_NAME, **_FRESH}),
                MAX_TASKS,
                minItems=1,
            )
        }
    ),
    risk=Risk.MEDIUM,
    category=Category.SUB_AGENTS,
)


def tools() -> list[Tool]:
    """Return the tools. The work of a sub-agent is stored round by round, so that the same call continues after a
    crash: idempotent. In `parallel_tasks` the failure of a task is its result, and stops no other task.

    Errors: `not_available` where no sub-agent may be started, `not_found` for an unknown agent, `failed`.
    """
    return [
        Tool(_SPAWN, server=_run, idempotent=True, summary=lambda _, report: _tokens(report)),
        Tool(_DELEGATE, server=_run, idempotent=True, summary=lambda _, report: _tokens(report)),
        Tool(_PARALLEL, server=_run_all, idempotent=True, summary=_parallel_summary),
    ]


async def _run(arguments: Arguments, context: CallContext) -> dict[str, Any]:
    """Run a single task. Raises ToolFailed: as the task was refused, or `failed` where its agent failed."""
    # The call's id makes the sub-agent's id: after a crash the same call finds its sub-agent again.
    (report,) = await _runner(context).run(context.call_id, [_task(arguments)])
    if report.error is None:
        return _report_fields(report)
    if isinstance(report.error, ToolFailed):
        raise report.error
    message = f"the sub-agent {report.name!r} failed: {report.error.message} ({report.error.code})"
    raise ToolFailed("failed", message, sub_agent=_report_fields(report))


async def _run_all(arguments: Arguments, context: CallContext) -> dict[str, Any]:
    tasks = [_task(fields) for fields in arguments["tasks"]]
    reports = await _runner(context).run(context.call_id, tasks)
    return {"results": [_report_fields(report) for report in reports]}


def _runner(context: CallContext) -> SubAgents:
    if context.sub_agents is None:
        raise ToolFailed("not_available", "no sub-agent can be started here")
    return context.sub_agents


def _task(arguments: Arguments) -> SubAgentTask:
    """Return the task that the arguments describe. Raises ToolFailed `invalid_arguments`."""
    agent, tool_names = arguments.get("agent"), arguments.get("tools")
    if agent is not None and (clash := [name for name in ("system_prompt", "tools") if name in arguments]):
        raise ToolFailed("invalid_arguments", f"{' and '.join(clash)}: an agent that is set up has its own")
    return SubAgentTask(
        arguments["prompt"],
        agent=agent,
        name=arguments.get("name"),
        system_prompt=arguments.get("system_prompt", ""),
        tools=None if tool_names is None else tuple(tool_names),
    )


def _report_fields(report: SubAgentReport) -> dict[str, Any]:
    """Return a report as JSON: `{name, status, text | error, input_tokens, output_tokens}`."""
    outcome: dict[str, Any] = {"status": "completed", "text": report.text}
    if report.error is not None:
        outcome = {"status": "failed", "error": {"code": report.error.code, "message": report.error.message}}
    tokens = {"input_tokens": report.input_tokens, "output_tokens": report.output_tokens}
    return {"name": report.name, **outcome, **tokens}


def _tokens(*reports: dict[str, Any]) -> str:
    return f"{sum(report['input_tokens'] + report['output_tokens'] for report in reports):,} tokens"


def _parallel_summary(_: Arguments, value: Any) -> str:
    done = sum(report["status"] == "completed" for report in value["results"])
    return f"{done}/{len(value['results'])}, {_tokens(*value['results'])}"
