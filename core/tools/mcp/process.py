"""The program of a stdio server: started in a process group of its own, and ended with all its children.

The order of the end is gentle first: stdin is closed, which is how MCP asks a program to exit; after 2 s the group gets
SIGTERM; after 2 more, SIGKILL. The signal goes to the whole group, since servers are often started by a wrapper (npx,
uvx) whose children would outlive it. After a crash of this process the program sees its stdin close, and exits by
itself.
"""

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

EXIT_TIMEOUT_S = 2.0
"""The time to exit once stdin is closed; then, again, after SIGTERM."""

LINE_BYTES = 16 * 1024 * 1024
STDERR_CHARACTERS = 2000
_PIECE_BYTES = 64 * 1024
_DRAIN_S = 0.3
"""The wait for the last output of a program that has ended: a child of it may keep the pipe open."""


MAX_SKIPPED_BYTES = 256 * 1024 * 1024
LONG_LINE_PART = 64 * 1024


class LineTooLong(Exception):
    """The program writes a line without end."""


class LongLine(bytes):
    """The beginning and the end of a line that is longer than LINE_BYTES."""


class ServerProcess(asyncio.SubprocessProtocol):
    """A running program. `exit_code` is None until it has ended; negative after a signal. `on_error_line` is called
    with each line of its stderr.
    """

    def __init__(self, on_error_line: Callable[[str], object]) -> None:
        loop = asyncio.get_running_loop()
        self._on_error_line = on_error_line
        self._stdout = asyncio.StreamReader(limit=_PIECE_BYTES, loop=loop)
        self._stderr = b""
        self._is_output_over = False
        self._exited: asyncio.Future[None] = loop.create_future()
        self._closed: asyncio.Future[None] = loop.create_future()
        self._transport: asyncio.SubprocessTransport | None = None
        self.exit_code: int | None = None

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: str | None,
        on_error_line: Callable[[str], object],
    ) -> "ServerProcess":
        """Start the program. Raises OSError, ValueError."""
        # A process group of its own, so that a signal reaches the children too.
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
        loop = asyncio.get_running_loop()
        _, program = await loop.subprocess_exec(
            lambda: cls(on_error_line),
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=dict(env),
            cwd=cwd,
            **options,
        )
        return program

    @property
    def pid(self) -> int:
        assert self._transport is not None
        return self._transport.get_pid()

    def write(self, data: bytes) -> None:
        """Send data. A program that does not read it runs into the time limits of its calls."""
        assert self._transport is not None
        pipe = self._transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(data)

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield its stdout, line by line, to the end. Of a message that is too long only its ends are yielded, as a
        LongLine. Raises LineTooLong for any other line.
        """
        parts: list[bytes] = []
        size = 0
        while piece := await self._stdout.read(_PIECE_BYTES):
            first, *others = piece.split(b"\n")
            parts.append(first)
            size += len(first)
            is_too_long = size > LINE_BYTES
            if is_too_long:
                if size > MAX_SKIPPED_BYTES or not parts[0].lstrip().startswith(b"{"):
                    raise LineTooLong
                parts = [parts[0][:LONG_LINE_PART], b"".join(parts[1:])[-LONG_LINE_PART:]]
            if others:
                yield LongLine(b"".join(parts)) if is_too_long else b"".join(parts)
                for line in others[:-1]:
                    yield line
                parts, size = [others[-1]], len(others[-1])
        if last := b"".join(parts):
            yield last

    async def close(self) -> None:
        """Close its stdin and wait; then terminate the process group, by force at last."""
        assert self._transport is not None
        try:
            if (pipe := self._transport.get_pipe_transport(0)) is not None:
                pipe.close()
            if not await self._exits_within(EXIT_TIMEOUT_S):
                self._signal(signal.SIGTERM)
                await self._exits_within(EXIT_TIMEOUT_S)
        finally:
            self.kill()
        await self._exits_within(EXIT_TIMEOUT_S)
        await asyncio.wait({self._closed}, timeout=_DRAIN_S)  # its last output may still be in the pipe
        self._transport.close()

    def kill(self) -> None:
        """Kill the process group at once."""
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, number: int) -> None:
        """Signal the whole group, whose id is the pid of its first process: it may outlive that process."""
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
        elif self.exit_code is None:
            subprocess.Popen(  # not waited for: the program that it kills is
                ["taskkill", "/F", "/T", "/PID", str(self.pid)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=subprocess.CREATE_NO_WINDOW,
            )

    async def _exits_within(self, seconds: float) -> bool:
        await asyncio.wait({self._exited}, timeout=seconds)
        return self._exited.done()

    # Callbacks of the loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        stdout = transport.get_pipe_transport(1)
        if stdout is not None:
            self._stdout.set_transport(stdout)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            if not self._is_output_over:  # a child of the program may still hold the pipe and write
                self._stdout.feed_data(data)
            return
        *lines, rest = (self._stderr + data).split(b"\n")
        self._stderr = rest[-STDERR_CHARACTERS:]
        for line in lines[-100:]:  # of a flood the end says more than the beginning
            self._emit_error_line(line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self._end_output()
        elif fd == 2:
            self._flush_error_line()

    def process_exited(self) -> None:
        assert self._transport is not None
        self.exit_code = self._transport.get_returncode()
        if not self._exited.done():
            self._exited.set_result(None)
        asyncio.get_running_loop().call_later(_DRAIN_S, self._on_drained)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._closed.done():
            self._closed.set_result(None)

    def _on_drained(self) -> None:
        self._flush_error_line()
        self._end_output()

    def _end_output(self) -> None:
        self._is_output_over = True
        self._stdout.feed_eof()

    def _flush_error_line(self) -> None:
        rest, self._stderr = self._stderr, b""
        self._emit_error_line(rest)

    def _emit_error_line(self, line: bytes) -> None:
        if text := line.decode("utf-8", "replace").strip():
            self._on_error_line(text[:STDERR_CHARACTERS])
