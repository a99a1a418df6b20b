"""Lists of tools in which one is not well formed: the library would refuse the whole list for it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, TransportStreams
    from mcp.shared.message import SessionMessage

UNUSABLE = "x-metier-unusable"
"""Stands in the schema of a tool that cannot be taken, and says why."""


@asynccontextmanager
async def mended(streams: "AbstractAsyncContextManager[TransportStreams]") -> "AsyncIterator[TransportStreams]":
    """The same streams; lists of tools come out of them well formed."""
    async with streams as (incoming, outgoing):
        yield _Mending(incoming), outgoing


class _Mending:
    """A stream of messages, read through this."""

    def __init__(self, inner: "ReadStream[SessionMessage | Exception]") -> None:
        self._inner = inner

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> "SessionMessage | Exception":
        return _mend(await self._inner.receive())

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> "SessionMessage | Exception":
        return _mend(await self._inner.__anext__())

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, trace)


def _mend(item: "SessionMessage | Exception") -> "SessionMessage | Exception":
    if not isinstance(item, Exception):
        result = getattr(item.message, "result", None)
        if isinstance(result, dict) and isinstance(tools := result.get("tools"), list):
            result["tools"] = [_well_formed(one) for one in tools if _has_name(one)]
    return item


def _has_name(tool: Any) -> bool:
    return isinstance(tool, Mapping) and isinstance(tool.get("name"), str)


def _well_formed(tool: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(tool)
    schema = fields.get("inputSchema")
    if not isinstance(schema, dict):
        fields["inputSchema"] = {"type": "object", UNUSABLE: "it has no input schema"}
    elif schema.setdefault("type", "object") != "object":
        fields["inputSchema"] = {"type": "object", UNUSABLE: f"its arguments are no object but {schema['type']!r:.60}"}
    output = fields.get("outputSchema")
    if not isinstance(output, dict) or output.get("type") != "object":
        fields.pop("outputSchema", None)
    kept = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
    fields = {name: value for name, value in fields.items() if name in kept}
    for name in ("title", "description"):
        if not isinstance(fields.get(name, ""), str):
            del fields[name]
    hints = fields.get("annotations")
    if not isinstance(hints, Mapping):
        fields.pop("annotations", None)
    else:
        known = {"title": str, "readOnlyHint": bool, "idempotentHint": bool, "destructiveHint": bool}
        fields["annotations"] = {name: hints[name] for name, kind in known.items() if isinstance(hints.get(name), kind)}
    return fields
