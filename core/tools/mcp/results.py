"""What a server answers to a call, as a value that models and templates read (AGENTS_AND_TOOLS §7)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.errors import ToolFailed

if TYPE_CHECKING:
    import mcp_types

TEXT_CHARACTERS = 10_000
"""How much of a server's own words an error has."""


def value_of(result: "mcp_types.CallToolResult") -> Any:
    """The structured content if there is any; else the text; else, with other content among it, `{text, content}`,
    where images, sounds and resources are described, without their data.

    Raises ToolFailed `failed` with the server's own words for a result that is an error.
    """
    if result.is_error:
        told = _text(result.content).strip()
        raise ToolFailed("failed", told[:TEXT_CHARACTERS] or "it failed and did not say why")
    if result.structured_content is not None:
        return result.structured_content
    text = _text(result.content)
    others = [described for one in result.content if (described := _described(one)) is not None]
    return {"text": text, "content": others} if others else text


def _text(content: "Sequence[mcp_types.ContentBlock]") -> str:
    return "\n".join(one.text for one in content if one.type == "text")


def _described(one: "mcp_types.ContentBlock") -> dict[str, Any] | None:
    match one.type:
        case "text":
            return None
        case "image" | "audio":
            return {"type": one.type, "mime": one.mime_type, "bytes": _decoded_bytes(one.data)}
        case "resource_link":
            told = {"title": one.title, "description": one.description, "mime": one.mime_type, "bytes": one.size}
            return {"type": one.type, "uri": str(one.uri), "name": one.name, **_known(told)}
        case "resource":
            resource = one.resource
            told = {"mime": resource.mime_type}
            if (text := getattr(resource, "text", None)) is not None:
                told["text"] = text
            else:
                told["bytes"] = _decoded_bytes(getattr(resource, "blob", ""))
            return {"type": one.type, "uri": str(resource.uri), **_known(told)}


def _decoded_bytes(base64: str) -> int:
    return len(base64.rstrip("=")) * 3 // 4


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
