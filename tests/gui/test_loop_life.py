"""The life of the Qt loop: started, stopped, ended by signals, closed; and a program that runs on it."""

import asyncio
import contextlib
import math
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from desktop.loop import Loop, run
from tests.support.project import ROOT

LoopFactory = Callable[[], Loop]

PROGRAM = """
import asyncio, signal, sys
from PySide6.QtWidgets import QApplication
from desktop.loop import run

async def main() -> int:
    ended = asyncio.Event()
    for name in sys.argv[1:]:
        asyncio.get_running_loop().add_signal_handler(getattr(signal, name), ended.set)
    print("ready", flush=True)
    await ended.wait()
    return 7

try:
    sys.exit(run(main(), QApplication([])))
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_run_until_complete_gives_the_result_and_may_be_repeated(loop_factory: LoopFactory) -> None:
    with contextlib.closing(loop_factory()) as loop:
        for turn in range(3):
            assert loop.run_until_complete(asyncio.sleep(0.001, turn)) == turn
            assert not loop.is_running()


def test_a_loop_may_follow_a_closed_one(loop_factory: LoopFactory) -> None:
    for turn in range(3):
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            assert runner.run(asyncio.to_thread(int, turn)) == turn


def test_stop_lets_the_callbacks_run_that_are_ready_and_no_others(loop_factory: LoopFactory) -> None:
    seen = list[str]()
    with contextlib.closing(loop_factory()) as loop:
        loop.call_soon(loop.stop)
        loop.call_soon(seen.append, "ready")
        loop.call_soon(loop.call_soon, seen.append, "made by one of them")
        loop.run_forever()
        assert seen == ["ready"]
        loop.stop()  # before it runs: one round, however long that takes
        for _ in range(5):
            loop.call_soon(time.sleep, 0.002)
        loop.call_soon(seen.append, "slowly")
        loop.run_forever()
        assert seen == ["ready", "made by one of them", "slowly"]


@pytest.mark.parametrize("delay", [30 * 86_400.0, math.inf])
def test_a_loop_that_waits_for_something_far_away_can_be_woken(loop_factory: LoopFactory, delay: float) -> None:
    with contextlib.closing(loop_factory()) as loop:
        loop.call_later(delay, int)
        waker = threading.Timer(0.02, loop.call_soon_threadsafe, [loop.stop])
        waker.start()
        loop.run_forever()
        waker.join()


def test_who_processes_events_while_the_loop_stands_runs_none_of_its_callbacks(
    qapp: QApplication, loop_factory: LoopFactory
) -> None:
    seen = list[str]()
    with contextlib.closing(loop_factory()) as loop:
        loop.call_soon(seen.append, "soon")
        loop.call_soon_threadsafe(seen.append, "from a thread")
        for _ in range(5):
            qapp.processEvents()
        assert seen == []
        loop.run_until_complete(asyncio.sleep(0))
        assert seen == ["soon", "from a thread"]


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=["exit", "interrupt"])
@pytest.mark.parametrize("where", ["callback", "task"])
def test_an_order_to_end_is_raised_from_the_run(loop_factory: LoopFactory, error: BaseException, where: str) -> None:
    def end() -> None:
        raise error

    async def main() -> None:
        if where == "task":
            end()
        asyncio.get_running_loop().call_soon(end)
        await asyncio.sleep(60)

    with asyncio.Runner(loop_factory=loop_factory) as runner, pytest.raises(type(error)):
        runner.run(main())


def test_the_end_of_the_application_stops_the_loop(qapp: QApplication, loop_factory: LoopFactory) -> None:
    async def main() -> None:
        qapp.quit()
        await asyncio.sleep(60)

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        with pytest.raises(RuntimeError, match="stopped before Future completed"):
            runner.run(main())
        assert runner.run(asyncio.sleep(0, "it can run again")) == "it can run again"


# Closing


def test_a_closed_loop_has_nothing_pending_and_takes_nothing(loop_factory: LoopFactory) -> None:
    loop = loop_factory()
    later, soon = loop.call_later(600, int), loop.call_soon(int)
    loop.call_soon_threadsafe(int)
    loop.close()
    loop.close()
    assert not loop._bell.isActive()
    assert not loop._ready
    assert not loop._scheduled
    for handle in (later, soon):
        handle.cancel()
    loop.stop()
    assert not loop._bell.isActive()
    calls: list[Callable[[], object]] = [
        lambda: loop.call_soon(int),
        lambda: loop.call_later(1, int),
        lambda: loop.call_soon_threadsafe(int),
        loop.run_forever,
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="closed"):
            call()


def test_threads_that_call_while_the_loop_is_closed_are_heard_or_refused(
    qapp: QApplication, loop_factory: LoopFactory
) -> None:
    def call(loop: Loop, started: threading.Barrier, refusals: list[str]) -> None:
        started.wait()
        try:
            while True:
                loop.call_soon_threadsafe(int)
                time.sleep(1e-5)  # else they call faster than anybody could answer
        except RuntimeError as error:
            refusals.append(str(error))

    for _ in range(20):
        loop, started, refusals = loop_factory(), threading.Barrier(5, timeout=20), list[str]()
        threads = [threading.Thread(target=call, args=(loop, started, refusals)) for _ in range(4)]
        for thread in threads:
            thread.start()
        started.wait()
        loop.run_until_complete(asyncio.sleep(0.005))
        loop.close()
        for thread in threads:
            thread.join(5)
        qapp.processEvents()
        assert refusals == ["Event loop is closed"] * 4
        assert not loop._ready
        assert not loop._bell.isActive()


def test_a_call_that_is_overtaken_by_the_close_is_refused(
    loop_factory: LoopFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = loop_factory()

    def find_it_open() -> None:
        monkeypatch.undo()
        loop._check_closed()
        loop.close()

    monkeypatch.setattr(loop, "_check_closed", find_it_open)
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon_threadsafe(int)
    assert not loop._ready


def test_the_workers_end_with_the_loop(loop_factory: LoopFactory) -> None:
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        worker = runner.run(asyncio.to_thread(threading.current_thread))
        assert worker.is_alive()
    assert not worker.is_alive()


# Programs


def test_a_program_ends_with_the_number_that_its_main_returns(qapp: QApplication) -> None:
    async def main() -> int:
        await asyncio.sleep(0.001)
        return 4

    assert run(main(), qapp) == 4


def test_the_end_of_the_last_window_does_not_end_the_program(qapp: QApplication) -> None:
    async def main() -> int:
        window = QWidget()
        window.show()
        window.close()
        await asyncio.sleep(0.02)
        return 0

    assert run(main(), qapp) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals of Unix")
@pytest.mark.parametrize(
    ("handled", "sent", "code"),
    [
        (["SIGINT", "SIGTERM"], signal.SIGINT, 7),
        (["SIGINT", "SIGTERM"], signal.SIGTERM, 7),
        ([], signal.SIGINT, 130),
    ],
    ids=["interrupt", "terminate", "interrupt without a handler"],
)
def test_a_signal_ends_a_program_that_waits(handled: list[str], sent: signal.Signals, code: int) -> None:
    program = [sys.executable, "-c", PROGRAM, *handled]
    with subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            process.send_signal(sent)
            assert process.wait(10) == code
        finally:
            process.kill()
