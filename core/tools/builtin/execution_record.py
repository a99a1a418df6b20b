"""`COLLECTION_WORKFLOW_EXECUTION_RECORD`: start, review or end a recording (AGENTS_AND_TOOLS §5, ENGINE §11)."""

from typing import Any

from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.ports.recording import Recordings
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.recordings import RUN_ID, meant, told
from core.tools.registry import Arguments, Tool

_INFO = ToolInfo(
    name="COLLECTION_WORKFLOW_EXECUTION_RECORD",
    title="Record a template",
    description=(
        "Records the tool calls of this conversation as the steps of a template. action start (the default) begins,"
        " or goes on with the open recording, and gives {run_id, status, guide}: how to write arguments while it is on."
        " review gives what a template would have: {steps, left_out, offers, masked}. end stops without a template."
    ),
    input_schema=schema.of_object(
        {},
        {
            "action": {"enum": ["start", "review", "end"]},
            "input": {"type": "object", "description": "What @input means in the recording from now on."},
            "run_id": {**RUN_ID, "description": "The recording, for review and end; the open one if absent."},
        },
    ),
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
)


def tool(recordings: Recordings) -> Tool:
    """Return the tool. A second start continues the same recording: idempotent."""

    async def record(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        with told():
            action = arguments.get("action", "start")
            if action == "start":
                started = await recordings.start(context.workflow_id, arguments.get("input"))
                return {"run_id": started, "status": "recording", "guide": await recordings.guide(started)}
            run_id = await meant(recordings, arguments.get("run_id"), context)
            if action == "review":
                return {"run_id": run_id, **await recordings.review(run_id)}
            await recordings.end(run_id)
            return {"run_id": run_id, "status": "success"}

    return Tool(
        _INFO,
        server=record,
        read_only=lambda arguments: arguments.get("action") == "review",
        idempotent=lambda arguments: arguments.get("action") != "end",
        summary=lambda arguments, _: str(arguments.get("action", "start")),
    )
