"""A worker process, seen from the loop: start it, send it a request at a time, kill it.

There are two limits. The interpreter's own limit interrupts JavaScript at its next check, and the worker reports a
timeout itself. A single long native operation never reaches such a check; so GRACE_S after that limit the process is
killed from here, and its memory goes with it. A limit counts from the worker's `started` message: reading and compiling
a long source must not use up the time of its code. A worker that timed out, was killed or failed to respond is never
reused; the pool repeats a request on a fresh worker only if the work had not started.
"""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from core.sandbox import frames
from core.threads.child_process import CREATION_FLAGS, child_command, child_environment

WORKER_SWITCH = "--sandbox-worker"
"""A frozen build that is started with this switch alone must call `core.sandbox.worker.main()` and nothing else."""

START_S = 30.0
"""A worker is ready after about 0.1 s, but much later on a machine that is swapping."""

GRACE_S = 0.5
"""The time after the limit for a worker to report; then it is killed."""


OnMessage = Callable[[dict[str, Any]], object]


class WorkerGone(Exception):
    """The process ended or sent invalid data. `started`: the work had begun, so it must not be tried again."""

    def __init__(self, message: str, started: bool = False) -> None:
        super().__init__(message)
        self.started = started


class WorkerTimeout(Exception):
    """No response within the limit and the grace. The worker must not be reused."""


class WorkerProcess:
    """A worker, started on construction. Its owner must await `end`, whatever happened."""

    def __init__(self) -> None:
        self.answers = 0
        self.retired = False
        self._is_killed = False
        self._process: Process | None = None
        self._start = asyncio.create_task(self._spawn(), name="start sandbox worker")

    @property
    def pid(self) -> int | None:
        """The process id, None until it is started."""
        return self._process.pid if self._process else None

    async def ask(self, frame: bytes, limit_s: float, on_message: OnMessage | None = None) -> dict[str, Any]:
        """Return the response to a packed request; `on_message` receives the messages before it.

        The limit counts from the worker's `started` message. Raises WorkerGone or WorkerTimeout; after these, and after
        a cancellation, the worker must be ended.
        """
        process = await self._started()
        answer = await self._exchange(process, frame)
        if "started" in answer:
            try:
                async with asyncio.timeout(limit_s + GRACE_S):
                    while "console" in (answer := await _receive(process)):
                        if on_message is not None:
                            on_message(answer)
            except TimeoutError:
                raise WorkerTimeout from None
            except WorkerGone as error:
                error.started = True
                raise
        self.answers += 1
        self.retired = self.retired or "retire" in answer
        return answer

    def kill(self) -> None:
        """Kill the process, even in the middle of its work. Returns at once; `end` waits."""
        self._start.cancel()
        if self._process is not None and self._process.returncode is None and not self._is_killed:
            self._is_killed = True  # a second signal would lose the exit status for the waiting task
            with suppress(ProcessLookupError):  # it has just ended by itself
                self._process.kill()

    async def end(self) -> None:
        """Kill the process and wait until the system has reaped it. May be called again."""
        self.kill()
        await asyncio.gather(self._start, return_exceptions=True)
        if self._process is None:
            return
        stdin, stdout = _pipes(self._process)
        stdin.close()
        await self._process.wait()
        with suppress(ConnectionError):
            await stdin.wait_closed()
        await stdout.read()  # so that both pipes are closed when this returns

    async def _started(self) -> Process:
        await asyncio.wait({self._start})  # not `await`: a killed worker must not look like a cancelled caller
        if self._start.cancelled():
            raise WorkerGone("the worker was killed")
        return self._start.result()

    async def _spawn(self) -> Process:
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *child_command("core.sandbox.worker", WORKER_SWITCH),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env=child_environment(),
                creationflags=CREATION_FLAGS,
            )
            async with asyncio.timeout(START_S):
                await _receive(process)
        except OSError as error:  # a TimeoutError is one
            raise WorkerGone(f"the worker did not start: {error}") from error
        return process

    async def _exchange(self, process: Process, frame: bytes) -> dict[str, Any]:
        stdin, _ = _pipes(process)
        try:
            async with asyncio.timeout(frames.PREPARATION_S):
                stdin.write(frame)
                await stdin.drain()
                return await _receive(process)
        except TimeoutError:
            raise WorkerTimeout from None
        except ConnectionError as error:
            raise WorkerGone("the worker is gone") from error


async def _receive(process: Process) -> dict[str, Any]:
    _, stdout = _pipes(process)
    try:
        header = await stdout.readexactly(frames.HEADER_BYTES)
        return frames.unpack(await stdout.readexactly(frames.body_bytes(header)))
    except (asyncio.IncompleteReadError, ConnectionError, frames.BadFrame) as error:
        raise WorkerGone("the worker is gone") from error


def _pipes(process: Process) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
