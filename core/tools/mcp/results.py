"""The result of a call, as a value that models and templates read, and its progress (AGENTS_AND_TOOLS §7)."""

import math
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


def result_value(result: "mcp_types.CallToolResult") -> Any:
    """Return the structured content if there is any; else the text; else, with other content, `{text, content}`, where
    images, audio and resources are described, without their data.

    Raises ToolFailed `failed` with the server's own message for an error result.
    """
    if result.is_error:
        message = _text(result.content).strip()
        raise ToolFailed("failed", message[:ERROR_CHARACTERS] or "it failed without a message")
    if result.structured_content is not None:
        return result.structured_content
    text = _text(result.content)
    others = [described for block in result.content if (described := _describe_block(block)) is not None]
    return {"text": text, "content": others} if others else text


def _text(content: "Sequence[mcp_types.ContentBlock]") -> str:
    return "\n".join(block.text for block in content if block.type == "text")


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
