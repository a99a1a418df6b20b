"""`wait`: let time pass (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.tool import ToolInfo
from core.ports import CallContext, Clock
from core.tools import schema
from core.tools.registry import Arguments, Tool

MAX_S = 3600
MARGIN_S = 5

_INFO = ToolInfo(
    name="wait",
    title="Wait",
    description="Waits for a number of seconds, at most an hour, and returns {seconds}.",
    input_schema=schema.of_object({"seconds": schema.number("How long to wait; may be a fraction.", 0, MAX_S)}),
)


def tool(clock: Clock) -> Tool:
    """Return the tool. Its own time limit is its seconds plus 5."""

    async def pause(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        await clock.sleep(arguments["seconds"])
        return {"seconds": arguments["seconds"]}

    return Tool(
        _INFO,
        server=pause,
        read_only=True,
        timeout_s=lambda arguments: float(arguments["seconds"] + MARGIN_S),
        summary=lambda _, value: f"{value['seconds']:g} s",
    )
