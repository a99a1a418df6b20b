"""A session with a server: from its start to its end, in a task of its own.

Why a task of its own: the library's session is an anyio task group, and only the task that entered it may leave it. A
call that held the session would tie it to the caller's task, and a cancelled caller would tear it down for all others.
So a single owner task enters the session, lists the tools, waits to be closed, and leaves; other tasks only send
requests on it, and wait for `ready` and for the end of the owner task, which always come.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import anyio

from core.tools.mcp.failures import ConnectionLost, StartFailed, exit_reason
from core.tools.mcp.tool_list import repaired

if TYPE_CHECKING:
    import mcp_types
    from mcp import Client
    from mcp.client._transport import TransportStreams
    from mcp.client.session import ElicitationFnT, IncomingMessage, SamplingFnT
    from mcp.shared.dispatcher import ProgressFnT
    from pydantic import ValidationError

LIST_TIMEOUT_S = 10.0
"""How long a server that runs may take to tell its tools again."""

CLOSE_TIMEOUT_S = 8.0
LIST_INTERVAL_S = 1.0
"""A server that says again and again that its list has changed is not listened to more often."""

MAX_PAGES = 100
MAX_TOOLS = 2000

log = logging.getLogger(__name__)


class ServerTransport(Protocol):
    """The connection to a server. `why` is the reason of its end, `cause` the same as in StartFailed, `exit_code` that
    of a program, `status` the HTTP status of the last response.
    """

    why: str | None
    status: int | None

    @property
    def cause(self) -> str: ...

    @property
    def exit_code(self) -> int | None: ...

    def streams(self) -> "AbstractAsyncContextManager[TransportStreams]": ...

    @property
    def has_lost_session(self) -> bool:
        """Whether the last response says that the other side has dropped the session."""
        ...

    def abort(self) -> bool:
        """End at once. Returns whether the session notices by itself."""
        ...


@dataclass(frozen=True, slots=True)
class SessionCallbacks:
    """The handlers of a server's requests and messages during calls, and of a new tool list."""

    elicit: "ElicitationFnT"
    sample: "SamplingFnT"
    note: Callable[[str], object]
    listed: Callable[[Sequence[Any]], object]
    over: Callable[[], object]


class ServerSession:
    """A running session; it starts at once. `ready` holds the tools of the server, or StartFailed. `over` is called
    once, at the end. `limit_s` is the time to become ready.
    """

    def __init__(
        self, make_link: Callable[[Callable[[], object]], ServerTransport], callbacks: SessionCallbacks, limit_s: float
    ) -> None:
        self._callbacks = callbacks
        self._limit_s = limit_s
        self._client: Client | None = None
        self._changed = asyncio.Event()
        self._leaving = asyncio.Event()
        self._is_too_slow = False
        self._link = make_link(self._leaving.set)
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[Sequence[Any]] = loop.create_future()
        self.error: BaseException | None = None
        self._task = asyncio.create_task(self._own(), name="mcp server")
        self._timer: asyncio.TimerHandle | None = None

    @property
    def has_ended(self) -> bool:
        return self._task.done()

    @property
    def is_wanted(self) -> bool:
        """Whether the session is neither closing nor closed."""
        return not self._leaving.is_set() and not self._task.done()

    @property
    def link(self) -> ServerTransport:
        return self._link

    def list_again(self) -> None:
        """Request a refresh of the tool list."""
        self._changed.set()

    async def call(self, name: str, arguments: dict[str, Any], progress: "ProgressFnT") -> "mcp_types.CallToolResult":
        """Return the raw response of the server. A cancelled call is cancelled at the server too.

        Raises ConnectionLost, MCPError, ValidationError.
        """
        import mcp_types
        from mcp import MCPError

        client = self._client
        if client is None or not self.is_wanted:
            raise ConnectionLost
        params = mcp_types.CallToolRequestParams(name=name, arguments=arguments)
        request = mcp_types.CallToolRequest(params=params)
        # Not `client.call_tool`: it checks the result on the loop, against a schema that may hang it.
        asking = asyncio.ensure_future(
            client.session.send_request(request, mcp_types.CallToolResult, progress_callback=progress)
        )
        try:
            await asyncio.wait({asking, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
            raise ConnectionLost(was_refused=type(_leaf(self.error)).__name__ == "ConnectError")
        except MCPError as error:
            if error.code == mcp_types.CONNECTION_CLOSED:
                raise ConnectionLost from None
            if self._link.has_lost_session:
                self._leaving.set()
                raise ConnectionLost(was_refused=True) from None
            raise
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise ConnectionLost from None
        finally:
            await _cancel_and_wait(asking)

    async def tools(self) -> Sequence[Any]:
        """Return the current tools. Raises ConnectionLost if they cannot be listed within 10 s."""
        client = self._client
        if client is None or not self.is_wanted:
            raise ConnectionLost
        asking = asyncio.ensure_future(_all_tools(client))
        try:
            await asyncio.wait({asking, self._task}, timeout=LIST_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
            if asking.done() and asking.exception() is None:
                return asking.result()
            raise ConnectionLost
        finally:
            await _cancel_and_wait(asking)

    async def end(self) -> None:
        """Close the session; returns when the program has ended, or was given up."""
        self._leaving.set()
        if not self.ready.done() and not self._link.abort():
            self._task.cancel()
        done, _ = await asyncio.wait({self._task}, timeout=CLOSE_TIMEOUT_S)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=CLOSE_TIMEOUT_S)

    def why(self) -> str:
        """Return how the session ended, to continue after the name of the server."""
        if self._link.exit_code is None and isinstance(leaf := _leaf(self.error), OSError):
            return f"lost its connection: {leaf.strerror or leaf}"
        if self._link.exit_code is None and self.error is not None and self._link.why is None:
            return f"lost its connection: {_leaf(self.error)}"
        return exit_reason(self._link.exit_code, self._link.why)

    # Its own task

    async def _own(self) -> None:
        try:
            await asyncio.to_thread(_import_library)
            self._timer = asyncio.get_running_loop().call_later(self._limit_s, self._give_up)
            from mcp import Client
            from mcp_types import Implementation

            async with Client(
                repaired(self._link.streams()),
                mode="legacy",  # in the newer one, servers may not ask people, and tell of no changed list
                elicitation_callback=self._callbacks.elicit,
                sampling_callback=self._callbacks.sample,
                logging_callback=self._said,
                message_handler=self._heard,
                client_info=Implementation(name="metier", version="0.1.0"),
                cache=None,
            ) as client:
                tools = await _all_tools(client)
                self._client = client
                if not self.ready.done():
                    self.ready.set_result(tools)
                self._stop_timer()
                await self._stay(client)
        except (Exception, BaseExceptionGroup) as error:
            self.error = error
            log.debug("a life of an MCP server ended", exc_info=True)
        finally:
            self._client = None
            self._stop_timer()
            if not self.ready.done():
                self.ready.set_exception(self._start_failed())
                self.ready.exception()  # nobody may be waiting
            self._callbacks.over()

    async def _stay(self, client: "Client") -> None:
        """Wait to be closed, and refresh the tool list whenever the server reports a change."""
        while not self._leaving.is_set():
            await _wait_for_first(self._leaving.wait(), self._changed.wait())
            if self._leaving.is_set():
                return
            self._changed.clear()
            self._callbacks.listed(await _all_tools(client))
            await _wait_for_first(self._leaving.wait(), asyncio.sleep(LIST_INTERVAL_S))

    async def _heard(self, message: "IncomingMessage") -> None:
        import mcp_types

        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._changed.set()

    async def _said(self, params: "mcp_types.LoggingMessageNotificationParams") -> None:
        self._callbacks.note(f"{params.level}: {params.data if isinstance(params.data, str) else repr(params.data)}")

    def _give_up(self) -> None:
        if self.ready.done():
            return
        self._is_too_slow = True
        self.ready.set_exception(self._start_failed())
        self.ready.exception()
        self._leaving.set()
        if not self._link.abort():
            self._task.cancel()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _start_failed(self) -> StartFailed:
        """Return why the session never became ready."""
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED
        from pydantic import ValidationError

        error, link = _leaf(self.error), self._link
        if isinstance(error, StartFailed):
            return error
        if self._is_too_slow:
            return StartFailed("silent", f"did not answer within {self._limit_s:g} s of its start")
        if isinstance(error, ValidationError):
            return StartFailed("not_mcp", f"answered with what is no answer: {first_validation_error(error)}")
        if isinstance(error, RuntimeError) and "protocol version" in str(error):
            version = str(error).rpartition(": ")[2]
            told = f"speaks version {version} of the protocol, which is not known here"
            return StartFailed("protocol", f"{told}; update Metier, or use another version of the server")
        if link.why is not None:
            known = {"http_status": link.status} if link.status is not None else {}
            return StartFailed(link.cause, link.why, **known)
        if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
            return StartFailed("refused", f"refused the connection: {error.message}")
        if link.exit_code is not None:
            return StartFailed("exited", exit_reason(link.exit_code, None))
        return StartFailed("unreachable", f"could not be reached: {error or 'it closed the connection'}")


def first_validation_error(error: "ValidationError") -> str:
    """Return the first deviation from the protocol: its path and the problem."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


def _import_library() -> None:
    """Import the library, which takes over a second. Its log is silenced: messages may hold secrets."""
    import anyio._backends._asyncio  # noqa: F401  # what it loads at its first use, on the loop
    import mcp
    import mcp.client.stdio
    import mcp.client.streamable_http  # noqa: F401

    for name in ("mcp", "client", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


async def _all_tools(client: "Client") -> Sequence[Any]:
    """Return the tools of all pages. Raises the library's errors, StartFailed for an endless list."""
    if client.server_capabilities.tools is None:
        return []
    found: list[Any] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        found.extend(page.tools)
        cursor = page.next_cursor
        if not cursor:
            return found
        if len(found) > MAX_TOOLS:
            break
    raise StartFailed("not_mcp", f"tells of more than {MAX_TOOLS} tools, or of no end of them")


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
