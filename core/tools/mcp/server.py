"""A server over all its sessions: started when it is needed, restarted when it has ended, left alone after repeated
failures (AGENTS_AND_TOOLS §7).
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from core.domain.mcp_server import McpServer, ServerState, Transport
from core.domain.run import ErrorInfo
from core.errors import MetierError, NetworkFailed, ToolFailed
from core.network.routes import Network
from core.ports import CallContext, Clock
from core.tools.mcp.client_side import ClientSide
from core.tools.mcp.elicitation import ServerCall
from core.tools.mcp.health import (
    STARTED,
    Breaker,
    ConnectionLost,
    Latency,
    ServerLog,
    StartFailed,
    call_failure,
    failure_at,
    with_last_lines,
)
from core.tools.mcp.launch import NO_SECRETS, LaunchSpec, SecretMask
from core.tools.mcp.offers import Offers
from core.tools.mcp.results import progress_callback, result_value
from core.tools.mcp.sampling import Sampling
from core.tools.mcp.session import ServerSession, SessionCallbacks, first_validation_error
from core.tools.mcp.transports import HttpTransport, ServerTransport, StdioTransport

log = logging.getLogger(__name__)


class Server:
    """Supervises the sessions of a server. `launch_of` returns the launch, secrets included; `on_change` is called when
    its state changes, `on_list` with its tools, each time that they were listed.

        stopped ──call──▶ starting ──ready──▶ running ──end of the session──▶ stopped | failed
                              └──StartFailed──▶ failed ──call after the pause──▶ starting

    A session that ends by itself is not restarted at once: the next call starts another. Each failure lengthens the
    pause before the next start; the breaker stops retries after the third. A call during which the session ended is not
    repeated here: NetworkFailed carries whether the request may have arrived, and the invocation decides by the tool's
    effect.
    """

    def __init__(
        self,
        config: McpServer,
        launch_of: Callable[[McpServer], Awaitable[LaunchSpec]],
        clock: Clock,
        sampling: Sampling,
        on_change: Callable[[], object],
        on_list: Callable[[Sequence[Any]], object],
        network: Network,
    ) -> None:
        self.config = config
        self.error: ErrorInfo | None = None
        self.latency = Latency()
        self.is_signed_in = False
        self._launch_of = launch_of
        self._clock = clock
        self._on_change = on_change
        self._on_list = on_list
        self._network = network
        self._breaker = Breaker()
        self._log = ServerLog()
        self._mask = NO_SECRETS
        self._session: ServerSession | None = None
        self._starting: asyncio.Task[ServerSession] | None = None
        self._client_side = ClientSide(sampling, self._note)
        self.offers = Offers(config.id, lambda: self.config.name, self._current_session, lambda: self._mask, self._note)
        self._is_closed = False
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def state(self) -> ServerState:
        if not self.config.is_enabled:
            return ServerState.DISABLED
        if not self.config.is_confirmed:
            return ServerState.UNCONFIRMED
        if self._starting is not None:
            return ServerState.STARTING
        if self._session is not None and self._session.is_open:
            return ServerState.RUNNING
        if self.error is None:
            return ServerState.STOPPED
        return ServerState.SIGNED_OUT if self.error.parameters.get("cause") == "sign_in" else ServerState.FAILED

    @property
    def paused_s(self) -> float | None:
        """The seconds until the next start is allowed after repeated failures; None where there is no pause."""
        now = self._clock.monotonic()
        is_paused = self.state is ServerState.FAILED and self._breaker.is_open(now)
        return self._breaker.open_for_s(now) if is_paused else None

    @property
    def mask(self) -> SecretMask:
        """Hides the secrets of its last start."""
        return self._mask

    @property
    def log(self) -> list[str]:
        """The last lines of its stderr, its log messages and its starts and ends, without secrets."""
        return self._log.lines

    async def call(self, tool: str, registered: str, arguments: dict[str, Any], context: CallContext) -> Any:
        """Call a tool and return its result. `registered` is the tool's name in the registry.

        Raises ToolFailed: `not_allowed` where the server must not run, `failed` with the server's own message, or with
        its name and its last lines where it is dead; NetworkFailed where it ended in the middle of the call.
        """
        call = ServerCall(context, str(self.config.id), registered)
        # A server that starts for this call fetches its roots at once.
        with self._client_side.in_flight(call):
            session = await self.running_session()
            from mcp import MCPError
            from pydantic import ValidationError

            started_s = self._clock.monotonic()
            try:
                response = await session.call(tool, arguments, progress_callback(context, self._clock, self._mask))
            except ConnectionLost as lost:
                # The owner task may outlive a program that crashed: end it, so that the next call starts a fresh
                # session.
                await session.close()
                message, was_connected = self._end_message(session), not lost.was_refused
                raise NetworkFailed(message, was_connected=was_connected, **self._about(session)) from None
            except MCPError as error:
                # The tool may be gone, or may have another schema by now.
                session.refresh_tools()
                self._on_response(started_s)
                asked = await self._client_side.open_addresses(error, call)
                message = f"{self.config.name} answered: {error.message}{asked}"
                raise call_failure(self._mask.hide_all(message)) from None
            except ValidationError as error:
                message = f"{self.config.name} sent an invalid result: {first_validation_error(error)}"
                raise call_failure(self._mask.hide_all(message)) from None
        self._on_response(started_s)
        try:
            return self._mask.hide_in(await result_value(response, context))
        except ToolFailed as error:
            # Some servers report an unknown tool as a result with an error, others as an error of the protocol.
            if "unknown tool" in error.message.lower() or "not found" in error.message.lower():
                session.refresh_tools()
            raise call_failure(self._mask.hide_all(error.message)) from None

    def _current_session(self) -> ServerSession | None:
        is_running = self.state is ServerState.RUNNING
        return self._session if is_running else None

    async def running_session(self) -> ServerSession:
        """Return the running session, started if there is none. Raises ToolFailed."""
        self._require_allowed()
        if self._starting is None and self._session is not None and self._session.is_open:
            return self._session
        if self._starting is None:
            now = self._clock.monotonic()
            if self._breaker.is_open(now):
                error = self.error or ErrorInfo("failed", f"{self.config.name} failed repeatedly")
                retry_s = math.ceil(self._breaker.open_for_s(now))
                raise call_failure(f"{error.message} (no retry for another {retry_s} s)", **error.parameters)
            self._starting = asyncio.create_task(self._start(), name=f"start of {self.config.id}")
            self._starting.add_done_callback(_retrieve_exception)
            self._on_change()
        starting = self._starting
        await asyncio.wait({starting})  # not `await starting`: other callers may wait too, if this caller is cancelled
        if starting.cancelled():
            raise call_failure(f"{self.config.name} was stopped")
        return starting.result()

    async def fail_list(self, error: Exception) -> None:
        """End the session, since its tools cannot be read: a server that runs without them would seem to have none."""
        reason = self._mask.hide_all(f"{type(error).__name__}: {error}")
        message = f"the MCP server {self.config.name} has tools that cannot be read: {reason}"
        failure = call_failure(message, cause="not_mcp", **self._about(self._session))
        self._breaker.record_failure(self._clock.monotonic())
        await self.stop()
        self.error = failure_at(failure, self._clock.now())
        self._note(f"({message})")
        self._on_change()

    def reset(self) -> None:
        """Allow a start at once, however often it has failed: on the user's request."""
        self._breaker.record_success()

    async def stop(self) -> None:
        """Stop the server and wait for its end. The next call starts it again."""
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()
            await asyncio.wait({starting})
        session, self._session = self._session, None
        if session is not None:
            await session.close()
        if self._ending:
            await asyncio.wait(self._ending)
        self._on_change()

    async def close(self) -> None:
        """Stop the server for good."""
        self._is_closed = True
        await self.stop()

    # Starting and ending

    def _require_allowed(self) -> None:
        name = self.config.name
        if self._is_closed:
            raise call_failure(f"{name} was stopped")
        if not self.config.is_enabled:
            raise ToolFailed("not_allowed", f"the MCP server {name} is switched off")
        if not self.config.is_confirmed:
            runs = self.config.what_runs()
            command = runs.get("url") or " ".join([runs["command"], *runs["args"]])
            message = f"the MCP server {name} is new or was changed, and has to be confirmed before it runs: {command}"
            how = f"(settings, or `servers test {self.config.id} --yes`)"
            raise ToolFailed("not_allowed", f"{message} {how}", runs=runs)

    async def _start(self) -> ServerSession:
        """Start a session, after the pause of the breaker. Raises ToolFailed."""
        session: ServerSession | None = None
        try:
            if (pause_s := self._breaker.pause_s(self._clock.monotonic())) > 0:
                await self._clock.sleep(pause_s)
            launch = await self._launch_of(self.config)
            self.is_signed_in = launch.credentials is not None and launch.credentials.text is not None
            self._mask = SecretMask(launch.secrets)
            self._client_side.begin_session(self._mask)
            self._note(STARTED)
            session = self._session = self._open_session(launch)
            await asyncio.wait({session.ready})
            tools = session.ready.result()
        except StartFailed as error:
            raise self._failed_to_start(error, session) from None
        except MetierError as error:
            self.error = failure_at(error, self._clock.now())
            self._breaker.record_failure(self._clock.monotonic())
            raise call_failure(error.message) from None
        finally:
            self._starting = None
            self._on_change()
        self.error = None
        self._on_list(tools)
        return session

    def _open_session(self, launch: LaunchSpec) -> ServerSession:
        def transport(on_end: Callable[[], object]) -> ServerTransport:
            if self.config.transport is Transport.STDIO:
                return StdioTransport(launch, self._note, on_end)
            return HttpTransport(launch, self._note, on_end, self._network)

        session: ServerSession | None = None  # a session that fails at once calls back before it is assigned
        callbacks = SessionCallbacks(
            client_side=self._client_side,
            note=self._note,
            listed=self._on_list,
            offers_changed=self.offers.forget,
            over=lambda: self._on_session_end(session),
        )
        session = ServerSession(transport, callbacks, self.config.start_limit_s)
        return session

    def _failed_to_start(self, error: StartFailed, session: ServerSession | None) -> ToolFailed:
        if self._session is session:
            self._session = None
        if session is not None and not session.has_ended:
            self._discard(session)
        self._breaker.record_failure(self._clock.monotonic())
        about = self._about(session, **error.parameters)
        message = self._mask.hide_all(f"the MCP server {self.config.name} {error.message}")
        failure = call_failure(with_last_lines(message, about.get("stderr", [])), cause=error.cause, **about)
        self.error = failure_at(failure, self._clock.now())
        self._note(f"({message})")
        return failure

    def _on_session_end(self, session: ServerSession | None) -> None:
        """Handle the end of a session; if it is still the current session, it ended by itself."""
        if session is None or self._session is not session:
            return
        self._session = None
        if not session.ready.done() or session.ready.exception() is not None:
            return  # `_start` reports the reason
        # A program that exits with 0 while no call is in flight has ended on purpose.
        if session.transport.exit_code != 0 or self._client_side.has_calls:
            self._breaker.record_failure(self._clock.monotonic())
            ended = call_failure(self._end_message(session), **self._about(session, cause="ended"))
            self.error = failure_at(ended, self._clock.now())
        self._note(f"({session.end_reason()})")
        self._on_change()

    def _discard(self, session: ServerSession) -> None:
        """End a useless session, without waiting for it."""
        task = asyncio.create_task(session.close(), name=f"end of {self.config.id}")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _end_message(self, session: ServerSession) -> str:
        message = self._mask.hide_all(f"the MCP server {self.config.name} {session.end_reason()}")
        return with_last_lines(message, self._log.last_lines())

    def _about(self, session: ServerSession | None, **more: Any) -> dict[str, Any]:
        """Return the parameters of a failure."""
        parameters: dict[str, Any] = {"server": self.config.name, "runs": self.config.what_runs(), **more}
        if session is not None and session.transport.exit_code is not None:
            parameters["exit_code"] = session.transport.exit_code
        if lines := self._log.last_lines():
            parameters["stderr"] = lines
        return parameters

    def _on_response(self, started_s: float) -> None:
        self._breaker.record_success()
        self.error = None
        self.latency.add((self._clock.monotonic() - started_s) * 1000)

    def _note(self, line: str) -> None:
        self._log.note(line, self._mask)


def _retrieve_exception(task: asyncio.Task[ServerSession]) -> None:
    """Retrieve the exception: the waiting callers get it from the task, and there may be none."""
    if not task.cancelled():
        task.exception()
