"""The process for work on whole stores (see `worker_process`): serves one request and ends.

A job is an async function, named as `module:function`. It gets a function that reports progress and the arguments of
the request; what it returns, and what it reports, are objects of JSON.
"""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from core.errors import MetierError, Refused

Report = Callable[[dict[str, Any]], None]
Job = Callable[..., Awaitable[dict[str, Any]]]

NICENESS = 5


def main() -> None:
    """Serve a request, and end without closing the stores that are open: jobs close those that are kept."""
    with os.fdopen(os.dup(0), "rb") as requests, os.fdopen(os.dup(1), "wb") as answers:
        nowhere = os.open(os.devnull, os.O_RDWR)  # what the engine prints is no answer
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        request: dict[str, Any] = json.loads(requests.readline())
        threading.Thread(target=_end_with_parent, args=(requests,), daemon=True).start()
        if sys.platform != "win32":
            os.nice(NICENESS)

        def send(message: dict[str, Any]) -> None:
            answers.write(json.dumps(message).encode() + b"\n")
            answers.flush()

        send(asyncio.run(_answer(request, lambda progress: send({"progress": progress}))))
        os._exit(0)


async def _answer(request: dict[str, Any], report: Report) -> dict[str, Any]:
    try:
        module, _, name = request.pop("job").partition(":")
        job: Job = getattr(import_module(module), name)
        return {"result": await job(report, **request)}
    except MetierError as error:
        return {"error": {"is_refusal": isinstance(error, Refused), **error.as_dict()}}
    except Exception as error:  # noqa: BLE001  # a defect is reported where it can be logged
        return {"error": {"is_refusal": False, "code": "storage_failed", "message": f"{type(error).__name__}: {error}"}}


def _end_with_parent(requests: Any) -> None:
    requests.read()
    os._exit(1)
