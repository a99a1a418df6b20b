"""What tests of the window share: they need no screen, and run on the Qt loop."""

import asyncio
import os
from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtWidgets import QApplication

from desktop.loop import Loop, new_loop

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture
def loop_factory(qapp: QApplication) -> Callable[[], Loop]:
    """Makes the loop of a test."""
    return lambda: new_loop(qapp)


@pytest.fixture
def until() -> Callable[..., Awaitable[None]]:
    """`await until(predicate, timeout_s=5)`: the loop and Qt go on until the predicate holds, else TimeoutError."""

    async def wait(predicate: Callable[[], object], timeout_s: float = 5.0) -> None:
        async with asyncio.timeout(timeout_s):
            while not predicate():  # noqa: ASYNC110  # what it looks at has no event to wait for
                await asyncio.sleep(0.002)

    return wait
