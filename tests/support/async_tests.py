"""Run `async def` tests and fixtures, each test on an event loop of its own.

The fixtures of a test share its loop. An async generator fixture lives in one task from its first line to its last, so
a task group or a timeout may stay open across its `yield`. A test fails

- if it, or one of its fixtures, takes longer than its time limit: 120 s, or the marker `async_timeout(seconds)`;
- if the loop reported an error that nobody handled;
- if a task was left pending, or failed and nobody asked for its result. Async fixtures may hold tasks until they are
  torn down; then this is looked at after them, and pytest reports it as an error of the test's teardown.

A folder runs on another loop by overriding the fixture `loop_factory` in its conftest.
"""

import asyncio
import inspect
import threading
import traceback
import weakref
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

import pytest

from tests.support.clock import AutojumpLoop

DEFAULT_LIMIT_S = 120.0
REAL_TIME_FOLDERS = {"backups", "contracts", "crash", "e2e", "import_export", "persistence", "sandbox"}

T = TypeVar("T")
LoopFactory = Callable[[], asyncio.AbstractEventLoop]


class AsyncRunner:
    """The loop of one test: runs coroutines within the time limit and watches what they leave behind."""

    def __init__(self, runner: asyncio.Runner, limit_s: float) -> None:
        self._runner = runner
        self._limit_s = limit_s
        self._errors: list[dict[str, Any]] = []
        self._tasks: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()
        self._open_fixtures = 0
        loop = runner.get_loop()
        loop.set_exception_handler(lambda _, context: self._errors.append(context))
        loop.set_task_factory(self._make_task)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result. Raises TimeoutError, from where it hung, after the test's time limit."""

        async def limited() -> T:
            limit, loop = asyncio.timeout(None), asyncio.get_running_loop()
            # in real time, from a thread, since the time of an AutojumpLoop passes at once
            watchdog = threading.Timer(
                self._limit_s, lambda: loop.call_soon_threadsafe(lambda: limit.reschedule(loop.time()))
            )
            watchdog.daemon = True
            watchdog.start()
            try:
                async with limit:
                    return await coroutine
            except TimeoutError as error:
                if limit.expired():
                    error.add_note(f"The test's time limit is {self._limit_s:g} s (marker async_timeout).")
                raise
            finally:
                watchdog.cancel()

        return self._runner.run(limited())

    def enter(self, manager: AbstractAsyncContextManager[T]) -> Iterator[T]:
        """The body of a generator fixture: yields the manager's value. One task enters and leaves the manager."""
        ready: asyncio.Future[T] = self._runner.get_loop().create_future()
        leave = asyncio.Event()

        async def stay() -> None:
            async with manager as value:
                ready.set_result(value)
                await leave.wait()

        async def start() -> asyncio.Task[None]:
            task = asyncio.create_task(stay())
            try:
                either: list[asyncio.Future[Any]] = [task, ready]
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not ready.done():  # it failed, or the time is up
                    task.cancel()
                    await task
            return task

        async def end(task: asyncio.Task[None]) -> None:
            leave.set()
            await task

        task = self.run(start())
        self._open_fixtures += 1
        yield ready.result()
        self._open_fixtures -= 1
        self.run(end(task))

    def verify(self) -> None:
        """Fail the test for what went wrong behind its back."""
        self._runner.run(asyncio.sleep(0))  # what is due, such as a cancellation, gets its turn
        problems = [_described(context["message"], context.get("exception")) for context in self._errors]
        self._errors.clear()
        if not self._open_fixtures:
            tasks = list(self._tasks)
            self._tasks.clear()
            problems += [f"Task left pending: {task!r}" for task in tasks if not task.done()]
            # asyncio's own mark, which it would report when the task is collected: maybe not before the loop is gone
            lost = [task for task in tasks if task.done() and task._log_traceback]
            problems += [_described(f"Nobody asked for the result of {task!r}", task.exception()) for task in lost]
        if problems:
            pytest.fail("\n".join(problems), pytrace=False)

    def _make_task(self, loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, **options)
        self._tasks.add(task)
        return task


def _described(message: str, error: BaseException | None) -> str:
    return "\n".join([message, *(traceback.format_exception(error) if error else [])])


def _as_plain_fixture(function: Callable[..., Any], runner: AsyncRunner) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):
        return lambda **arguments: runner.run(function(**arguments))
    manager = asynccontextmanager(function)

    def fixture(**arguments: Any) -> Iterator[Any]:
        yield from runner.enter(manager(**arguments))

    return fixture


@pytest.fixture
def loop_factory(request: pytest.FixtureRequest) -> LoopFactory:
    """Return the factory of a test's loop: time jumps over waits, but not beside a database."""
    is_real = request.node.get_closest_marker("real_time") or REAL_TIME_FOLDERS.intersection(request.path.parts)
    return asyncio.new_event_loop if is_real else AutojumpLoop


@pytest.fixture
def async_runner(request: pytest.FixtureRequest, loop_factory: LoopFactory) -> Iterator[AsyncRunner]:
    """The runner of an async test, and of the async fixtures of any test."""
    marker = request.node.get_closest_marker("async_timeout")
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        hosted = AsyncRunner(runner, marker.args[0] if marker else DEFAULT_LIMIT_S)
        yield hosted
        hosted.verify()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "async_timeout(seconds): limit of an async test and of each of its fixtures")
    config.addinivalue_line(
        "markers", "real_time: waits take their time, since a library's thread or another process is awaited"
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """The loop is made before, and closed after, everything else of an async test."""
    if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
        item.fixturenames.insert(0, "async_runner")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """pytest sets up a plain fixture that has the async one run in the test's loop."""
    function = fixturedef.func
    if not inspect.iscoroutinefunction(function) and not inspect.isasyncgenfunction(function):
        return (yield)
    plain = _as_plain_fixture(function, request.getfixturevalue("async_runner"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fixturedef, "func", plain)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """pytest calls a plain function that has the async test run in its loop."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return (yield)
    runner = pyfuncitem.funcargs["async_runner"]
    assert isinstance(runner, AsyncRunner)
    with pytest.MonkeyPatch.context() as patch:  # undone, so that pytest shows tracebacks from the test onwards
        patch.setattr(pyfuncitem, "obj", lambda **arguments: runner.run(test(**arguments)))
        result = yield
    runner.verify()
    return result
