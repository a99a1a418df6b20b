"""What a server offers: taken from its list, kept as JSON, and made into tools of the registry."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from core.domain.json_text import decode, encode
from core.domain.mcp_server import McpServer
from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.errors import StepFailed
from core.ports.schemas import Schemas
from core.tools.mcp.mended import UNUSABLE
from core.tools.mcp.naming import tool_names
from core.tools.registry import Handler, Tool

if TYPE_CHECKING:
    import mcp_types

DESCRIPTION_CHARACTERS = 20_000
TITLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as its server tells of it. Both schemas are of use."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    is_read_only: bool = False
    is_idempotent: bool = False
    is_destructive: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """`left_out` says which tools could not be taken, and why."""

    tools: Sequence[Offered] = ()
    left_out: Sequence[str] = ()

    def to_json(self) -> str:
        return encode({"tools": [asdict(one) for one in self.tools], "left_out": list(self.left_out)})

    @classmethod
    def from_json(cls, text: str) -> "Listing":
        """Raises ValueError, KeyError, TypeError."""
        found = decode(text)
        return cls(tuple(Offered(**one) for one in found["tools"]), tuple(found["left_out"]))


async def taken(told: Iterable["mcp_types.Tool"], schemas: Schemas) -> Listing:
    """The list of a server. A tool whose schema is of no use is left out; an output schema that is, is ignored."""
    tools: dict[str, Offered] = {}
    left_out: list[str] = []
    for one in told:
        if one.name in tools:
            left_out.append(f"{one.name}: there are two of that name")
            continue
        schema = {**one.input_schema, "type": "object"}
        problem = schema.get(UNUSABLE) or await asyncio.to_thread(_problem, schemas, schema)
        if problem is not None:
            left_out.append(f"{one.name}: {problem}")
            continue
        output = one.output_schema
        if output is not None and await asyncio.to_thread(_problem, schemas, output) is not None:
            output = None
        hints = one.annotations
        tools[one.name] = Offered(
            one.name,
            (one.title or (hints.title if hints else None) or one.name)[:TITLE_CHARACTERS],
            (one.description or "")[:DESCRIPTION_CHARACTERS],
            schema,
            output,
            is_read_only=bool(hints and hints.read_only_hint),
            is_idempotent=bool(hints and hints.idempotent_hint),
            is_destructive=bool(hints and hints.destructive_hint and not hints.read_only_hint),
        )
    return Listing(tuple(tools.values()), tuple(left_out))


def as_tools(server: McpServer, listing: Listing, handler_of: Callable[[str, str], Handler]) -> list[Tool]:
    """The tools of the registry. `handler_of` gives what carries out a tool, by its own name and the registry's."""
    names = tool_names(server.id, (one.name for one in listing.tools))
    return [_tool(server, one, names[one.name], handler_of(one.name, names[one.name])) for one in listing.tools]


def _tool(server: McpServer, one: Offered, name: str, handler: Handler) -> Tool:
    risk = Risk.LOW if one.is_read_only else Risk.HIGH if one.is_destructive else Risk.MEDIUM
    info = ToolInfo(
        name,
        one.title,
        one.description,
        one.input_schema,
        one.output_schema,
        risk=risk,
        category=Category.MCP,
    )
    return Tool(
        info,
        server=handler,
        read_only=one.is_read_only,
        idempotent=one.is_idempotent,
        timeout_s=server.timeout_s,
    )


def _problem(schemas: Schemas, schema: Any) -> str | None:
    try:
        encode(schema)
    except StepFailed as error:
        return error.message
    return schemas.problem(schema)
