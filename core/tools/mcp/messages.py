"""The messages of a server, read although they are malformed: the library drops what it cannot parse without a word,
and the call would wait for its limit (AGENTS_AND_TOOLS §7).

Whatever has one meaning is mended before the library reads it: lone surrogates, bytes that are no UTF-8, batches, parts
that the protocol does not know. An answer that is of no use even so fails the call that it belongs to, at once.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from core.domain.text.well_formed import well_formed_json, well_formed_value

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, TransportStreams, WriteStream
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError, JSONRPCMessage

PARSE_ERROR = -32700
INTERNAL_ERROR = -32603
CALL = "tools/call"

WRITTEN_KEY = "x-metier-written"
"""Holds a schema as the server wrote it, which the library would reject."""

UNUSABLE_KEY = "x-metier-unusable"
"""Marks the schema of a tool that cannot be used; the value is the reason."""

_ID_PART = 65_536
_ID = re.compile(r'"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")')
_ANSWER = re.compile(r'"(?:result|error)"\s*:')


def read_messages(line: bytes) -> "Sequence[JSONRPCMessage]":
    """Return the messages in a line; [] for a line that is none, such as a log."""
    from mcp_types import jsonrpc_message_adapter

    try:
        return [jsonrpc_message_adapter.validate_json(line, by_name=False)]
    except ValueError:
        pass
    text = well_formed_json(line).lstrip("\ufeff")
    try:
        value = well_formed_value(json.loads(text, strict=False, parse_constant=lambda name: None))
        parts = value if isinstance(value, list) else [value]
        return [message for part in parts if (message := _message(part)) is not None]
    except RecursionError:
        failed = unreadable_answer(text, "it is nested too deeply")
    except ValueError as error:
        failed = unreadable_answer(text, f"it is not JSON: {error}")
    return [] if failed and failed[0].id is None else failed  # a part of a line, or a log: the answer may follow


def unreadable_answer(text: str, reason: str) -> "list[JSONRPCError]":
    """Return the failure of the call whose answer begins or ends as `text` does, and cannot be read; [] for a text that
    is no answer. Without an id it is the answer to the only request that waits.
    """
    if not text.lstrip().startswith("{") or not (_ANSWER.search(text) or '"jsonrpc"' in text[:200]):
        return []
    ends = (text[:_ID_PART], text[-_ID_PART:])
    # the id stands at the beginning or at the end; what is in the middle may be anything
    found = _ID.search(ends[0]) or next(reversed(list(_ID.finditer(ends[1]))), None)
    return [failure(json.loads(found[1]) if found else None, f"its answer cannot be read: {reason}")]


def failure(request_id: Any, message: str) -> "JSONRPCError":
    """Return the answer that fails a request."""
    from mcp_types import ErrorData, JSONRPCError

    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=PARSE_ERROR, message=message))


def _message(value: Any) -> "JSONRPCMessage | None":
    """Return a message for a JSON value that is almost one, None for another value."""
    from mcp_types import jsonrpc_message_adapter

    if not isinstance(value, dict) or not ({"method", "result", "error"} & value.keys()):
        return None
    mended = {**value, "jsonrpc": "2.0"}
    if isinstance(number := mended.get("id"), float) and number.is_integer():
        mended["id"] = int(number)
    if "method" in mended:
        if mended.get("id") is None:
            mended.pop("id", None)
        if not isinstance(mended.get("params"), dict):
            mended.pop("params", None)
    elif mended.get("error") is not None:
        mended.pop("result", None)
        mended["error"] = _error(mended["error"])
        mended.setdefault("id", None)
    else:
        mended.pop("error", None)
    try:
        return jsonrpc_message_adapter.validate_python(mended, by_name=False)
    except ValueError:
        if "method" in mended or not isinstance(mended.get("id"), int | str):
            return None
        return failure(mended["id"], f"its answer is no object but {json.dumps(mended.get('result'))[:100]}")


def _error(written: Any) -> dict[str, Any]:
    if not isinstance(written, Mapping):
        return {"code": INTERNAL_ERROR, "message": written if isinstance(written, str) else json.dumps(written)}
    code, message = written.get("code"), written.get("message")
    return {
        **written,
        "code": code if isinstance(code, int) else INTERNAL_ERROR,
        "message": message if isinstance(message, str) else json.dumps(message or code or "unknown"),
    }


@asynccontextmanager
async def repaired(
    streams: "AbstractAsyncContextManager[TransportStreams]", note: Callable[[str], object] = lambda line: None
) -> "AsyncIterator[TransportStreams]":
    """Yield the same streams, in which messages are well formed, results have the parts that the library expects, and
    an answer with the id of no request fails the one request that waits. `note` takes lines for the server's log.
    """
    async with streams as (incoming, outgoing):
        waiting = _Waiting(note)
        yield _Incoming(incoming, waiting), _Outgoing(outgoing, waiting)


class _Waiting:
    """The requests that wait for an answer: their methods, by id."""

    def __init__(self, note: Callable[[str], object]) -> None:
        self._note = note
        self._methods: dict[str, str] = {}
        self._made: set[str] = set()

    def send(self, item: "SessionMessage") -> None:
        message: Any = item.message
        if (params := getattr(message, "params", None)) is not None:
            message.params = well_formed_value(params)
        if (result := getattr(message, "result", None)) is not None:
            message.result = well_formed_value(result)
        method, request_id = getattr(message, "method", None), getattr(message, "id", None)
        if method is not None and request_id is not None:
            self._methods[str(request_id)] = method
            self._made.add(str(request_id))
        elif method == "notifications/cancelled" and isinstance(params, dict):
            self._methods.pop(str(params.get("requestId")), None)

    def receive(self, item: "SessionMessage | Exception") -> "SessionMessage | Exception":
        message: Any = None if isinstance(item, Exception) else item.message
        if message is None or getattr(message, "method", None) is not None:
            return item
        key = str(message.id)
        method = self._methods.pop(key, None)
        if method is None and key not in self._made:
            self._note(f"(an answer to {message.id!r}, which was not asked)")
            # The tools are listed again beside a call, so that what waits besides it is not looked at.
            calls = [waiting for waiting, method in self._methods.items() if method == CALL] or [*self._methods]
            if len(calls) == 1:
                (own,) = calls
                del self._methods[own]
                error = getattr(message, "error", None)
                reason = error.message if error else f"it answered to {message.id!r}, which was not asked"
                item.message = failure(int(own) if own.isdigit() else own, reason)  # type: ignore[union-attr]
        elif isinstance(result := getattr(message, "result", None), dict):
            _repair_result(method, result)
        return item


class _Wrapper:
    """A message stream that closes with the stream that it wraps."""

    _inner: "WriteStream[SessionMessage] | ReadStream[SessionMessage | Exception]"

    def __init__(self, inner: Any, waiting: _Waiting) -> None:
        self._inner = inner
        self._waiting = waiting

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, trace)


class _Outgoing(_Wrapper):
    """A message stream for what is sent."""

    _inner: "WriteStream[SessionMessage]"

    async def send(self, item: "SessionMessage", /) -> None:
        self._waiting.send(item)
        await self._inner.send(item)


class _Incoming(_Wrapper):
    """A message stream that repairs what it receives."""

    _inner: "ReadStream[SessionMessage | Exception]"

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> "SessionMessage | Exception":
        return self._waiting.receive(await self._inner.receive())

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> "SessionMessage | Exception":
        return self._waiting.receive(await self._inner.__anext__())


def _repair_result(method: str | None, result: dict[str, Any]) -> None:
    if "nextCursor" in result and not isinstance(result["nextCursor"], str):
        result["nextCursor"] = None if result["nextCursor"] is None else str(result["nextCursor"])
    if method == CALL:
        _repair_call(result)
    for items, repair in (("tools", _repair_tool), ("resources", _repair_resource), ("prompts", _repair_prompt)):
        if method == f"{items}/list":
            listed = result.get(items)
            if isinstance(listed, dict) and all(isinstance(each, dict) for each in listed.values()):
                listed = [{"name": name, **each} for name, each in listed.items()]
            parts = enumerate(listed if isinstance(listed, list) else ())
            result[items] = [fit for at, part in parts if (fit := repair(part, at)) is not None]


def _repair_tool(tool: Any, at: int) -> dict[str, Any]:
    fields = dict(tool) if isinstance(tool, Mapping) else {}
    if not isinstance(fields.get("name"), str):
        return {"name": f"(tool {at + 1})", "inputSchema": {"type": "object", UNUSABLE_KEY: "it has no name"}}
    written = {key: fields[key] for key in ("inputSchema", "outputSchema") if key in fields}
    fields["inputSchema"] = {"type": "object", WRITTEN_KEY: written.get("inputSchema")}
    fields.pop("outputSchema", None)
    if isinstance(output := written.get("outputSchema"), dict):
        fields["outputSchema"] = {"type": "object", WRITTEN_KEY: output}
    supported = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
    fields = {name: value for name, value in fields.items() if name in supported}
    for name in ("title", "description"):
        if not isinstance(fields.get(name, ""), str):
            del fields[name]
    hints = fields.pop("annotations", None)
    if isinstance(hints, Mapping):
        hint_types = {"title": str, "readOnlyHint": bool, "idempotentHint": bool, "destructiveHint": bool}
        fields["annotations"] = {
            name: hints[name] for name, kind in hint_types.items() if isinstance(hints.get(name), kind)
        }
    return fields


def _repair_resource(resource: Any, at: int) -> dict[str, Any] | None:
    if not isinstance(resource, Mapping) or not isinstance(uri := resource.get("uri"), str):
        return None
    return {**resource, "name": str(resource.get("name") or uri)}


def _repair_prompt(prompt: Any, at: int) -> dict[str, Any] | None:
    return dict(prompt) if isinstance(prompt, Mapping) and isinstance(prompt.get("name"), str) else None


def _repair_call(result: dict[str, Any]) -> None:
    """Give the result of a call the parts that the library expects; what it does not know becomes text."""
    if "isError" in result and not isinstance(result["isError"], bool):
        result["isError"] = str(result["isError"]).lower() in ("true", "1")
    content = result.get("content")
    if content is None:
        others = {key: value for key, value in result.items() if key not in ("_meta", "isError", "content")}
        is_told = isinstance(result.get("structuredContent"), dict) or not others
        content = [] if is_told else [json.dumps(others, ensure_ascii=False)]
    elif isinstance(content, str | dict):
        content = [content]
    structure = result.get("structuredContent")
    if structure is not None and not isinstance(structure, dict):
        del result["structuredContent"]
        content = content or [json.dumps(structure, ensure_ascii=False)]
    result["content"] = [_block(each) for each in content] if isinstance(content, list) else content


def _block(block: Any) -> dict[str, Any]:
    """Return a block that the library accepts."""
    if isinstance(block, Mapping):
        fields = {key: value for key, value in block.items() if key != "annotations" or isinstance(value, Mapping)}
        match fields.get("type"):
            case "text" if isinstance(fields.get("text"), str):
                return fields
            case "image" | "audio" if isinstance(fields.get("data"), str):
                return {**fields, "mimeType": str(fields.get("mimeType") or "application/octet-stream")}
            case "resource_link" if isinstance(uri := fields.get("uri"), str):
                return {**fields, "name": str(fields.get("name") or uri)}
            case "resource" if isinstance(resource := fields.get("resource"), Mapping):
                if isinstance(resource.get("text", resource.get("blob")), str):
                    return {**fields, "resource": {**resource, "uri": str(resource.get("uri") or "")}}
    text = block if isinstance(block, str) else None
    if text is None and isinstance(block, Mapping) and "text" in block:
        text = "" if block["text"] is None else str(block["text"])
    return {"type": "text", "text": json.dumps(block, ensure_ascii=False) if text is None else text}
