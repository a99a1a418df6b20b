"""A session with a server: from its start to its end, in a task of its own.

Why a task of its own: the library's session is an anyio task group, and only the task that entered it may leave it. A
call that held the session would tie it to the caller's task, and a cancelled caller would tear it down for all others.
So a single owner task enters the session, lists the tools, waits to be closed, and leaves; other tasks only send
requests on it, and wait for `ready` and for the end of the owner task, which always come.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from core.domain.text.well_formed import well_formed_value
from core.threads.imports import import_once
from core.tools.mcp.client_side import ClientSide
from core.tools.mcp.health import ConnectionLost, StartFailed, exit_reason
from core.tools.mcp.messages import repaired
from core.tools.mcp.pages import all_pages
from core.tools.mcp.sign_in import SignInNeeded
from core.tools.mcp.transports import ServerTransport

if TYPE_CHECKING:
    import mcp_types
    from mcp import Client
    from mcp.client.session import IncomingMessage
    from mcp.shared.dispatcher import ProgressFnT
    from pydantic import ValidationError

LIST_TIMEOUT_S = 10.0
"""The limit of a refresh of the tool list."""

CLOSE_TIMEOUT_S = 8.0
LIST_INTERVAL_S = 1.0
"""The shortest interval between refreshes, for a server that reports a change again and again."""

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionCallbacks:
    """The handlers of a server's requests and messages, of a new tool list, and of a change of what else it offers."""

    client_side: ClientSide
    note: Callable[[str], object]
    listed: Callable[[Sequence[Any]], object]
    offers_changed: Callable[[], object]
    over: Callable[[], object]


class ServerSession:
    """A running session; it starts at once. `ready` holds the tools of the server, or StartFailed. `over` is called
    once, at the end. `limit_s` is the time to become ready.
    """

    def __init__(
        self,
        make_transport: Callable[[Callable[[], object]], ServerTransport],
        callbacks: SessionCallbacks,
        limit_s: float,
    ) -> None:
        self._callbacks = callbacks
        self._limit_s = limit_s
        self._client: Client | None = None
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._is_too_slow = False
        self.transport = make_transport(self._closing.set)
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[Sequence[Any]] = loop.create_future()
        self.error: BaseException | None = None
        self._task = asyncio.create_task(self._run(), name="mcp server")
        self._timer: asyncio.TimerHandle | None = None

    @property
    def has_ended(self) -> bool:
        return self._task.done()

    @property
    def is_open(self) -> bool:
        """Whether the session is neither closing nor closed."""
        return not self._closing.is_set() and not self._task.done()

    def refresh_tools(self) -> None:
        """Request a refresh of the tool list."""
        self._changed.set()

    async def call(self, name: str, arguments: dict[str, Any], progress: "ProgressFnT") -> "mcp_types.CallToolResult":
        """Return the raw response of the server. A cancelled call is cancelled at the server too.

        Raises ConnectionLost, MCPError, ValidationError.
        """
        import mcp_types
        from mcp import MCPError

        params = mcp_types.CallToolRequestParams(name=name, arguments=well_formed_value(arguments))
        request = mcp_types.CallToolRequest(params=params)
        await self._callbacks.client_side.share_roots(self._notify_roots)
        # Not `client.call_tool`: it checks the result on the loop, against a schema that may hang it.
        try:
            async with self._request(
                lambda client: client.session.send_request(
                    request, mcp_types.CallToolResult, progress_callback=progress
                )
            ) as response:
                return response.result()
        except MCPError as error:
            if error.code == mcp_types.CONNECTION_CLOSED:
                raise ConnectionLost from None
            if self.transport.has_lost_session:
                self._closing.set()
                raise ConnectionLost(was_refused=True) from None
            raise
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise ConnectionLost from None

    async def ask(self, send: "Callable[[Client], Coroutine[Any, Any, T]]", timeout_s: float) -> T:
        """Return the response. Raises ConnectionLost if there is none in time; MCPError; ValidationError."""
        try:
            async with self._request(send, timeout_s) as response:
                return response.result()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise ConnectionLost from None

    async def _notify_roots(self) -> None:
        import mcp_types

        if self._client is not None:
            await self._client.session.send_notification(mcp_types.RootsListChangedNotification())

    async def tools(self) -> Sequence[Any]:
        """Return the current tools. Raises ConnectionLost if they cannot be listed within 10 s."""
        async with self._request(lambda client: _all_tools(client, self._callbacks.note), LIST_TIMEOUT_S) as response:
            if response.exception() is not None:
                raise ConnectionLost
            return response.result()

    @asynccontextmanager
    async def _request(
        self, send: "Callable[[Client], Coroutine[Any, Any, T]]", timeout_s: float | None = None
    ) -> AsyncIterator["asyncio.Future[T]"]:
        """Send a request and yield its finished future. Raises ConnectionLost if the session or the time ends first.

        The owner task is awaited beside it: once the session has ended, the response may never come.
        """
        if self._client is None or not self.is_open:
            raise ConnectionLost
        request = asyncio.ensure_future(send(self._client))
        try:
            await asyncio.wait({request, self._task}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
            if not request.done():
                # By name, since the HTTP library of the error is imported late.
                raise ConnectionLost(was_refused=type(_leaf(self.error)).__name__ == "ConnectError")
            yield request
        finally:
            await _cancel_and_wait(request)

    async def close(self) -> None:
        """Close the session; returns when the program has ended, or was given up."""
        self._closing.set()
        # Before it is ready the owner task waits for the server and not for `_closing`: end the connection under it.
        if not self.ready.done() and not self.transport.abort():
            self._task.cancel()
        done, _ = await asyncio.wait({self._task}, timeout=CLOSE_TIMEOUT_S)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=CLOSE_TIMEOUT_S)

    def end_reason(self) -> str:
        """Return how the session ended, to continue after the name of the server."""
        if self.transport.exit_code is None and isinstance(leaf := _leaf(self.error), OSError):
            return f"lost its connection: {leaf.strerror or leaf}"
        if self.transport.exit_code is None and self.error is not None and self.transport.end_reason is None:
            return f"lost its connection: {_leaf(self.error)}"
        return exit_reason(self.transport.exit_code, self.transport.end_reason)

    # In the owner task

    async def _run(self) -> None:
        try:
            await asyncio.to_thread(_import_library)
            self._timer = asyncio.get_running_loop().call_later(self._limit_s, self._on_start_timeout)
            from mcp import Client
            from mcp_types import Implementation

            async with Client(
                repaired(self.transport.streams(), self._callbacks.note),
                mode="legacy",  # the newer protocol has neither elicitation nor `list_changed`
                elicitation_callback=self._callbacks.client_side.elicit,
                sampling_callback=self._callbacks.client_side.sample,
                list_roots_callback=self._callbacks.client_side.list_roots,
                logging_callback=self._on_log,
                message_handler=self._on_message,
                client_info=Implementation(name="metier", version="0.1.0"),
                cache=None,
            ) as client:
                tools = await _all_tools(client, self._callbacks.note)
                self._client = client
                if not self.ready.done():
                    self.ready.set_result(tools)
                self._stop_timer()
                await self._serve(client)
        except (Exception, BaseExceptionGroup) as error:
            self.error = error
            log.debug("the session of an MCP server ended", exc_info=True)
        finally:
            self._client = None
            self._stop_timer()
            if not self.ready.done():
                self.ready.set_exception(self._start_failed())
                self.ready.exception()  # retrieved here: there may be no waiting caller
            self._callbacks.over()

    async def _serve(self, client: "Client") -> None:
        """Wait to be closed, and refresh the tool list whenever the server reports a change."""
        while not self._closing.is_set():
            await _wait_for_first(self._closing.wait(), self._changed.wait())
            if self._closing.is_set():
                return
            self._changed.clear()
            self._callbacks.listed(await _all_tools(client, self._callbacks.note))
            # A server that reports a change with each list must not be listed in a loop.
            await _wait_for_first(self._closing.wait(), asyncio.sleep(LIST_INTERVAL_S))

    async def _on_message(self, message: "IncomingMessage") -> None:
        import mcp_types

        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._changed.set()
        elif isinstance(message, mcp_types.ResourceListChangedNotification | mcp_types.PromptListChangedNotification):
            self._callbacks.offers_changed()

    async def _on_log(self, params: "mcp_types.LoggingMessageNotificationParams") -> None:
        self._callbacks.note(f"{params.level}: {params.data if isinstance(params.data, str) else repr(params.data)}")

    def _on_start_timeout(self) -> None:
        if self.ready.done():
            return
        self._is_too_slow = True
        # Set before the connection is aborted, so that the callers learn of the timeout and not of its consequence.
        self.ready.set_exception(self._start_failed())
        self.ready.exception()
        self._closing.set()
        if not self.transport.abort():
            self._task.cancel()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _start_failed(self) -> StartFailed:
        """Return why the session never became ready."""
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED
        from pydantic import ValidationError

        error, transport = _leaf(self.error), self.transport
        if isinstance(error, StartFailed):
            return error
        if isinstance(error, SignInNeeded):
            return StartFailed("sign_in", "asks you to sign in again")
        if self._is_too_slow:
            return StartFailed("silent", f"did not answer within {self._limit_s:g} s of its start")
        if isinstance(error, ValidationError):
            return StartFailed("not_mcp", f"sent an invalid response: {first_validation_error(error)}")
        if isinstance(error, RuntimeError) and "protocol version" in str(error):
            version = str(error).rpartition(": ")[2]
            message = f"uses version {version} of the protocol, which Metier does not support"
            return StartFailed("protocol", f"{message}; update Metier, or use another version of the server")
        if transport.end_reason is not None:
            status = {"http_status": transport.status} if transport.status is not None else {}
            return StartFailed(transport.cause, transport.end_reason, **status, **transport.parameters)
        if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
            return StartFailed("refused", f"refused the connection: {error.message}")
        if transport.exit_code is not None:
            return StartFailed("exited", exit_reason(transport.exit_code))
        return StartFailed("unreachable", f"could not be reached: {error or 'it closed the connection'}")


def first_validation_error(error: "ValidationError") -> str:
    """Return the first deviation from the protocol: its path and the problem."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


def _import_library() -> None:
    """Import the library, which takes over a second. Its log is silenced: messages may hold secrets."""
    # anyio's backend is what it loads at its first use, on the loop
    import_once("anyio._backends._asyncio", "mcp", "mcp.client.stdio", "mcp.client.streamable_http", "httpx2")
    for name in ("mcp", "client", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


async def _all_tools(client: "Client", note: Callable[[str], object]) -> Sequence[Any]:
    """Return the tools of all pages. Raises the library's errors."""
    if client.server_capabilities.tools is None:
        return []
    return await all_pages(lambda cursor: client.list_tools(cursor=cursor), lambda page: page.tools, "tools", note)


def _leaf(error: BaseException | None) -> BaseException | None:
    """Return the first error that is not a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _wait_for_first(*works: Awaitable[object]) -> None:
    """Wait for the first to end; the others are cancelled."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


async def _cancel_and_wait(task: asyncio.Future[Any]) -> None:
    """Cancel the task and wait for its end, so that the server is notified."""
    if task.done():
        return
    task.cancel()
    await asyncio.wait({task}, timeout=LIST_INTERVAL_S)
    if task.done() and not task.cancelled():
        task.exception()
