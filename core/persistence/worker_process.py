"""Work in a process of its own: on whole stores, and on files that may take any time. A store of gigabytes, or one that
makes the engine abort, costs the app nothing but waiting.

The process reads its request as a line of JSON and answers with lines: any number of `{"progress": …}`, then
`{"result": …}` or `{"error": …}`. It ends when its input does, so it does not outlive the app.
"""

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from core.errors import MetierError, Refused, StorageFailed
from core.threads.child_process import CREATION_FLAGS, child_command, child_environment

WORKER_SWITCH = "--store-worker"
"""A frozen build that is started with this switch alone must call `core.persistence.worker.main()` and nothing else."""

MAX_LINE_BYTES = 16 * 1024 * 1024

OnProgress = Callable[[dict[str, Any]], object]


async def run_job(job: str, on_progress: OnProgress | None = None, **arguments: Any) -> dict[str, Any]:
    """Run a job, named as `module:function`, with these arguments, JSON values, and return its result.

    Cancelling kills the process. Raises what the job raised, StorageFailed or Refused, and StorageFailed `worker_gone`
    if the process ended without an answer.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *child_command("core.persistence.worker", WORKER_SWITCH),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=child_environment(),
            creationflags=CREATION_FLAGS,
            limit=MAX_LINE_BYTES,
        )
    except OSError as error:
        raise _gone(str(error)) from error
    try:
        return await _exchange(process, {"job": job, **arguments}, on_progress)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):  # it has just ended by itself
                process.kill()
        await asyncio.shield(process.communicate())


async def _exchange(process: Process, request: Mapping[str, Any], on_progress: OnProgress | None) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):  # its end is noticed below
        process.stdin.write(json.dumps(request).encode() + b"\n")
        await process.stdin.drain()
    while line := await process.stdout.readline():
        match json.loads(line):
            case {"progress": dict(progress)}:
                if on_progress is not None:
                    on_progress(progress)
            case {"result": dict(result)}:
                return result
            case {"error": dict(error)}:
                raise _failure(**error)
    raise _gone(f"the process ended with {await process.wait()}")


def _failure(*, is_refusal: bool, code: str, message: str, **parameters: Any) -> MetierError:
    return (Refused if is_refusal else StorageFailed)(code, message, **parameters)


def _gone(reason: str) -> StorageFailed:
    return StorageFailed("worker_gone", f"the work on the store ended unexpectedly: {reason}")
