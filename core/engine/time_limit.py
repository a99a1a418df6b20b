"""The time limit of a step's attempt: it stands still while a person is asked (AGENTS_AND_TOOLS §4)."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from core.errors import StepFailed

P = ParamSpec("P")
T = TypeVar("T")


class TimeLimit:
    """For one piece of work. `limit_s` None is no limit; `what` names the work in the error."""

    def __init__(self, limit_s: float | None, what: str) -> None:
        self._limit_s = limit_s
        self._what = what
        self._left_s = limit_s
        self._asking = 0
        self._timeout = asyncio.timeout(None)

    async def over(self, work: Awaitable[T]) -> T:
        """The result of the work. After the limit it is cancelled and has ended; raises StepFailed `timeout` then."""
        try:
            async with self._timeout:
                self._go_on()
                try:
                    return await work
                finally:
                    self._left_s = None
        except TimeoutError:
            if not self._timeout.expired():
                raise
            message = f"{self._what} did not end within {self._limit_s:g} s"
            raise StepFailed("timeout", message, timeout_s=self._limit_s) from None

    def standing_still(self, ask: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        """The same, without its time being counted."""

        async def asking(*args: P.args, **kwargs: P.kwargs) -> T:
            self._stand_still()
            try:
                return await ask(*args, **kwargs)
            finally:
                self._asking -= 1
                self._go_on()

        return asking

    def _stand_still(self) -> None:
        self._asking += 1
        due = self._timeout.when()
        if due is not None and not self._timeout.expired():
            self._left_s = max(0.0, due - asyncio.get_running_loop().time())
            self._timeout.reschedule(None)

    def _go_on(self) -> None:
        if self._asking == 0 and self._left_s is not None and not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time() + self._left_s)
