"""The result of a call, as a value that models and templates read, and its progress (AGENTS_AND_TOOLS §7)."""

import asyncio
import math
from base64 import b64decode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.domain.events import ToolProgressed
from core.errors import ToolFailed
from core.ports import CallContext, Clock
from core.tools.mcp.launch import SecretMask

if TYPE_CHECKING:
    import mcp_types
    from mcp.shared.dispatcher import ProgressFnT

ERROR_CHARACTERS = 10_000
"""How much of a server's own words an error has."""


async def result_value(result: "mcp_types.CallToolResult", context: CallContext) -> Any:
    """Return the structured content if there is any; else the text; else, with other content, `{text, content}`, where
    pictures are stored and referred to, and audio and resources described, without their data.

    Structured content keeps its form; pictures beside it are added to an object as `content`, unless it has that name.
    Raises ToolFailed `failed` with the server's own message for an error result.
    """
    if result.is_error:
        message = _text(result.content).strip()
        raise ToolFailed("failed", message[:ERROR_CHARACTERS] or "it failed without a message")
    others = [described for block in result.content if (described := await _described(block, context)) is not None]
    if (structured := result.structured_content) is not None:
        pictures = [item for item in others if "hash" in item]
        has_room = isinstance(structured, dict) and "content" not in structured
        return {**structured, "content": pictures} if pictures and has_room else structured
    text = _text(result.content)
    return {"text": text, "content": others} if others else text


def _text(content: "Sequence[mcp_types.ContentBlock]") -> str:
    return "\n".join(block.text for block in content if block.type == "text")


async def _described(block: "mcp_types.ContentBlock", context: CallContext) -> dict[str, Any] | None:
    """Return the item of a block, None for a text. A picture that can be sent is stored."""
    item = _describe_block(block)
    encoded = getattr(block, "data", None) if block.type == "image" else None
    if block.type == "resource" and (item or {}).get("mime", "").startswith("image/"):
        encoded = getattr(block.resource, "blob", None)
    if encoded is None:
        return item
    try:
        data = await asyncio.to_thread(b64decode, encoded)
    except ValueError:  # it is no Base64
        return item
    kept = await context.keep_picture(data)
    return item if kept is None else {**(item or {}), **kept}


def _describe_block(block: "mcp_types.ContentBlock") -> dict[str, Any] | None:
    match block.type:
        case "text":
            return None
        case "image" | "audio":
            return {"type": block.type, "mime": block.mime_type, "bytes": _decoded_bytes(block.data)}
        case "resource_link":
            about = {"title": block.title, "description": block.description}
            media = {"mime": block.mime_type, "bytes": block.size}
            return {"type": block.type, "uri": str(block.uri), "name": block.name, **_without_none({**about, **media})}
        case "resource":
            resource = block.resource
            text = getattr(resource, "text", None)
            content = {"text": text} if text is not None else {"bytes": _decoded_bytes(getattr(resource, "blob", ""))}
            return {
                "type": block.type,
                "uri": str(resource.uri),
                **_without_none({"mime": resource.mime_type}),
                **content,
            }


def _decoded_bytes(base64: str) -> int:
    return len(base64.rstrip("=")) * 3 // 4


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


MIN_INTERVAL_S = 0.25
MAX_REPORTS = 50
"""The limit of reports while the duration of a call doubles: a run stores each of them."""

PROGRESS_CHARACTERS = 1000


def progress_callback(context: CallContext, clock: Clock, mask: SecretMask) -> "ProgressFnT":
    """Return a callback that extends the limit of the call and reports progress to the run (ENGINE §13): four times a
    second at first, rarely in a long call, and always at the end.
    """
    started_s, reported_s = clock.monotonic(), -math.inf

    async def report(progress: float, total: float | None, message: str | None) -> None:
        nonlocal reported_s
        context.progressed()
        now = clock.monotonic()
        is_whole = total is not None and progress >= total
        is_early = now - reported_s < max(MIN_INTERVAL_S, (now - started_s) / MAX_REPORTS)
        # The last report is never dropped: without it the call would seem stuck before its end.
        if not math.isfinite(progress) or (is_early and not is_whole):
            return
        reported_s = now
        text = mask.hide_all(message)[:PROGRESS_CHARACTERS] if message else None
        finite_total = total if total is not None and math.isfinite(total) else None
        context.emit(ToolProgressed(call_id=context.call_id, progress=progress, total=finite_total, text=text))

    return report
