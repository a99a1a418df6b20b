"""`mcp`: serve templates and runs to MCP clients over stdio, and record their calls (AGENTS_AND_TOOLS §7).

Stdout is reserved for the protocol. The end of stdin, Ctrl+C and SIGTERM leave runs to the next process.
"""

import argparse
import asyncio
import json
import re
import sys
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING, Any, cast

from core.app import Core, Folders
from core.cli.command import add_allow, add_mode, allowed_places, command
from core.cli.mcp_calls import CallHandler, Reply, UnknownTool
from core.cli.output import SUCCESS, failure_exit_code, write_error_line
from core.cli.standard_streams import MAX_LINE_BYTES, LineTooLong, StandardStreams
from core.domain.ids import RunId, WorkflowId
from core.domain.risk import Risk
from core.domain.text.json_text import parse
from core.domain.tool import ToolInfo
from core.errors import MetierError, Refused
from core.services.outcome import unwrap
from core.tools.builtin.collection import MCP_TOOLS
from core.wiring import open_core

if TYPE_CHECKING:  # it takes over a second to load
    from mcp.server import Server, ServerRequestContext
    from mcp_types import (
        CallToolRequestParams,
        CallToolResult,
        EmptyResult,
        ListToolsResult,
        PaginatedRequestParams,
        SetLevelRequestParams,
        Tool,
    )

GRACE_S = 2.0
"""What calls get that are at work when stdin ends, and who asks a server that cannot serve."""

PARSE_ERROR, INVALID_REQUEST, CANNOT_SERVE = -32700, -32600, -32000
INSTRUCTIONS = (
    "Runs workflows of Metier. List the templates, or save one of your own, then start a run of it. With wait: true the"
    " call comes back when the run has ended, or when it waits for a person: it goes on once it is answered with"
    " COLLECTION_WORKFLOW_EXECUTION_RESUME."
)
_APPROVALS = {
    False: " Only the user can consent to calls of tools, in Metier; you can reject them, and answer all else.",
    True: " You can also consent to calls of tools.",
}
_RESPONSE = re.compile(r'\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d+),"(?:result|error)":')


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--record",
        metavar="WORKFLOW",
        help="offer all other tools too, and record each call as a step of the open recording of this workflow, or of a"
        " new one; its id is told on stderr (see `record`)",
    )
    add_allow(parser, "for the runs that clients start and the calls that are recorded")
    add_mode(
        parser, "whether tools are called without consent in the runs that clients start (default: as in the settings)"
    )
    parser.add_argument(
        "--allow-approvals",
        action="store_true",
        help="let clients consent to calls of tools, also of runs that they started themselves",
    )


@command(
    "mcp",
    "serve templates and runs to an MCP client over stdin and stdout, until stdin ends",
    """{"mcpServers": {"metier": {"command": "python", "args": ["-m", "core", "mcp"]}}} in the client's settings""",
    _add_arguments,
)
async def mcp(args: argparse.Namespace, folders: Folders) -> int:
    if sys.stdin is None or sys.stdout is None:
        raise Refused("bad_input", "MCP is spoken over stdin and stdout, and they are not open")
    allow = allowed_places(args.allow)
    with StandardStreams() as streams, suppress(asyncio.CancelledError):  # to be stopped is its normal end
        try:
            async with open_core(folders) as core:
                recording = await _recording(core, WorkflowId(args.record)) if args.record is not None else None
                unwrap(await core.runs.recover())
                calls = CallHandler(core, recording, args.mode, allow=allow, may_approve=args.allow_approvals)
                write_error_line({"mode": calls.mode, "clients_may_approve": args.allow_approvals})
                await _serve(core, streams, recording, calls, _APPROVALS[args.allow_approvals])
        except MetierError as error:
            return await _refuse(streams, error)
    return SUCCESS


async def _recording(core: Core, workflow_id: WorkflowId) -> RunId:
    """Return the open recording of the workflow, or a new recording. Raises Refused."""
    recording = unwrap(await core.recording.start(workflow_id))
    write_error_line({"recording_id": recording, "workflow_id": workflow_id})
    return recording


async def _serve(
    core: Core, streams: StandardStreams, recording: RunId | None, calls: CallHandler, approvals: str
) -> None:
    """Serve the protocol until stdin ends, or this is cancelled."""
    from mcp.server.stdio import stdio_server

    guide = f" {unwrap(await core.recording.guide(recording))}" if recording is not None else ""
    server, wire = _server(calls, INSTRUCTIONS + approvals + guide), LineTransport(streams, calls.detach_runs)

    async def speak() -> None:
        async with stdio_server(cast("Any", wire), cast("Any", wire)) as (coming, going):
            await server.run(coming, going, server.create_initialization_options())

    speaking = asyncio.create_task(speak(), name="mcp")
    try:
        await asyncio.wait({speaking})
    finally:
        calls.detach_runs()  # first: cancelling the calls must not cancel their runs
        speaking.cancel()
        await asyncio.wait({speaking})
        await calls.close()
    speaking.result()


def _server(calls: CallHandler, instructions: str) -> "Server[Any]":
    import mcp_types as types
    from anyio import BrokenResourceError, ClosedResourceError
    from mcp.server import Server
    from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

    async def list_tools(
        context: "ServerRequestContext[Any]", params: "PaginatedRequestParams | None"
    ) -> "ListToolsResult":
        return types.ListToolsResult(tools=[_as_mcp_tool(info, calls) for info in calls.offered()])

    async def call_tool(context: "ServerRequestContext[Any]", params: "CallToolRequestParams") -> "CallToolResult":
        async def tell_of_pause(text: str) -> None:
            session: Any = context.session  # the library calls this deprecated
            with suppress(ClosedResourceError, BrokenResourceError):
                await session.send_log_message("warning", text, "metier")

        calls.on_pause = tell_of_pause

        async def report(progress: float, total: float | None, text: str) -> None:
            with suppress(ClosedResourceError, BrokenResourceError):  # the client has gone
                await context.session.report_progress(progress, total, text)

        try:
            reply = await calls.call(params.name, params.arguments or {}, report)
        except UnknownTool:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}") from None
        return _as_mcp_result(reply)

    async def set_level(context: "ServerRequestContext[Any]", params: "SetLevelRequestParams") -> "EmptyResult":
        return types.EmptyResult()

    # Later revisions of the protocol have no logging; clients of today are told of a pause by it.
    warnings.filterwarnings("ignore", category=MCPDeprecationWarning)
    make: Any = Server
    server: Server[Any] = make(
        "metier",
        title="Metier",
        version=_version(),
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_set_logging_level=set_level,
    )
    return server


def _as_mcp_tool(info: ToolInfo, calls: CallHandler) -> "Tool":
    """Return a tool in the protocol's form. A call from outside is a new call each time, so that only tools that change
    nothing are idempotent.
    """
    import mcp_types as types

    reads = calls.only_reads(info.name)
    return types.Tool(
        name=info.name,
        title=info.title,
        description=info.description,
        input_schema=dict(info.input_schema),
        output_schema=dict(info.output_schema) if info.output_schema is not None else None,
        annotations=types.ToolAnnotations(
            title=info.title,
            read_only_hint=reads,
            destructive_hint=info.risk is Risk.HIGH,
            idempotent_hint=reads,
            open_world_hint=False if info.name in MCP_TOOLS else None,
        ),
    )


def _as_mcp_result(reply: Reply) -> "CallToolResult":
    import mcp_types as types

    content: list[types.ContentBlock] = [types.TextContent(type="text", text=reply.text)]
    if reply.is_error:  # without a structured content, which would have to fit the schema of results
        return types.CallToolResult(content=content, is_error=True)
    if not isinstance(reply.value, dict):  # as the protocol wants it; the text tells it all the same
        return types.CallToolResult(content=content)
    return types.CallToolResult(content=content, structured_content=reply.value)


def _version() -> str:
    try:
        return metadata.version("metier")
    except metadata.PackageNotFoundError:  # in the built app
        return ""


class LineTransport:
    """The lines of both directions, as the SDK's transport reads and writes them.

    Lines that are not messages are answered here, since the SDK drops them silently. The end of stdin is passed on once
    the requests before it are answered, or their grace period ends; `on_end` is called before that.
    """

    def __init__(self, streams: StandardStreams, on_end: Callable[[], None]) -> None:
        self._streams = streams
        self._on_end = on_end
        self._unanswered: set[str | int] = set()
        self._answered = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._streams.lines():
            if (problem := self._problem(line)) is not None:
                await self._streams.write(_encode_line(problem))
            else:
                yield cast("str", line)
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                while self._unanswered and not self._streams.is_broken:
                    self._answered.clear()
                    await self._answered.wait()
        self._on_end()

    async def write(self, text: str) -> None:
        """Write a line, and note the request that it answers."""
        await self._streams.write(text)
        if response := _RESPONSE.match(text):
            self._settle(json.loads(response[1]))

    async def flush(self) -> None:
        """Do nothing: lines are not buffered."""

    def _problem(self, line: str | LineTooLong) -> dict[str, Any] | None:
        """Return the error response for a line that is not a message, else None. A request is noted as unanswered."""
        from mcp_types import jsonrpc_message_adapter

        if isinstance(line, LineTooLong):
            return _error_response(None, PARSE_ERROR, f"a line has at most {MAX_LINE_BYTES:,} bytes")
        try:
            message = parse(line)
        except ValueError as error:
            return _error_response(None, PARSE_ERROR, f"the line is not JSON: {error}")
        try:
            jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            return _error_response(_request_id(message), INVALID_REQUEST, "the line is no message of JSON-RPC 2.0")
        if message.get("method") == "notifications/cancelled" and isinstance(message.get("params"), dict):
            self._settle(message["params"].get("requestId"))  # such a request gets no answer
        elif "method" in message and (request_id := _request_id(message)) is not None:
            self._unanswered.add(request_id)
        return None

    def _settle(self, request_id: Any) -> None:
        if isinstance(request_id, str | int):
            self._unanswered.discard(request_id)
            self._answered.set()


async def _refuse(streams: StandardStreams, failure: MetierError) -> int:
    """Report why there is no server: to the client, as the answer to each of its requests, and on stderr, since stdout
    is reserved for the protocol.
    """
    write_error_line({"error": failure.as_dict()})
    answered: list[str | int | None] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(GRACE_S):
            async for line in streams.lines():
                with suppress(ValueError):
                    request_id = _request_id(parse(line)) if isinstance(line, str) else None
                    if request_id is not None:
                        answered.append(request_id)
                        await streams.write(
                            _encode_line(_error_response(request_id, CANNOT_SERVE, failure.message, failure.as_dict()))
                        )
    if not answered:
        await streams.write(_encode_line(_error_response(None, CANNOT_SERVE, failure.message, failure.as_dict())))
    return failure_exit_code(failure)


def _request_id(message: Any) -> str | int | None:
    request_id = message.get("id") if isinstance(message, dict) else None
    return request_id if isinstance(request_id, str | int) else None


def _error_response(request_id: str | int | None, code: int, message: str, data: Any = None) -> dict[str, Any]:
    error = {"code": code, "message": message, **({"data": data} if data is not None else {})}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def _encode_line(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":")) + "\n"
