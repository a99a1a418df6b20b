"""`COLLECTION_WORKFLOW_EXECUTION_SET_STEP_RESULT`: set the result of a step instead of running it (ENGINE §11)."""

from typing import Any

from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.ports.recording import Recordings
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.recordings import RUN_ID, meant, told
from core.tools.registry import Arguments, Tool

_INFO = ToolInfo(
    name="COLLECTION_WORKFLOW_EXECUTION_SET_STEP_RESULT",
    title="Set the result of a step",
    description=(
        "Gives a step its result without running it. In a recording: that of a step that was recorded, of the call"
        " that will have this name (get_user_2), or of data under a name of its own, which references can read. In a"
        " run of this conversation: of a step that has not begun. Gives {run_id, step}."
    ),
    input_schema=schema.of_object(
        {
            "step": {"type": "string", "minLength": 1, "maxLength": 128},
            "output": {"description": "The result: any JSON value."},
        },
        {"run_id": {**RUN_ID, "description": "The recording or the run; the open recording if absent."}},
    ),
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
)


def tool(recordings: Recordings) -> Tool:
    """Return the tool. Setting the same result twice changes nothing: idempotent."""

    async def preset(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        with told():
            run_id = await meant(recordings, arguments.get("run_id"), context)
            await recordings.preset(run_id, arguments["step"], arguments["output"])
        return {"run_id": run_id, "step": arguments["step"]}

    return Tool(_INFO, server=preset, idempotent=True, summary=lambda arguments, _: str(arguments["step"]))
