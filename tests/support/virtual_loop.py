"""An event loop whose time is virtual and whose order of tasks is drawn from a seed.

Time jumps to the next timer when nothing is ready, so hours pass in microseconds. There is no I/O: whatever asks for
it gets NotImplementedError. What is sent to a thread (`run_in_executor`, `to_thread`) runs at once, in place. Where
nothing is ready and no timer is set, Deadlock names the tasks that wait, instead of hanging.

What may be reordered. asyncio promises that callbacks of `call_soon` run in the order in which they were registered,
and that the callbacks of a future are scheduled in theirs; both hold here. It promises nothing about which of several
*tasks* goes first that became ready in one turn: it depends on how many callbacks lie between them and what woke them.
So with `rng`, the steps of tasks in one turn change places among themselves, and nothing else does (`mixes=False`
leaves that out). Beyond that, `busy_s` bounds a random time that each turn takes, as if the machine were slow.

`abandon` is a crash: no task goes on, no callback runs, and nothing that is left complains when it is collected.
"""

import asyncio
import contextvars
import heapq
import random
from asyncio import events
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

if TYPE_CHECKING:
    Loop = asyncio.BaseEventLoop  # has all methods
else:
    Loop = asyncio.AbstractEventLoop  # raises NotImplementedError in those that are not overridden

MAX_TURNS = 200_000
CLOSE_TRIES = 50


class Deadlock(Exception):
    """Nothing is ready, no timer is set, and what was to be done is not done."""


class Livelock(Exception):
    """The loop went on for ever."""


class Abandoned(BaseException):
    """The loop was told to stop where it stood."""


class VirtualTask(asyncio.Task[T]):
    """A task that hashes by its number, so that a set of tasks has the same order each time."""

    number = 0

    def __hash__(self) -> int:
        return self.number


class VirtualLoop(Loop):
    """A loop for one thread. `errors` holds what nobody handled, as asyncio describes it."""

    def __init__(
        self,
        rng: random.Random | None = None,
        *,
        mixes: bool = True,
        busy_s: float = 0.0,
        start_s: float = 0.0,
        max_turns: int = MAX_TURNS,
    ) -> None:
        self.errors: list[dict[str, Any]] = []
        self.turns = 0
        self.on_idle: Callable[[float], object] | None = None
        self._rng = rng
        self._mixes = mixes
        self._busy_s = busy_s
        self._now = start_s
        self._max_turns = max_turns
        self._ready: list[asyncio.Handle] = []
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timers_made = 0
        self._tasks: list[VirtualTask[Any]] = []
        self._is_stopping = False
        self._is_abandoned = False
        self._is_running = False
        self._is_closed = False

    # Time

    def time(self) -> float:
        """Virtual seconds. They pass while nothing is ready, and by `busy_s`."""
        return self._now

    # Callbacks

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """As `call_soon`: there is one thread."""
        return self.call_soon(callback, *args, context=context)

    def call_later(
        self, delay: float, callback: Callable[[*Ts], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._timers_made += 1
        heapq.heappush(self._timers, (when, self._timers_made, handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """What a cancelled timer tells its loop: it is thrown away when its time has come."""

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self, coro: Any, *, name: object = None, context: contextvars.Context | None = None
    ) -> asyncio.Task[Any]:
        task: VirtualTask[Any] = VirtualTask.__new__(VirtualTask)
        task.number = len(self._tasks)  # before __init__, which puts the task into a set
        task.__init__(coro, loop=self, name=name or f"task {task.number}", context=context)  # type: ignore[misc]
        self._tasks.append(task)
        return task

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Call `func` at once: in a simulation there are no threads that could run beside each other."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  # it belongs to whoever waits for the thread
            future.set_exception(error)
        return future

    # Running

    def run_until_complete(self, future: Any) -> Any:
        """The result of a coroutine or future. Raises Deadlock, Livelock, or Abandoned if `abandon_soon` was called."""
        task = asyncio.ensure_future(future, loop=self)
        self._run(task.done)
        return task.result()

    def run_forever(self) -> None:
        """Until `stop` is called."""
        self._is_stopping = False
        self._run(lambda: self._is_stopping)

    def stop(self) -> None:
        self._is_stopping = True

    def abandon_soon(self) -> None:
        """Leave with Abandoned as soon as the callback at work returns. Then `abandon` is to be called."""
        self._is_abandoned = True

    def _run(self, is_done: Callable[[], bool]) -> None:
        self._is_running = True
        events._set_running_loop(self)
        try:
            while not is_done():
                self._turn()
                if self._is_abandoned:
                    raise Abandoned
        finally:
            events._set_running_loop(None)
            self._is_running = False

    def _turn(self) -> None:
        self.turns += 1
        if self.turns > self._max_turns:
            raise Livelock(f"{self.turns} turns, and no end: {self.describe_tasks()}")
        if not self._ready:
            self._jump()
        timers, now, ready = self._timers, self._now, self._ready
        while timers and timers[0][0] <= now:
            ready.append(heapq.heappop(timers)[2])
        self._ready = []
        if self._rng is not None:
            if self._mixes:
                _mix_tasks(ready, self._rng)
            if self._busy_s:
                self._now += self._rng.random() * self._busy_s
        for handle in ready:
            if not handle._cancelled:
                handle._run()
                if self._is_abandoned:
                    return

    def _jump(self) -> None:
        """Let time pass up to the next timer."""
        timers = self._timers
        while timers and timers[0][2]._cancelled:
            heapq.heappop(timers)
        if not timers:
            raise Deadlock(f"nothing is ready and no timer is set: {self.describe_tasks()}")
        when = timers[0][0]
        if when > self._now:
            if self.on_idle is not None:
                self.on_idle(when - self._now)
            self._now = when

    # Tasks

    def pending(self) -> list[asyncio.Task[Any]]:
        """Tasks that are not done, in the order in which they were made."""
        return [task for task in self._tasks if not task.done()]

    def unasked(self) -> list[asyncio.Task[Any]]:
        """Tasks that failed, and nobody asked for their result."""
        return [task for task in self._tasks if task.done() and task._log_traceback]

    def describe_tasks(self) -> str:
        """What each pending task waits for."""
        return "; ".join(f"{task.get_name()} at {_place(task)}" for task in self.pending()) or "no task"

    def abandon(self) -> None:
        """Take every coroutine apart, in a loop in which nothing runs any more, and close."""
        self._is_abandoned = True
        events._set_running_loop(self)
        try:
            for task in self._tasks:  # what is made meanwhile is appended
                if not task.done():
                    task._log_destroy_pending = False  # type: ignore[attr-defined]
                    _take_apart(task.get_coro())
                task._log_traceback = False
        finally:
            events._set_running_loop(None)
        self.close()

    # Ending

    def close(self) -> None:
        self._is_closed = True
        self._ready.clear()
        self._timers.clear()

    def is_closed(self) -> bool:
        return self._is_closed

    def is_running(self) -> bool:
        return self._is_running

    async def shutdown_asyncgens(self) -> None:
        """Nothing to do: generators are closed by those who opened them."""

    async def shutdown_default_executor(self) -> None:
        """Nothing to do: there are no threads."""

    # Errors

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self._is_abandoned:
            self.errors.append(context)

    def get_debug(self) -> bool:
        return False

    def set_debug(self, enabled: bool) -> None:
        """There is no debug mode."""


def _mix_tasks(ready: list[asyncio.Handle], rng: random.Random) -> None:
    places = [at for at, handle in enumerate(ready) if _is_of_task(handle)]
    if len(places) > 1:
        handles = [ready[at] for at in places]
        rng.shuffle(handles)
        for at, handle in zip(places, handles, strict=True):
            ready[at] = handle


def _is_of_task(handle: asyncio.Handle) -> bool:
    """Whether the handle lets a task go on: its first step, or its wake-up by a future."""
    callback = handle._callback  # type: ignore[attr-defined]
    return type(getattr(callback, "__self__", None)) is VirtualTask and (
        type(callback).__name__ == "TaskStepMethWrapper" or callback.__name__ == "task_wakeup"
    )


def _place(task: asyncio.Task[Any]) -> str:
    """The functions that await each other, innermost last."""
    names = []
    waiting: Any = task.get_coro()
    while (code := getattr(waiting, "cr_code", None)) is not None:
        names.append(code.co_qualname)
        waiting = getattr(waiting, "cr_await", None)
    return " > ".join(names)


def _take_apart(coroutine: Any) -> None:
    """End a coroutine even if it waits again in its `finally`, with the asynchronous generators that it waits for:
    `close` does not reach these."""
    for _ in range(CLOSE_TRIES):
        try:
            coroutine.throw(Abandoned())
        except BaseException:  # noqa: BLE001  # whatever it raises, nobody is there to hear it
            return
    raise Livelock(f"{coroutine!r} cannot be closed")


def run_virtual(main: Coroutine[Any, Any, T], rng: random.Random | None = None) -> T:
    """The result of a coroutine in virtual time."""
    loop = VirtualLoop(rng)
    try:
        result: T = loop.run_until_complete(main)
        return result
    finally:
        loop.abandon()
