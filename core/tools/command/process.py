"""A running command: its output while it runs, and the end of everything that it began.

A confined command is the first process of a namespace: the kernel ends all others with it, and it ends with this
process. Unconfined, a watcher does that: a shell that waits until its stdin closes, at the end of the command or of
this process whichever way it ends, and then kills the process group and whatever has the mark of the command in its
environment. Only what has left the group and thrown away its environment escapes it.
"""

import asyncio
import os
import secrets
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from core.tools.command.output import Output

MARK = "METIER_COMMAND"
_DRAIN_S = 1.0
_FAST_BYTES = 1_000_000  # of a flood that follows, the loop reads a piece at a time
_PAUSE_S = 0.005
_WATCH_S = 5.0
_WATCH = """
trap '' HUP INT TERM
read -r group; read -r end
for round in 1 2 3 4 5; do
  [ -n "$group" ] && kill -9 -- "-$group" 2>/dev/null
  found=$(grep -slzxF -- "$1" /proc/[0-9]*/environ)
  [ -z "$found" ] && break
  for each in $found; do
    each=${each#/proc/}
    kill -9 "${each%/environ}" 2>/dev/null
  done
done
"""


class Command(asyncio.SubprocessProtocol):
    """A command that runs. A context manager: at its end nothing of the command is left."""

    def __init__(self, output: Output, on_output: Callable[[], object]) -> None:
        loop = asyncio.get_running_loop()
        self._output = output
        self._on_output = on_output
        self._exited: asyncio.Future[int] = loop.create_future()
        self._is_drained = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._watcher: asyncio.subprocess.Process | None = None
        self._is_closed = False

    async def start(
        self, argv: Sequence[str], env: Mapping[str, str], folder: str, *, files: Sequence[int] = (), is_watched: bool
    ) -> None:
        """Start the command, which inherits the open `files`. `is_watched`: a watcher ends it. Raises OSError."""
        env = dict(env)
        if is_watched:
            env[MARK] = secrets.token_hex(16)
            self._watcher = await asyncio.create_subprocess_exec(
                "/bin/sh", "-c", _WATCH, "sh", f"{MARK}={env[MARK]}",
                stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, env={"PATH": os.defpath}, start_new_session=True,
            )  # fmt: skip
        # stderr goes where stdout goes, so that both stay in order.
        await asyncio.get_running_loop().subprocess_exec(
            lambda: self, *argv, stdin=DEVNULL, stdout=PIPE, stderr=asyncio.subprocess.STDOUT,
            env=env, cwd=folder, pass_fds=files, start_new_session=True,
        )  # fmt: skip
        if self._watcher is not None and self._watcher.stdin is not None and self._transport is not None:
            self._watcher.stdin.write(f"{self._transport.get_pid()}\n".encode())

    async def exit_code(self) -> int:
        """Wait for the end of the command itself, kill what it left, and return its exit code: 128 and more after a
        signal, as shells count.
        """
        code = await asyncio.shield(self._exited)
        await self.end()
        return code if code >= 0 else 128 - code

    async def end(self) -> None:
        """Kill the command and all that it began, and read the rest of its output. Idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        self.kill()
        if self._watcher is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._watcher.wait(), _WATCH_S)
        if self._transport is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_drained.wait(), _DRAIN_S)
            self._transport.close()

    def kill(self) -> None:
        """Kill the process group at once, and set off the watcher."""
        if self._transport is not None:
            # The group outlives its first process, and its id is not given to another as long as it has members.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
        if self._watcher is not None and self._watcher.stdin is not None:
            self._watcher.stdin.close()

    # Callbacks of the loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._output.add(data)
        self._on_output()
        if self._output.size > _FAST_BYTES:
            pipe = self._transport.get_pipe_transport(1) if self._transport is not None else None
            if isinstance(pipe, asyncio.ReadTransport) and not pipe.is_closing():
                pipe.pause_reading()
                asyncio.get_running_loop().call_later(_PAUSE_S, _resume, pipe)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._is_drained.set()

    def process_exited(self) -> None:
        assert self._transport is not None
        code = self._transport.get_returncode()
        if not self._exited.done():
            self._exited.set_result(-signal.SIGKILL if code is None else code)


def _resume(pipe: asyncio.ReadTransport) -> None:
    if not pipe.is_closing() and not pipe.is_reading():
        pipe.resume_reading()
