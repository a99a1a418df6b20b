"""Waits for a condition, in real time: whatever makes it true may be another thread or another process."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from inspect import isawaitable

from tests.support.clock import AutojumpLoop

POLL_S = 0.002
LIMIT_S = 20.0


async def until(condition: Callable[[], object | Awaitable[object]], limit_s: float = LIMIT_S) -> None:
    """Return as soon as the condition holds. Raises TimeoutError after `limit_s` seconds."""
    deadline = time.monotonic() + limit_s
    while True:
        value = condition()
        if await value if isawaitable(value) else value:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {limit_s:g} s the condition does not hold")
        if isinstance(asyncio.get_running_loop(), AutojumpLoop):
            await asyncio.to_thread(time.sleep, POLL_S)  # a thread at work keeps its time from jumping
        else:
            await asyncio.sleep(POLL_S)


def wait_until(condition: Callable[[], object], limit_s: float = 60.0) -> None:
    """Block until the condition holds. Raises TimeoutError after `limit_s` seconds."""
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {limit_s:g} s the condition does not hold")
        time.sleep(0.01)
