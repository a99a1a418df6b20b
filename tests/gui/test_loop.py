"""The Qt loop is an asyncio loop: what asyncio documents holds, and what qasync breaks of it is mended."""

import asyncio
import contextvars
import gc
import logging
import math
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Callable

import anyio
import pytest

from desktop.loop import Loop

number: contextvars.ContextVar[int] = contextvars.ContextVar("number", default=0)


def running() -> Loop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    return loop


# Order and context


async def test_callbacks_run_in_the_order_in_which_they_were_made() -> None:
    loop, seen = running(), list[int]()
    for at in range(300):
        (loop.call_soon, loop.call_soon_threadsafe)[at % 2](seen.append, at)
    loop.call_soon(loop.call_soon, seen.append, 300)  # made later than the next one
    loop.call_soon(seen.append, -1)
    await asyncio.sleep(0.01)
    assert seen == [*range(300), -1, 300]


async def test_a_cancelled_callback_does_not_run() -> None:
    seen = list[int]()
    running().call_soon(seen.append, 1).cancel()
    running().call_later(0, seen.append, 2).cancel()
    await asyncio.sleep(0.01)
    assert seen == []


async def test_timers_come_in_the_order_of_their_times_and_not_early() -> None:
    loop, seen = running(), list[tuple[float, float]]()

    def note(when: float) -> None:
        seen.append((when, loop.time()))

    for delay in (0.03, 0.01, 0.02, 0.0, 0.0004):
        when = loop.time() + delay
        assert loop.call_at(when, note, when).when() == when
    await asyncio.sleep(0.05)
    assert [when for when, _ in seen] == sorted(when for when, _ in seen)
    assert len(seen) == 5
    assert all(now >= when - 1e-6 for when, now in seen)


@pytest.mark.parametrize("name", ["call_soon", "call_soon_threadsafe", "call_later"])
async def test_a_callback_runs_in_the_context_that_was_given_or_else_in_the_callers(name: str) -> None:
    loop, seen = running(), list[int]()
    given = contextvars.copy_context()
    given.run(number.set, 1)
    number.set(2)
    call: Callable[..., asyncio.Handle] = getattr(loop, name)
    delay = (0.001,) if name == "call_later" else ()
    call(*delay, lambda: seen.append(number.get()), context=given)
    call(*delay, lambda: seen.append(number.get()))
    await asyncio.sleep(0.02)
    assert seen == [1, 2]


# Tasks


async def test_a_failed_task_of_a_group_cancels_the_others() -> None:
    async def fail() -> None:
        await asyncio.sleep(0.001)
        raise ValueError("on purpose")

    async def run_both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            others.append(group.create_task(asyncio.sleep(60)))

    others = list[asyncio.Task[None]]()
    with pytest.raises(ExceptionGroup) as caught:
        await run_both()
    assert others[0].cancelled()
    assert caught.group_contains(ValueError, match="on purpose")


async def test_a_timeout_ends_what_takes_longer() -> None:
    began = running().time()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await asyncio.Event().wait()
    assert running().time() - began < 1


async def test_tasks_of_anyio_can_sleep_for_ever_and_be_cancelled() -> None:
    with anyio.move_on_after(0.01) as scope:
        await anyio.sleep_forever()
    assert scope.cancelled_caught


async def test_an_abandoned_generator_is_closed_by_the_loop() -> None:
    closed = asyncio.Event()

    async def count() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            closed.set()

    async for _ in count():
        break
    gc.collect()
    await asyncio.wait_for(closed.wait(), 20)


async def test_twenty_processes_run_at_once() -> None:
    async def run(value: int) -> bytes:
        program = "import sys; print(int(sys.stdin.read()) * 2)"
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(sys.executable, "-Sc", program, stdin=pipe, stdout=pipe)
        out, _ = await process.communicate(str(value).encode())
        assert process.returncode == 0
        return out

    assert await asyncio.gather(*map(run, range(20))) == [b"%d\n" % (value * 2) for value in range(20)]


# Timers of any length


@pytest.mark.parametrize("delay", [30 * 86_400.0, 1e12, math.inf])
async def test_a_delay_may_be_of_any_length(delay: float) -> None:
    seen = list[str]()
    handle = running().call_later(delay, seen.append, "long")
    running().call_later(0.001, seen.append, "short")
    await asyncio.sleep(0.02)
    assert seen == ["short"]
    assert handle.when() > running().time() + 86_400
    handle.cancel()


async def test_of_cancelled_timeouts_nothing_is_left() -> None:
    class Held:
        """Can be referenced weakly."""

    loop = running()
    before = len(loop._scheduled)
    held = Held()
    gone = weakref.ref(held)
    loop.call_later(600, id, held).cancel()
    del held
    for _ in range(10_000):
        async with asyncio.timeout(600):  # noqa: ASYNC100  # it is the timeout that matters
            pass
    await asyncio.sleep(0)
    assert len(loop._scheduled) == before
    assert gone() is None


async def test_cancelled_timers_among_others_leave_when_they_are_more_than_half() -> None:
    loop = running()
    handles = [loop.call_later(600 + at, int) for at in range(1000)]
    for handle in handles[1:700]:  # not the first, so that it is not just the top of the heap
        handle.cancel()
    await asyncio.sleep(0.01)
    assert sum(handle.cancelled() for handle in loop._scheduled) == 0
    assert sum(handle in loop._scheduled for handle in (handles[0], *handles[700:])) == 301
    for handle in handles:
        handle.cancel()


async def test_a_timer_that_has_run_does_not_count_as_cancelled() -> None:
    loop = running()
    before = loop._timer_cancelled_count
    for _ in range(10):
        await asyncio.sleep(1e-6)  # which cancels its timer afterwards
    assert loop._timer_cancelled_count == before


async def test_a_wait_between_two_milliseconds_does_not_spin() -> None:
    rings = list[bool]()
    running()._bell.timeout.connect(lambda: rings.append(True))
    await asyncio.sleep(0.0209)
    assert len(rings) < 10


# Threads


async def test_eight_threads_may_call_and_the_order_of_each_is_kept() -> None:
    loop, seen = running(), list[tuple[int, int]]()

    def call(thread: int) -> None:
        for at in range(1000):
            loop.call_soon_threadsafe(seen.append, (thread, at))

    await asyncio.gather(*(asyncio.to_thread(call, thread) for thread in range(8)))
    await asyncio.sleep(0)
    assert sorted(seen) == [(thread, at) for thread in range(8) for at in range(1000)]
    for thread in range(8):
        assert [at for who, at in seen if who == thread] == list(range(1000))


async def test_a_result_set_in_the_wrong_thread_arrives_as_it_does_in_asyncio() -> None:
    futures = [running().create_future() for _ in range(2)]
    await asyncio.to_thread(futures[0].set_result, 1)
    await asyncio.to_thread(lambda: futures[0].get_loop().call_later(0.01, futures[1].set_result, 2))
    assert await asyncio.wait_for(asyncio.gather(*futures), 20) == [1, 2]


async def test_a_call_from_a_thread_wakes_a_loop_that_waits() -> None:
    loop, woken = running(), asyncio.Event()
    timer = threading.Timer(0.02, loop.call_soon_threadsafe, [woken.set])
    timer.start()
    async with asyncio.timeout(20):
        await woken.wait()


async def test_the_end_of_a_worker_by_any_error_reaches_who_waits_for_it() -> None:
    class Abort(BaseException):
        """No Exception."""

    def abort() -> None:
        raise Abort

    with pytest.raises(Abort):
        await asyncio.wait_for(asyncio.to_thread(abort), 20)


async def test_workers_are_eight_threads_of_python() -> None:
    together = threading.Barrier(8, timeout=20)

    def work() -> str:
        together.wait()
        return threading.current_thread().name

    names = await asyncio.gather(*(asyncio.to_thread(work) for _ in range(8)))
    assert len(set(names)) == 8
    assert all(name.startswith("worker") for name in names)


# Errors and debug mode


async def test_an_error_in_a_callback_goes_to_the_handler_and_the_loop_goes_on() -> None:
    loop, seen = running(), list[str]()
    former = loop.get_exception_handler()
    assert former is not None
    loop.set_exception_handler(lambda _, context: seen.append(str(context["exception"])))
    loop.call_soon(int, "x")
    loop.call_soon(seen.append, "next")
    await asyncio.sleep(0)
    loop.set_exception_handler(former)
    assert seen == ["invalid literal for int() with base 10: 'x'", "next"]


async def test_debug_mode_warns_of_a_slow_callback_by_the_name_of_its_task(caplog: pytest.LogCaptureFixture) -> None:
    async def dawdle() -> None:
        threading.Event().wait(0.03)

    loop = running()
    loop.set_debug(True)
    loop.slow_callback_duration = 0.02
    with caplog.at_level(logging.WARNING, "asyncio"):
        await asyncio.create_task(dawdle(), name="the slow one")
    loop.set_debug(False)
    assert any("the slow one" in line and "took 0.0" in line for line in caplog.messages)


async def test_debug_mode_refuses_calls_from_the_wrong_thread_and_coroutines() -> None:
    async def coroutine() -> None: ...

    loop = running()
    loop.set_debug(True)
    with pytest.raises(RuntimeError, match="Non-thread-safe"):
        await asyncio.to_thread(lambda: loop.call_soon(int))
    with pytest.raises(RuntimeError, match="Non-thread-safe"):
        await asyncio.to_thread(lambda: loop.call_later(1, int))
    for call in (loop.call_soon, loop.call_soon_threadsafe):
        with pytest.raises(TypeError, match="coroutines cannot be used"):
            call(coroutine)
    loop.set_debug(False)
