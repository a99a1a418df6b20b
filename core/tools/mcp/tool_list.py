"""The tool list of a server: names that models accept, usable schemas, the stored form, and tools for the registry
(AGENTS_AND_TOOLS §7).
"""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from core.domain.definition import definition_text
from core.domain.ids import ServerId
from core.domain.mcp_server import MAX_ID_CHARACTERS, McpServer
from core.domain.risk import Risk
from core.domain.run import ErrorInfo
from core.domain.text.hidden import without_hidden
from core.domain.text.json_text import decode, encode
from core.domain.tool import Category, ToolInfo
from core.errors import StepFailed
from core.ports import Schemas
from core.tools.mcp.launch import NO_SECRETS, SecretMask
from core.tools.mcp.messages import UNUSABLE_KEY, WRITTEN_KEY
from core.tools.mcp.schema_repair import NotArguments, mend_schema
from core.tools.registry import Handler, Tool

if TYPE_CHECKING:
    import mcp_types

NAME_CHARACTERS = 64
_HASH_CHARACTERS = 6
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")


def make_server_id(name: str, taken: Collection[str]) -> ServerId:
    """Return the id of a server for the names of its tools: without `__`, which separates it there, and not in
    `taken`.
    """
    plain = (
        re.sub(r"_{2,}", "_", _ILLEGAL.sub("_", name)).strip("_-").lower()[:MAX_ID_CHARACTERS].strip("_-") or "server"
    )
    candidate, number = plain, 1
    while candidate in taken:
        number += 1
        end = f"_{number}"
        candidate = plain[: MAX_ID_CHARACTERS - len(end)].rstrip("_-") + end
    return ServerId(candidate)


def tool_names(server: str, names: Iterable[str]) -> dict[str, str]:
    """Map the server's own names to the registered names `mcp__SERVER__TOOL`: letters, digits, `_` and `-`, at most 64.

    A legal name is kept. A name that had to be changed and now collides, or is too long, ends with a short hash of the
    original; so it does not depend on the order of the tools.
    """
    prefix = f"mcp__{server}__"
    room = NAME_CHARACTERS - len(prefix)
    originals = list(dict.fromkeys(names))
    plain = {name: _ILLEGAL.sub("_", name) or "_" for name in originals}
    uses = Counter(plain.values())
    registered = {}
    for name in originals:
        short = plain[name]
        if len(short) > room or (short != name and uses[short] > 1):
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARACTERS]
            # From the original name, so that the result does not depend on which other tools there are.
            short = f"{short[: room - _HASH_CHARACTERS - 1]}_{digest}"
        registered[name] = prefix + short
    return registered


DESCRIPTION_CHARACTERS = 20_000
TITLE_CHARACTERS = 200
_SCHEMA_TEXTS = frozenset({"title", "description", "$comment"})
_SCHEMA_NAMES = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_SCHEMA_VALUES = frozenset({"enum", "const", "default", "examples"})


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool of a server. Both schemas are valid."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    is_read_only: bool = False
    is_idempotent: bool = False
    is_destructive: bool = False


@dataclass(frozen=True, slots=True)
class ToolListing:
    """The tools of a server. `left_out` holds the tools that were rejected, and `cleaned` those whose description was
    changed, with the reasons.
    """

    tools: Sequence[ServerTool] = ()
    left_out: Sequence[str] = ()
    cleaned: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        tools = [asdict(tool) for tool in self.tools]
        return {"tools": tools, "left_out": list(self.left_out), "cleaned": list(self.cleaned)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "ToolListing":
        """Return the stored listing. Raises ValueError, KeyError, TypeError."""
        tools = tuple(ServerTool(**fields) for fields in stored["tools"])
        return cls(tools, tuple(stored["left_out"]), tuple(stored.get("cleaned", ())))


def state_to_json(listing: ToolListing | None, failure: ErrorInfo | None) -> str:
    """Return the stored form of what is known of a server."""
    stored = listing.as_dict() if listing is not None else {}
    return encode({**stored, **({"failure": failure.as_dict()} if failure is not None else {})})


def state_from_json(text: str | None) -> tuple[ToolListing | None, ErrorInfo | None]:
    """Return the stored tool list and failure of a server. What cannot be read is None: the list is fetched again when
    the server runs.
    """
    try:
        stored = decode(text) if text is not None else {}
        failure = ErrorInfo.from_dict(stored["failure"]) if "failure" in stored else None
        return ToolListing.from_dict(stored) if "tools" in stored else None, failure
    except (ValueError, KeyError, TypeError, AttributeError):
        return None, None


async def read_listing(
    listed: Iterable["mcp_types.Tool"], schemas: Schemas, mask: SecretMask = NO_SECRETS
) -> ToolListing:
    """Return the valid tools of a server's list, with mended schemas. A tool with an unusable input schema is left out;
    an unusable output schema is ignored. Hidden characters and what `mask` hides are removed from what models read, and
    a long description is cut.
    """
    tools: dict[str, ServerTool] = {}
    left_out: list[str] = []
    cleaned: list[str] = []
    for tool in listed:
        if mask.hide_own(tool.name) != tool.name:
            left_out.append(f"{mask.hide_own(tool.name)}: its name repeats a secret of the server")
            continue
        if tool.name in tools:
            left_out.append(f"{tool.name}: another tool has the same name")
            continue
        if (reason := tool.input_schema.get(UNUSABLE_KEY)) is not None:
            left_out.append(f"{tool.name}: {reason}")
            continue
        try:
            written = mask.hide_in(tool.input_schema.get(WRITTEN_KEY, tool.input_schema))
            schema, unchecked = await asyncio.to_thread(_usable, written, schemas)
        except NotArguments as problem:
            left_out.append(f"{tool.name}: {mask.hide_all(str(problem))}")
            continue
        description, schema, changes = _cleaned(mask.hide_all(tool.description or ""), schema)
        cleaned += [f"{tool.name}: {mask.hide_all(change)}" for change in (*changes, *unchecked)]
        output = tool.output_schema
        if output is not None:
            output = await asyncio.to_thread(_usable_output, mask.hide_in(output.get(WRITTEN_KEY, output)), schemas)
        hints = tool.annotations
        title = tool.title or (hints.title if hints else None) or tool.name
        tools[tool.name] = ServerTool(
            tool.name,
            without_hidden(mask.hide_all(title))[:TITLE_CHARACTERS],
            description,
            schema,
            output,
            is_read_only=bool(hints and hints.read_only_hint),
            is_idempotent=bool(hints and hints.idempotent_hint),
            is_destructive=bool(hints and hints.destructive_hint and not hints.read_only_hint),
        )
    return ToolListing(tuple(tools.values()), tuple(left_out), tuple(cleaned))


def _cleaned(description: str, schema: dict[str, Any]) -> tuple[str, dict[str, Any], list[str]]:
    """Return the description and the schema as models read them, and what was changed."""
    seen, changes = without_hidden(description), []
    clean_schema, removed = _clean_schema(schema)
    removed += len(description) - len(seen)
    if removed:
        changes.append(f"{removed:,} hidden characters were removed from its description")
    if len(seen) > DESCRIPTION_CHARACTERS:
        changes.append(f"its description was cut to {DESCRIPTION_CHARACTERS:,} of {len(seen):,} characters")
        seen = f"{seen[:DESCRIPTION_CHARACTERS]}… [cut: {len(seen):,} characters in all]"
    return seen, clean_schema, changes


def _clean_schema(schema: Any, *, are_names: bool = False) -> tuple[Any, int]:
    """Return the schema with clean texts, and how many characters were removed. Names and values stay as they are;
    `are_names`: the keys are names of properties.
    """
    if isinstance(schema, list):
        parts = [_clean_schema(part) for part in schema]
        return [part for part, _ in parts], sum(removed for _, removed in parts)
    if not isinstance(schema, dict):
        return schema, 0
    copy, total = dict(schema), 0
    for key, value in schema.items():
        if not are_names and key in _SCHEMA_TEXTS and isinstance(value, str):
            copy[key] = without_hidden(value)
            total += len(value) - len(copy[key])
        elif are_names or key not in _SCHEMA_VALUES:
            copy[key], removed = _clean_schema(value, are_names=not are_names and key in _SCHEMA_NAMES)
            total += removed
    return copy, total


def registry_tools(server: McpServer, listing: ToolListing, handler_of: Callable[[str, str], Handler]) -> list[Tool]:
    """Return the tools that the server may offer, for the registry. `handler_of` returns the handler of a tool, by its
    own name and its registered
    name.
    """
    names = tool_names(server.id, (tool.name for tool in listing.tools))
    return [
        _registry_tool(server, tool, names[tool.name], handler_of(tool.name, names[tool.name]))
        for tool in listing.tools
        if server.offers(tool.name)
    ]


def _registry_tool(server: McpServer, tool: ServerTool, name: str, handler: Handler) -> Tool:
    risk = Risk.LOW if tool.is_read_only else Risk.HIGH if tool.is_destructive else Risk.MEDIUM
    schemas = (tool.input_schema, tool.output_schema)
    hints = {"read_only": tool.is_read_only, "idempotent": tool.is_idempotent, "destructive": tool.is_destructive}
    definition = definition_text(tool.name, tool.title, tool.description, schemas, hints, server.fingerprint)
    return Tool(
        ToolInfo(name, tool.title, tool.description, *schemas, risk=risk, category=Category.MCP, definition=definition),
        server=handler,
        read_only=tool.is_read_only,
        idempotent=tool.is_idempotent,
        timeout_s=server.timeout_s,
    )


def _usable(written: Any, schemas: Schemas) -> tuple[dict[str, Any], list[str]]:
    """Return the mended schema, and what of it is not checked. Raises NotArguments if it is of no use even so."""
    schema, unchecked = mend_schema(written, schemas)
    try:
        encode(schema)
    except StepFailed as error:
        raise NotArguments(error.message) from None
    if (problem := schemas.problem(schema)) is not None:
        raise NotArguments(problem)
    return schema, unchecked


def _usable_output(written: Any, schemas: Schemas) -> dict[str, Any] | None:
    try:
        return _usable(written, schemas)[0] if isinstance(written, Mapping) and "type" in written else None
    except NotArguments:
        return None
