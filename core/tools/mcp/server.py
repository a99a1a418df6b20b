"""A server over all its sessions: started when it is needed, restarted when it has ended, left alone after repeated
failures (AGENTS_AND_TOOLS §7).
"""

import asyncio
import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from core.domain.mcp_server import McpServer, ServerState, Transport
from core.domain.run import ErrorInfo
from core.errors import MetierError, NetworkFailed, ToolFailed
from core.ports.clock import Clock
from core.ports.tools import CallContext
from core.tools.mcp.elicitation import ServerCall, answer_elicitation
from core.tools.mcp.failures import ConnectionLost, StartFailed, call_failure, with_last_lines
from core.tools.mcp.health import Breaker, Latency
from core.tools.mcp.launch import LaunchSpec, SecretMask
from core.tools.mcp.results import progress_callback, result_value
from core.tools.mcp.sampling import Sampling
from core.tools.mcp.session import ServerSession, ServerTransport, SessionCallbacks, first_validation_error
from core.tools.mcp.transports import HttpTransport, StdioTransport

if TYPE_CHECKING:
    import mcp_types
    from mcp.client.session import ClientRequestContext

LOG_LINES = 500
MAX_LAST_LINES = 5

log = logging.getLogger(__name__)


class Server:
    """Supervises the sessions of a server. `launch_of` returns the launch, secrets included; `on_change` is called when
    its state changes, `on_list` with its tools, each time that they were listed.

        stopped ──alive()──▶ starting ──ready──▶ running ──end of the session──▶ stopped | failed
                                └──StartFailed──▶ failed ──alive() after the pause──▶ starting

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
    ) -> None:
        self.config = config
        self.error: ErrorInfo | None = None
        self.latency = Latency()
        self._launch_of = launch_of
        self._clock = clock
        self._sampling = sampling
        self._on_change = on_change
        self._on_list = on_list
        self._breaker = Breaker()
        self._log: deque[str] = deque(maxlen=LOG_LINES)
        self._words = SecretMask(frozenset())
        self._life: ServerSession | None = None
        self._starting: asyncio.Task[ServerSession] | None = None
        self._calls: list[ServerCall] = []
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
        if self._life is not None and self._life.is_wanted:
            return ServerState.RUNNING
        return ServerState.FAILED if self.error is not None else ServerState.STOPPED

    @property
    def paused_s(self) -> float | None:
        """The seconds until the next start is allowed after repeated failures; None where there is no pause."""
        now = self._clock.monotonic()
        is_paused = self.state is ServerState.FAILED and self._breaker.is_open(now)
        return self._breaker.open_for_s(now) if is_paused else None

    @property
    def log(self) -> list[str]:
        """The last lines of its stderr, its log messages and its starts and ends, without secrets."""
        return list(self._log)

    async def call(self, tool: str, registered: str, arguments: dict[str, Any], context: CallContext) -> Any:
        """Call a tool and return its result. `registered` is the tool's name in the registry.

        Raises ToolFailed: `not_allowed` where the server must not run, `failed` with the server's own message, or with
        its name and its last lines where it is dead; NetworkFailed where it ended in the middle of the call.
        """
        life = await self.alive()
        from mcp import MCPError
        from pydantic import ValidationError

        place = ServerCall(context, str(self.config.id), registered, self._words)
        begun = self._clock.monotonic()
        with self._in_flight(place):
            try:
                answered = await life.call(tool, arguments, progress_callback(context, self._clock, self._words))
            except ConnectionLost as gone:
                await life.end()
                told, was_connected = self._end_of(life), not gone.was_refused
                raise NetworkFailed(told, was_connected=was_connected, **self._about(life)) from None
            except MCPError as error:
                life.list_again()
                self._answered(begun)
                raise call_failure(self._words.shown(f"{self.config.name} answered: {error.message}")) from None
            except ValidationError as error:
                message = f"{self.config.name} answered with what is no result: {first_validation_error(error)}"
                raise call_failure(self._words.shown(message)) from None
        self._answered(begun)
        try:
            return self._words.value(result_value(answered))
        except ToolFailed as error:
            if "unknown tool" in error.message.lower() or "not found" in error.message.lower():
                life.list_again()
            raise call_failure(self._words.shown(error.message)) from None

    async def alive(self) -> ServerSession:
        """Return the running session, started if there is none. Raises ToolFailed."""
        self._require_allowed()
        if self._starting is None and self._life is not None and self._life.is_wanted:
            return self._life
        if self._starting is None:
            now = self._clock.monotonic()
            if self._breaker.is_open(now):
                told = self.error.message if self.error is not None else f"{self.config.name} fails again and again"
                again_s = math.ceil(self._breaker.open_for_s(now))
                about = self.error.parameters if self.error is not None else {}
                raise call_failure(f"{told} (it is left alone for {again_s} s more)", **about)
            self._starting = asyncio.create_task(self._start(), name=f"start of {self.config.id}")
            self._starting.add_done_callback(_retrieve_exception)
            self._on_change()
        starting = self._starting
        await asyncio.wait({starting})  # others may wait for it too, so it goes on when this one is cancelled
        if starting.cancelled():
            raise call_failure(f"{self.config.name} was stopped")
        return starting.result()

    def reset(self) -> None:
        """Allow a start at once, however often it has failed: on the user's request."""
        self._breaker.answered()

    async def stop(self) -> None:
        """Stop the server and wait for its end. The next call starts it again."""
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()
            await asyncio.wait({starting})
        life, self._life = self._life, None
        if life is not None:
            await life.end()
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
            told = runs.get("url") or " ".join([runs["command"], *runs["args"]])
            message = (
                f"nobody has agreed to run the MCP server {name} yet, or it was changed since: {told} (settings, or "
            )
            message += f"`servers test {self.config.id} --yes`)"
            raise ToolFailed("not_allowed", message, runs=runs)

    async def _start(self) -> ServerSession:
        """Start a session, after the pause of the breaker. Raises ToolFailed."""
        life: ServerSession | None = None
        try:
            if (pause_s := self._breaker.pause_s(self._clock.monotonic())) > 0:
                await self._clock.sleep(pause_s)
            launch = await self._launch_of(self.config)
            self._words = SecretMask(launch.secrets)
            self._note("(started)")
            life = self._life = self._begin(launch)
            await asyncio.wait({life.ready})
            tools = life.ready.result()
        except StartFailed as error:
            raise self._failed_to_start(error, life) from None
        except MetierError as error:
            self.error = ErrorInfo.of(error)
            self._breaker.failed(self._clock.monotonic())
            raise call_failure(error.message) from None
        finally:
            self._starting = None
            self._on_change()
        self.error = None
        self._on_list(tools)
        return life

    def _begin(self, launch: LaunchSpec) -> ServerSession:
        def link(on_end: Callable[[], object]) -> ServerTransport:
            kind = StdioTransport if self.config.transport is Transport.STDIO else HttpTransport
            return kind(launch, self._note, on_end)

        life: ServerSession | None = None
        callbacks = SessionCallbacks(
            elicit=self._elicit,
            sample=self._sample,
            note=self._note,
            listed=self._on_list,
            over=lambda: self._over(life),
        )
        life = ServerSession(link, callbacks, self.config.start_limit_s)
        return life

    def _failed_to_start(self, error: StartFailed, life: ServerSession | None) -> ToolFailed:
        if self._life is life:
            self._life = None
        if life is not None and not life.has_ended:
            self._leave(life)
        self._breaker.failed(self._clock.monotonic())
        about = self._about(life, **error.parameters)
        message = self._words.shown(f"the MCP server {self.config.name} {error.message}")
        found = call_failure(with_last_lines(message, about.get("stderr", [])), cause=error.cause, **about)
        self.error = ErrorInfo.of(found)
        self._note(f"({message})")
        return found

    def _over(self, life: ServerSession | None) -> None:
        """Handle the end of a session; if it is still the current session, it ended by itself."""
        if life is None or self._life is not life:
            return
        self._life = None
        if not life.ready.done() or life.ready.exception() is not None:
            return  # whoever started it tells why
        if life.link.exit_code != 0 or self._calls:
            self._breaker.failed(self._clock.monotonic())
            self.error = ErrorInfo("failed", self._end_of(life), parameters=self._about(life, cause="ended"))
        self._note(f"({life.why()})")
        self._on_change()

    def _leave(self, life: ServerSession) -> None:
        """End a useless session, without waiting for it."""
        task = asyncio.create_task(life.end(), name=f"end of {self.config.id}")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _end_of(self, life: ServerSession) -> str:
        message = self._words.shown(f"the MCP server {self.config.name} {life.why()}")
        return with_last_lines(message, self._last_lines())

    def _about(self, life: ServerSession | None, **more: Any) -> dict[str, Any]:
        """Return the parameters of a failure."""
        known: dict[str, Any] = {"server": self.config.name, "runs": self.config.what_runs(), **more}
        if life is not None and life.link.exit_code is not None:
            known["exit_code"] = life.link.exit_code
        if lines := self._last_lines():
            known["stderr"] = lines
        return known

    def _last_lines(self) -> list[str]:
        """Return the last lines of its last session."""
        lines: list[str] = []
        for line in reversed(self._log):
            if line == "(started)" or len(lines) == MAX_LAST_LINES:
                break
            if not line.startswith("("):
                lines.append(line)
        return lines[::-1]

    # In the middle of calls

    @contextmanager
    def _in_flight(self, place: ServerCall) -> Iterator[None]:
        self._calls.append(place)
        try:
            yield
        finally:
            self._calls.remove(place)

    def _answered(self, begun: float) -> None:
        self._breaker.answered()
        self.error = None
        self.latency.add((self._clock.monotonic() - begun) * 1000)

    def _asking(self) -> ServerCall | None:
        """Return the call in which the server asks. The protocol does not identify it: the latest is assumed."""
        return self._calls[-1] if self._calls else None

    async def _elicit(
        self, context: "ClientRequestContext", params: "mcp_types.ElicitRequestParams"
    ) -> "mcp_types.ElicitResult":
        import mcp_types

        place = self._asking()
        if place is None:
            return mcp_types.ElicitResult(action="decline")
        return await answer_elicitation(params, place)

    async def _sample(
        self, context: "ClientRequestContext", params: "mcp_types.CreateMessageRequestParams"
    ) -> "mcp_types.CreateMessageResult | mcp_types.ErrorData":
        import mcp_types

        place = self._asking()
        if place is None:
            return mcp_types.ErrorData(code=mcp_types.INVALID_REQUEST, message="no call is being made")
        return await self._sampling.answer(params, place)

    def _note(self, line: str) -> None:
        for one in line.splitlines()[:50]:
            self._log.append(self._words.shown(one)[:2000])


def _retrieve_exception(task: asyncio.Task[ServerSession]) -> None:
    """Retrieve the exception: the waiting callers get it from the task, and there may be none."""
    if not task.cancelled():
        task.exception()
