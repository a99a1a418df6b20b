"""Waiting for one of a few places, fairly: whoever asks for many at once does not keep the others from theirs."""

from asyncio import Future, get_running_loop
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FairLine:
    """So many `places`. Whoever finds none free waits behind the others of the same `owner`, in the order of coming;
    a place that becomes free goes to each owner in turn."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: OrderedDict[str, deque[Future[None]]] = OrderedDict()

    @property
    def has_room(self) -> bool:
        """Whether a place is free."""
        return self._free > 0

    @asynccontextmanager
    async def place(self, owner: str = "") -> AsyncIterator[None]:
        """Wait for a place, and give it back at the end."""
        if self._free > 0:
            self._free -= 1
        else:
            await self._wait(owner)
        try:
            yield
        finally:
            self._give()

    async def _wait(self, owner: str) -> None:
        turn: Future[None] = get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._give()  # the place came at the moment of the cancellation
            raise

    def _give(self) -> None:
        """Hand a place to whoever is next, or keep it free."""
        while self._waiting:
            owner, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[owner] = turns  # at the end: the other owners come first
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
