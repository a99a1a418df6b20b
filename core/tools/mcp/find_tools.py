"""`find_tools`: searches the tools of servers, of which a model is sent only some (AGENTS_AND_TOOLS §7).

What a search finds is advertised from the next round on. The advertiser repeats the search from the call's arguments
(`core.agents.advertised_tools`), so that a turn that is resumed after a crash advertises the same.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from core.domain.tool import ToolInfo, mcp_server_of
from core.domain.tool_search import FIND_TOOLS, find_tools
from core.ports import CallContext
from core.tools import schema
from core.tools.measure import format_count
from core.tools.registry import Arguments, Tool

SEARCHED_FROM = 30
"""The number of servers' tools from which on there is a search."""

_SHOWN_CHARACTERS = 200

_INFO = ToolInfo(
    name=FIND_TOOLS,
    title="Find tools",
    description=(
        "Searches the tools of the connected servers by words, and returns {tools: [{name, title, description}]}. There"
        " are more tools than the listed ones: search before you conclude that there is none for a task. What was found"
        " can be called from your next message on."
    ),
    input_schema=schema.of_object({"query": schema.text("Words for what the tool does, in English.", 500)}),
)


def search_tool(infos: Callable[[], Sequence[ToolInfo]]) -> Tool:
    """Return the tool. `infos` returns all tools."""

    async def search(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        servers_tools = [info for info in infos() if mcp_server_of(info.name) is not None]
        found = await asyncio.to_thread(find_tools, servers_tools, arguments["query"])
        return {
            "tools": [
                {"name": tool.name, "title": tool.title, "description": tool.description[:_SHOWN_CHARACTERS]}
                for tool in found
            ]
        }

    return Tool(
        _INFO, server=search, read_only=True, summary=lambda _, value: format_count(len(value["tools"]), "tool")
    )
