"""`COLLECTION_WORKFLOW_EXECUTION_CREATE`: start a run of a template (AGENTS_AND_TOOLS §5, ENGINE §12)."""

from typing import Any

from core.domain.ids import TemplateId
from core.domain.risk import Risk
from core.domain.run import Run, RunStatus
from core.domain.text.json_text import decode
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports.executions import Runs
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.builtin.collection import ANY_OBJECT, EXECUTIONS, TEXT, an_id, errors_as_failures, of_result
from core.tools.registry import Arguments, Tool

NAME = f"{EXECUTIONS}CREATE"
START_S = 30.0
LONGEST_S = 86_400.0  # a run has limits of its own

_INFO = ToolInfo(
    name=NAME,
    title="Start a run",
    description=(
        "Starts a run of a template, below this run where one calls it. Gives {run_id, status} at once, or with wait:"
        " true {run_id, status, output} once it has ended. A run that is no other's comes back too when it waits for a"
        " person, with status waiting and its open interruptions."
    ),
    input_schema=schema.of_object(
        {"workflow_collection_id": an_id("The id of the template.")},
        {
            "input": {"type": "object", "description": "The input of the run, {} if absent."},
            "timeoutMs": {"type": "integer", "minimum": 1, "description": "The most active time it may use."},
            "wait": {"type": "boolean", "description": "Whether to wait for its end."},
        },
    ),
    output_schema=of_result(
        {"run_id": TEXT, "status": TEXT},
        {"output": {}, "interruptions": {"type": "array", "items": ANY_OBJECT}},
    ),
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
)


def tool(runs: Runs) -> Tool:
    """Return the tool. A repeated call returns the run that the first call started: idempotent.

    A run that does not succeed fails with `child_failed`, from outside with `run_failed`; both carry the run's error.
    """

    @errors_as_failures
    async def start(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        wait = bool(arguments.get("wait", False))
        run = await runs.execute(
            context,
            TemplateId(arguments["workflow_collection_id"]),
            arguments.get("input", {}),
            timeout_ms=arguments.get("timeoutMs"),
            wait=wait,
        )
        if not wait:
            return told(run)
        if run.status is RunStatus.SUCCESS:
            return {**told(run), "output": decode(run.output_json or "null")}
        if run.status.is_final:
            raise _failed(run, context)
        return {**told(run), "interruptions": await runs.asked(run.id)}

    return Tool(
        _INFO,
        server=start,
        idempotent=True,
        timeout_s=lambda arguments: LONGEST_S if arguments.get("wait") else START_S,
        summary=lambda _, value: str(value["status"]),
    )


def told(run: Run) -> dict[str, Any]:
    """Return the fields that every tool reports of a run that it has changed."""
    return {"run_id": run.id, "status": run.status}


def _failed(run: Run, context: CallContext) -> ToolFailed:
    error = run.error.as_dict() if run.error else {"code": run.status, "message": f"it was {run.status}"}
    message = f"{run.title}: {error['message']}"
    if context.is_outside:
        return ToolFailed("run_failed", message, run_id=run.id, status=run.status, error=error)
    return ToolFailed("child_failed", message, child_run_id=run.id, error=error)
