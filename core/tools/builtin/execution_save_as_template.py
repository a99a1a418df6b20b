"""`COLLECTION_WORKFLOW_EXECUTION_SAVE_AS_TEMPLATE`: export a recording as a template (ENGINE §11)."""

from typing import Any

from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.ports.recording import Recordings
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.recordings import RUN_ID, meant, told
from core.tools.registry import Arguments, Tool

_NAMES = {"type": "array", "items": {"type": "string"}, "maxItems": 10_000}
_INFO = ToolInfo(
    name="COLLECTION_WORKFLOW_EXECUTION_SAVE_AS_TEMPLATE",
    title="Save a recording as a template",
    description=(
        "Makes a template of a recording, which ends with that. Gives {run_id, template_id, title, left_out, masked}."
        " Calls that failed, and repeated ones, are left out unless they are in include. accept: which of the"
        " references that the review offers take the place of their literals."
    ),
    input_schema=schema.of_object(
        {},
        {
            "title": {"type": "string", "minLength": 1, "maxLength": 256},
            "description": {"type": "string", "maxLength": 10_000},
            "accept": {
                "anyOf": [{"const": "all"}, _NAMES],
                "description": "all, or the paths of the offers; none if absent.",
            },
            "include": {**_NAMES, "description": "Steps that would be left out, and shall not."},
            "exclude": {**_NAMES, "description": "Steps that shall be left out."},
            "run_id": {**RUN_ID, "description": "The recording; the open one if absent."},
        },
    ),
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
)


def tool(recordings: Recordings) -> Tool:
    async def save(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        wishes = {name: value for name, value in arguments.items() if name != "run_id"}
        with told():
            run_id = await meant(recordings, arguments.get("run_id"), context)
            return dict(await recordings.seal(run_id, wishes))

    return Tool(_INFO, server=save, summary=lambda _, value: str(value["title"]))
