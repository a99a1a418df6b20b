"""A few worker processes, shared by everything that must not run in the product's own process."""

import asyncio
from asyncio import Future, get_running_loop
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from core.sandbox import frames
from core.sandbox.process import OnMessage, WorkerGone, WorkerProcess

MAX_ANSWERS = 200
"""The limit of responses per worker: a fresh process costs little, and bounds any leak of the engine."""


class PoolClosed(Exception):
    """The pool was closed before or during the call."""


class WorkerPool:
    """At most `size` workers, each busy with a single call; further calls wait in fair order of their owners.

    No worker starts before the first call. From then on an idle worker is kept warm, unless all are busy. The pool
    belongs to the loop of its first call.
    """

    def __init__(self, size: int = 2) -> None:
        self._size = size
        self._slots = FairSemaphore(size)
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._closed = False

    @property
    def pids(self) -> list[int]:
        """The process ids of all running workers."""
        return [worker.pid for worker in (*self._idle, *self._busy) if worker.pid is not None]

    @property
    def has_room(self) -> bool:
        """Whether a call would be served at once."""
        return self._slots.has_room

    async def call(
        self, request: dict[str, Any], limit_s: float, on_message: OnMessage | None = None, owner: str = ""
    ) -> dict[str, Any]:
        """Return the response of a worker; `on_message` receives its earlier messages. `owner` groups waiting calls.

        `limit_s` counts from the start of the work, not of the waiting. Cancelling the caller kills the worker. Raises
        BadFrame (the request is too long), PoolClosed, WorkerTimeout, or WorkerGone.
        """
        async with self._slots.slot(owner):
            long = frames.is_long(request)
            frame = await asyncio.to_thread(frames.pack, request) if long else frames.pack(request)
            try:
                worker = self._idle.pop() if self._idle else WorkerProcess()
                return await self._call_on(worker, frame, limit_s, on_message)
            except WorkerGone as error:
                if error.started:
                    raise
                # It died while idle, and nothing has happened: a fresh worker may repeat the request.
                return await self._call_on(WorkerProcess(), frame, limit_s, on_message)

    async def close(self) -> None:
        """Kill every worker, busy or idle, and refuse further calls."""
        self._closed = True
        for worker in (*self._idle, *self._busy):
            worker.kill()
        async with AsyncExitStack() as slots:
            for _ in range(self._size):
                await slots.enter_async_context(self._slots.slot())  # holding all slots, no call is inside any more
            for worker in self._idle:
                await worker.end()
            self._idle.clear()

    async def _call_on(
        self, worker: WorkerProcess, frame: bytes, limit_s: float, on_message: OnMessage | None
    ) -> dict[str, Any]:
        self._busy.add(worker)
        reusable = False
        try:
            if self._closed:
                raise PoolClosed
            answer = await worker.ask(frame, limit_s, on_message)
            reusable = not (self._closed or worker.retired or worker.answers >= MAX_ANSWERS)
        except WorkerGone:
            if self._closed:
                raise PoolClosed from None
            raise
        finally:
            await self._release(worker, reusable)
        return answer

    async def _release(self, worker: WorkerProcess, reusable: bool) -> None:
        try:
            if not reusable:
                await worker.end()
        finally:
            self._busy.discard(worker)
            if reusable:
                self._idle.append(worker)
            elif not (self._closed or self._idle):
                self._idle.append(WorkerProcess())


class FairSemaphore:
    """A semaphore with fair queues: waiters of the same `owner` are served in order, and the owners take turns, so that
    an owner of many waiters does not starve the others.
    """

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: OrderedDict[str, deque[Future[None]]] = OrderedDict()

    @property
    def has_room(self) -> bool:
        """Whether a slot is free."""
        return self._free > 0

    @asynccontextmanager
    async def slot(self, owner: str = "") -> AsyncIterator[None]:
        """Acquire a slot, and release it at the end."""
        if self._free > 0:
            self._free -= 1
        else:
            await self._wait(owner)
        try:
            yield
        finally:
            self._release_slot()

    async def _wait(self, owner: str) -> None:
        waiter: Future[None] = get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(waiter)
        try:
            await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled():
                self._release_slot()  # the slot arrived at the moment of the cancellation, and would be lost
            raise

    def _release_slot(self) -> None:
        """Hand the slot to the next waiter, or free it."""
        while self._waiting:
            owner, waiters = self._waiting.popitem(last=False)
            waiter = waiters.popleft()
            if waiters:
                self._waiting[owner] = waiters  # at the end: the other owners come first
            if not waiter.done():
                waiter.set_result(None)
                return
        self._free += 1
