"""The transports of a session: the pipes of a program, and streamable HTTP."""

import asyncio
import os
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from core.domain.text.well_formed import well_formed_json
from core.network.failures import connection_problem, route_problem
from core.network.proxies import Proxy
from core.network.routes import Network
from core.tools.mcp.health import StartFailed
from core.tools.mcp.http_client import routed_transport
from core.tools.mcp.launch import LaunchSpec
from core.tools.mcp.messages import read_messages, unreadable_answer
from core.tools.mcp.process import LINE_BYTES, LineTooLong, LongLine, ServerProcess
from core.tools.mcp.sign_in import authenticator

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams
    from mcp_types import JSONRPCMessage

MAX_JUNK_BYTES = 8 * 1024 * 1024
"""The limit of output that is not a message, in a session."""

NOTED_JUNK_BYTES = 20_000

_LINE_MB = LINE_BYTES // 1024 // 1024
DESKTOP_PATH_HINT = "programs started from a desktop do not see the PATH of a shell; use the full path of the command"

CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 3600.0
"""A stream may be silent for as long as the longest call; a call has its own limit."""

_REFUSED = 400
_UNAUTHORIZED = 401
_UNKNOWN = 404


class ServerTransport(ABC):
    """The connection to a server. `end_reason` is why it ended, `cause` the same as in StartFailed, `exit_code` that of
    a program, `status` the HTTP status of the last response, `parameters` what else is known of the end.

    `note` takes lines for the server's log; `on_end` is called, on the loop, when the output of a program ends.
    """

    def __init__(self, launch: LaunchSpec, note: Callable[[str], object], on_end: Callable[[], object]) -> None:
        self._launch = launch
        self._note = note
        self._on_end = on_end
        self.end_reason: str | None = None
        self.status: int | None = None
        self.parameters: dict[str, Any] = {}

    @property
    def cause(self) -> str:
        return "not_mcp"

    @property
    def exit_code(self) -> int | None:
        return None

    @property
    def has_lost_session(self) -> bool:
        """Whether the last response means that the other side has dropped the session."""
        return False

    def abort(self) -> bool:
        """End at once. Returns whether the session notices by itself."""
        return False

    @abstractmethod
    def streams(self) -> "AbstractAsyncContextManager[TransportStreams]":
        """Yield the streams of a session; on exit the connection has ended. Raises StartFailed."""


class StdioTransport(ServerTransport):
    """A connection over the pipes of a program. Output that is not a message is skipped and noted."""

    def __init__(self, launch: LaunchSpec, note: Callable[[str], object], on_end: Callable[[], object]) -> None:
        super().__init__(launch, note, on_end)
        self._program: ServerProcess | None = None
        self._junk_bytes = 0

    @property
    def exit_code(self) -> int | None:
        return self._program.exit_code if self._program is not None else None

    def abort(self) -> bool:
        if self._program is None:
            return False
        self._program.kill()
        return True

    @asynccontextmanager
    async def streams(self) -> "AsyncIterator[TransportStreams]":
        from mcp.shared.message import SessionMessage

        program = self._program = await self._start()
        try:
            to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
            async with anyio.create_task_group() as tasks:

                async def read() -> None:
                    async with to_session:
                        try:
                            await self._read(program, to_session.send)
                        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                            return
                        finally:
                            self._on_end()

                async def write() -> None:
                    async with from_session:
                        async for message in from_session:
                            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                            program.write(f"{text}\n".encode())

                tasks.start_soon(read)
                tasks.start_soon(write)
                try:
                    yield incoming, outgoing
                finally:
                    incoming.close()
                    outgoing.close()
                    # Shielded: the program has to end even where the session was cancelled.
                    with anyio.CancelScope(shield=True):
                        await program.close()
                    tasks.cancel_scope.cancel()
        finally:
            program.kill()  # also where the task group itself failed

    async def _start(self) -> ServerProcess:
        from mcp.client.stdio import get_default_environment

        launch = self._launch
        # Not the whole environment of this process, which may hold keys: only HOME, PATH and a few others.
        env = {**get_default_environment(), **launch.env}
        command = await asyncio.to_thread(_find_command, launch, env.get("PATH", os.defpath))
        try:
            return await ServerProcess.start([command, *launch.args], env, launch.cwd, self._note)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise StartFailed("not_started", f"could not start {launch.command}: {reason}") from None

    async def _read(self, program: ServerProcess, send: "Callable[..., object]") -> None:
        from mcp.shared.message import SessionMessage

        try:
            async for line in program.lines():
                if not line.strip():
                    continue
                messages: Sequence[JSONRPCMessage] = (
                    unreadable_answer(line.decode("utf-8", "replace"), f"it has more than {_LINE_MB} MB")
                    if isinstance(line, LongLine)
                    else read_messages(line)
                )
                for message in messages:
                    await send(SessionMessage(message))  # type: ignore[misc]
                if not messages:
                    self._skip(line)
                    if self._junk_bytes > MAX_JUNK_BYTES:
                        self.end_reason = "was stopped, since it floods its stdout with other output than messages"
                        return
        except LineTooLong:
            self.end_reason = f"was stopped, since it wrote a line of more than {_LINE_MB} MB"

    def _skip(self, line: bytes) -> None:
        if self._junk_bytes < NOTED_JUNK_BYTES:
            self._note(f"(not a message, on stdout) {line[:300].decode('utf-8', 'replace').strip()}")
        self._junk_bytes += len(line) + 1


def _find_command(launch: LaunchSpec, path: str) -> str:
    """Return the command to start. Raises StartFailed if there is no executable."""
    assert launch.command is not None
    if launch.cwd is not None and not Path(launch.cwd).is_dir():
        raise StartFailed("bad_folder", f"has a working folder that is not there: {launch.cwd}")
    command = os.path.expanduser(launch.command)  # noqa: PTH111  # a text, which Path would tidy
    executable = shutil.which(command, path=path)
    if executable is None and launch.cwd is not None:
        executable = shutil.which(str(Path(launch.cwd, command)))
    if executable is not None:
        return executable if sys.platform == "win32" else command
    exists = Path(command).exists()
    problem = "is not executable" if exists else "was not found"
    hint = "" if exists or Path(command).name != command else f"; {DESKTOP_PATH_HINT}"
    raise StartFailed("command_not_found", f"has a command, {launch.command}, that {problem}{hint}", path=path)


class HttpTransport(ServerTransport):
    """A connection over streamable HTTP, with the library's own client, which the session closes. The other side ends
    without notice: the next call finds out.
    """

    def __init__(
        self, launch: LaunchSpec, note: Callable[[str], object], on_end: Callable[[], object], network: Network
    ) -> None:
        super().__init__(launch, note, on_end)
        self._network = network

    @property
    def cause(self) -> str:
        if self.status is None:
            return "unreachable"
        return "sign_in" if self._needs_sign_in else "refused"

    @property
    def _needs_sign_in(self) -> bool:
        """Whether the server asks who it is, and no header of the configuration says so."""
        is_said = any(name.lower() == "authorization" for name in self._launch.headers)
        return self.status == _UNAUTHORIZED and not is_said

    @property
    def has_lost_session(self) -> bool:
        # A server that was restarted responds 404, some respond 400, and has done nothing. Errors of a call itself
        # come in a response with status 200.
        return self.status in (_UNKNOWN, _REFUSED)

    @asynccontextmanager
    async def streams(self) -> "AsyncIterator[TransportStreams]":
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        launch = self._launch
        assert launch.url is not None
        credentials = launch.credentials if launch.credentials and launch.credentials.text else None
        is_private = bool(launch.headers or launch.secrets or credentials)
        try:
            client = httpx2.AsyncClient(
                headers=dict(launch.headers),
                transport=routed_transport(self._network, self._on_error, is_private=is_private),
                auth=authenticator(launch.url, credentials) if credentials else None,
                trust_env=False,
                timeout=httpx2.Timeout(CONNECT_TIMEOUT_S, read=READ_TIMEOUT_S),
                event_hooks={"request": [self._on_request], "response": [self._on_response]},
            )
        except (ValueError, UnicodeError) as error:
            raise StartFailed("unreachable", f"its headers cannot be sent: {error}") from None
        async with client, streamable_http_client(launch.url, http_client=client) as streams:
            yield streams

    def _on_error(self, error: Exception, request: "httpx2.Request", proxy: Proxy | None) -> None:
        """Remember why a request was not answered, which the library's own errors omit."""
        url = str(request.url)
        is_route = isinstance(error, ValueError)
        problem = route_problem(error, url) if is_route else connection_problem(error, url, proxy)  # type: ignore[arg-type]
        self.end_reason = f"was not reached: {problem.message}"
        self.parameters = problem.parameters

    async def _on_request(self, request: "httpx2.Request") -> None:
        self.end_reason = f"did not answer at {request.url.host}"

    async def _on_response(self, response: "httpx2.Response") -> None:
        """Remember the status of the last response, which the library's own errors omit, and mend its text."""
        import httpx2

        self.status = response.status_code
        self.parameters = {}
        is_refused = response.status_code >= _REFUSED and response.request.method == "POST"
        self.end_reason = f"answered with HTTP {response.status_code} {response.reason_phrase}" if is_refused else None
        if is_refused and self._needs_sign_in:
            self.end_reason = "asks you to sign in"
        if is_refused:
            self._note(f"HTTP {response.status_code} {response.reason_phrase}")
        # Decoded here: what is mended must not be compressed.
        plain = httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream, request=response.request
        )
        response.headers.pop("content-encoding", None)
        response.stream = _mended_body(plain)


def _mended_body(plain: "httpx2.Response") -> "httpx2.AsyncByteStream":
    """Return the body of a response, its lines well formed."""
    import httpx2

    class MendedBody(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            parts: list[bytes] = []  # of a line, which may be the whole of a long body
            async for piece in plain.aiter_bytes():
                first, *others = piece.split(b"\n")
                parts.append(first)
                for line in others:
                    yield well_formed_json(b"".join(parts)).encode() + b"\n"
                    parts = [line]
            yield well_formed_json(b"".join(parts)).encode()

        async def aclose(self) -> None:
            await plain.aclose()

    return MendedBody()
