"""Time that does not count: while a call waits for a person, its limit stands still (AGENTS_AND_TOOLS §4)."""

import asyncio

from core.domain.interruption import Ask, Interruption
from core.ports.consent import Asker


class Standstill:
    """Of one call. It `is_on` as long as somebody is asked."""

    def __init__(self) -> None:
        self._asking = 0
        self._change: asyncio.Future[None] | None = None

    @property
    def is_on(self) -> bool:
        return self._asking > 0

    def change(self) -> asyncio.Future[None]:
        """Done when it next begins or ends."""
        if self._change is None or self._change.done():
            self._change = asyncio.get_running_loop().create_future()
        return self._change

    def over(self, asker: Asker) -> Asker:
        """The same asker, within the standstill."""

        async def ask(ask: Ask, *, anew: bool = False) -> Interruption:
            self._count(1)
            try:
                return await asker(ask, anew=anew)
            finally:
                self._count(-1)

        return ask

    def _count(self, more: int) -> None:
        was_on = self.is_on
        self._asking += more
        if self.is_on != was_on and self._change is not None and not self._change.done():
            self._change.set_result(None)
