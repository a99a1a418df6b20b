"""The loop of the simulations keeps what asyncio promises, and nothing else."""

import asyncio
import gc
import random
import time
import warnings
from collections.abc import Callable

import pytest

from tests.support.clock import FakeClock
from tests.support.virtual_loop import Abandoned, Deadlock, Livelock, VirtualLoop, run_virtual


def test_a_day_passes_at_once_and_in_order() -> None:
    told: list[str] = []

    async def sleeper(name: str, hours: float) -> None:
        await asyncio.sleep(hours * 3600)
        told.append(name)

    async def main() -> float:
        await asyncio.gather(sleeper("b", 24), sleeper("a", 23.99))
        return asyncio.get_running_loop().time()

    began = time.monotonic()
    assert run_virtual(main()) == 24 * 3600
    assert told == ["a", "b"]
    assert time.monotonic() - began < 1


def orders(make: Callable[[list[int]], None]) -> set[tuple[int, ...]]:
    """In which orders under 50 seeds the callbacks or tasks ran that `make` made."""
    found = set()
    for seed in range(50):
        ran: list[int] = []

        async def main(ran: list[int] = ran) -> None:
            make(ran)
            await asyncio.sleep(1)

        run_virtual(main(), random.Random(seed))
        found.add(tuple(ran))
    return found


def test_callbacks_run_in_the_order_in_which_they_were_registered() -> None:
    def make(ran: list[int]) -> None:
        for number in range(4):
            asyncio.get_running_loop().call_soon(ran.append, number)

    assert orders(make) == {(0, 1, 2, 3)}


def test_tasks_that_become_ready_together_run_in_any_order() -> None:
    tasks: set[asyncio.Task[None]] = set()

    async def first_step(ran: list[int], number: int) -> None:
        ran.append(number)

    def begin(ran: list[int]) -> None:
        tasks.update(asyncio.create_task(first_step(ran, number)) for number in range(3))

    def wake(ran: list[int]) -> None:
        waiting = asyncio.get_running_loop().create_future()

        async def wait(number: int) -> None:
            await waiting
            ran.append(number)

        tasks.update(asyncio.create_task(wait(number)) for number in range(3))
        asyncio.get_running_loop().call_later(0.1, waiting.set_result, None)

    assert len(orders(begin)) == 6
    assert len(orders(wake)) == 6


def test_without_a_seed_the_order_is_that_of_asyncio() -> None:
    async def main() -> list[int]:
        ran: list[int] = []

        async def step(number: int) -> None:
            await asyncio.sleep(0)
            ran.append(number)

        await asyncio.gather(*map(step, range(5)))
        return ran

    assert run_virtual(main()) == asyncio.run(main())


def test_a_deadlock_names_who_waits_for_what() -> None:
    async def stuck() -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(stuck(), name="the stuck one")

    with pytest.raises(Deadlock, match=r"the stuck one at .*stuck > Event\.wait"):
        run_virtual(main())


def test_a_loop_without_end_is_noticed() -> None:
    async def main() -> None:
        while True:  # noqa: ASYNC110  # it is to go on for ever
            await asyncio.sleep(0)

    loop = VirtualLoop(max_turns=100)
    with pytest.raises(Livelock):
        loop.run_until_complete(main())
    loop.abandon()


def test_there_is_no_network_and_no_thread() -> None:
    async def connect() -> None:
        await asyncio.open_connection("localhost", 1)

    async def call() -> int:
        return await asyncio.to_thread(len, "abc")

    async def fail() -> int:
        return await asyncio.to_thread(int, "x")

    with pytest.raises(NotImplementedError):
        run_virtual(connect())
    assert run_virtual(call()) == 3
    with pytest.raises(ValueError, match="invalid literal"):
        run_virtual(fail())


def test_a_timeout_and_a_cancel_reach_who_waits() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(7):
                await asyncio.sleep(100)
        task = asyncio.create_task(asyncio.sleep(100))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == 8


def test_after_a_crash_nothing_goes_on_and_nothing_complains() -> None:
    """Tasks that tidy up, wait once more, or make others while they are taken apart."""
    told: list[str] = []

    async def tidy(name: str) -> None:
        try:
            await asyncio.sleep(100)
        finally:
            more = asyncio.create_task(asyncio.sleep(1))
            await more
            told.append(name)

    async def main() -> None:
        async with asyncio.TaskGroup() as tasks:
            for name in "abc":
                tasks.create_task(tidy(name))
            tasks.create_task(crash())

    async def crash() -> None:
        await asyncio.sleep(5)
        loop.abandon_soon()
        await asyncio.sleep(0)
        told.append("after")

    loop = VirtualLoop(random.Random(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Abandoned):
            loop.run_until_complete(main())
        loop.abandon()
        gc.collect()
    assert told == []
    assert loop.errors == []


def test_what_is_unhandled_is_kept() -> None:
    def fail() -> None:
        raise ValueError("nobody")

    async def main() -> None:
        asyncio.get_running_loop().call_soon(fail)
        await asyncio.sleep(1)

    loop = VirtualLoop()
    loop.run_until_complete(main())
    assert [str(context["exception"]) for context in loop.errors] == ["nobody"]
    loop.close()


def test_the_wall_clock_jumps_and_durations_do_not() -> None:
    async def main() -> tuple[float, float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        clock = FakeClock(loop=loop)
        wall, steady = clock.now(), clock.monotonic()
        clock.jump(-3600)
        await clock.sleep(10)
        return (clock.now() - wall).total_seconds(), clock.monotonic() - steady

    assert run_virtual(main()) == (-3590, 10)


def test_a_slow_machine_takes_time_for_each_turn() -> None:
    async def main() -> float:
        for _ in range(100):
            await asyncio.sleep(0)
        return asyncio.get_running_loop().time()

    loop = VirtualLoop(random.Random(1), busy_s=0.01)
    assert 0.2 < loop.run_until_complete(main()) < 0.8
    loop.close()
