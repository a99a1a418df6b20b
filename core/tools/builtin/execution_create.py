"""`COLLECTION_WORKFLOW_EXECUTION_CREATE`: start a run of a template (AGENTS_AND_TOOLS §5, ENGINE §12)."""

from typing import Any

from core.domain.ids import TemplateId
from core.domain.json_text import decode
from core.domain.risk import Risk
from core.domain.run import RunStatus
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports.executions import Executions
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.registry import Arguments, Tool

NAME = "COLLECTION_WORKFLOW_EXECUTION_CREATE"
START_S = 30.0
LONGEST_S = 86_400.0  # a run has limits of its own

_INFO = ToolInfo(
    name=NAME,
    title="Start a run",
    description=(
        "Starts a run of a template, below this run. Gives {run_id, status} at once, or with wait: true"
        " {run_id, status, output} once it has ended."
    ),
    input_schema=schema.of_object(
        {"workflow_collection_id": {"type": "string", "description": "The id of the template."}},
        {
            "input": {"type": "object", "description": "The input of the run, {} if absent."},
            "timeoutMs": {"type": "integer", "minimum": 1, "description": "The most active time it may use."},
            "wait": {"type": "boolean", "description": "Whether to wait for its end."},
        },
    ),
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
)


def tool(executions: Executions) -> Tool:
    """A call begins one run however often it is made: idempotent."""

    async def start(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        wait = bool(arguments.get("wait", False))
        run = await executions.execute(
            context,
            TemplateId(arguments["workflow_collection_id"]),
            arguments.get("input", {}),
            timeout_ms=arguments.get("timeoutMs"),
            wait=wait,
        )
        told = {"run_id": run.id, "status": run.status}
        if not wait:
            return told
        if run.status is not RunStatus.SUCCESS:
            error = run.error.as_dict() if run.error else {"code": run.status, "message": f"it was {run.status}"}
            raise ToolFailed("child_failed", f"{run.title}: {error['message']}", child_run_id=run.id, error=error)
        return {**told, "output": decode(run.output_json or "null")}

    return Tool(
        _INFO,
        server=start,
        idempotent=True,
        timeout_s=lambda arguments: LONGEST_S if arguments.get("wait") else START_S,
        summary=lambda _, value: str(value["status"]),
    )
