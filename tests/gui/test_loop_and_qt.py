"""The Qt loop leaves Qt its turns, and lives with the loops that Qt nests."""

import asyncio
import contextlib
import sys
import time
from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.loop import Loop

Until = Callable[[Callable[[], object]], Awaitable[None]]


class Canvas(QWidget):
    """Counts how often it was painted."""

    def __init__(self) -> None:
        super().__init__()
        self.painted = 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.painted += 1


def press(button: QPushButton) -> None:
    """Post a click, as the window system would: it arrives when Qt gets its turn."""
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        at, left, none = QPointF(5, 5), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        event = QMouseEvent(kind, at, button.mapToGlobal(QPoint(5, 5)).toPointF(), left, left, none)
        QCoreApplication.postEvent(button, event)


async def test_input_paint_and_timers_arrive_while_the_queue_is_never_empty(qtbot: QtBot, until: Until) -> None:
    button, canvas, clicks, ticks = QPushButton(), Canvas(), list[bool](), list[float]()
    for widget in (button, canvas):
        qtbot.addWidget(widget)
        widget.show()
    button.clicked.connect(lambda: clicks.append(True))
    clock = QTimer(canvas)
    clock.timeout.connect(lambda: ticks.append(time.monotonic()))
    clock.start(5)

    async def never_rest() -> None:
        while True:  # noqa: ASYNC110  # not to wait is the point
            await asyncio.sleep(0)

    busy = [asyncio.create_task(never_rest()) for _ in range(10)]

    def is_alive() -> bool:
        press(button)
        canvas.update()
        return len(clicks) >= 5 and canvas.painted >= 5 and len(ticks) >= 10

    await until(is_alive)
    for task in busy:
        task.cancel()


async def test_many_slow_callbacks_at_once_leave_qt_its_turns_in_between(until: Until) -> None:
    loop, turns, done = asyncio.get_running_loop(), list[int](), list[int]()

    def dawdle(at: int) -> None:
        time.sleep(0.002)
        done.append(at)

    clock = QTimer()
    clock.timeout.connect(lambda: turns.append(len(done)))
    clock.start(0)
    for at in range(50):
        loop.call_soon(dawdle, at)
    await until(lambda: len(done) == 50)
    assert done == list(range(50))
    assert len(set(turns)) >= 10


async def test_a_callback_that_a_slot_adds_runs_although_the_loop_waits() -> None:
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    QTimer.singleShot(10, lambda: loop.call_soon(done.set_result, None))
    await asyncio.wait_for(done, 20)


async def test_a_timer_that_a_slot_makes_comes_although_the_loop_waits_for_another() -> None:
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    QTimer.singleShot(10, lambda: loop.call_later(0.01, done.set_result, None))
    began = loop.time()
    await asyncio.wait_for(done, 20)
    assert loop.time() - began < 10


async def test_a_timer_that_a_slot_cancels_leaves_although_the_loop_waits(until: Until) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    handles, left = [loop.call_later(600, int) for _ in range(100)], list[int]()

    def slot() -> None:
        for handle in handles:
            handle.cancel()

    QTimer.singleShot(10, slot)
    QTimer.singleShot(100, lambda: left.append(sum(handle.cancelled() for handle in loop._scheduled)))
    await until(lambda: left)
    assert left == [0]


async def test_tasks_go_on_in_a_qt_loop_that_a_task_nests(qtbot: QtBot) -> None:
    ticks = list[int]()

    async def tick() -> None:
        for at in range(5):
            await asyncio.sleep(0.001)
            ticks.append(at)

    task = asyncio.create_task(tick())
    me = asyncio.current_task()
    qtbot.waitUntil(lambda: len(ticks) == 5, timeout=20_000)
    assert asyncio.current_task() is me
    await task
    await asyncio.sleep(0.001)
    assert asyncio.current_task() is me


async def test_a_wait_for_a_qt_signal_may_be_answered_by_a_task(qtbot: QtBot) -> None:
    class Bell(QObject):
        rung = Signal()

    async def ring() -> None:
        await asyncio.sleep(0.005)
        bell.rung.emit()

    bell = Bell()
    task = asyncio.create_task(ring())
    with qtbot.waitSignal(bell.rung, timeout=20_000):
        pass
    await task


async def test_tasks_go_on_while_a_slot_has_a_dialog_of_its_own_loop(qtbot: QtBot, until: Until) -> None:
    dialog, answers, ticks = QDialog(), list[int](), list[int]()
    qtbot.addWidget(dialog)
    QTimer.singleShot(0, lambda: answers.append(dialog.exec()))
    await until(dialog.isVisible)
    for at in range(5):
        await asyncio.sleep(0.001)
        ticks.append(at)
    assert ticks == [0, 1, 2, 3, 4]
    assert answers == []
    dialog.accept()
    await until(lambda: answers == [1])


async def test_a_task_may_be_cancelled_from_within_the_qt_loop_that_it_nests() -> None:
    async def nest() -> None:
        inner = QEventLoop()
        asyncio.get_running_loop().call_later(0.005, inner.quit)
        inner.exec()
        await asyncio.sleep(60)

    task = asyncio.create_task(nest())
    asyncio.get_running_loop().call_later(0.002, task.cancel)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 20)


def test_the_loop_may_stop_within_a_qt_loop_that_a_task_nests(loop_factory: Callable[[], Loop]) -> None:
    async def main() -> str:
        inner = QEventLoop()
        asyncio.get_running_loop().call_later(0.002, asyncio.get_running_loop().stop)
        inner.exec()  # ended by the stop
        return "done"

    with contextlib.closing(loop_factory()) as loop:
        assert loop.run_until_complete(main()) == "done"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="constants are immortal there")
def test_calls_and_signals_lose_no_reference_to_a_constant() -> None:
    """PySide6 6.12.0 on Python 3.11 loses one at each call, and aborts when none is left."""

    class Sender(QObject):
        plain = Signal()
        told = Signal(object)

    sender, widget, seen = Sender(), QWidget(), list[object]()
    sender.plain.connect(lambda: None)
    sender.told.connect(seen.append)
    constants = (None, True, False)
    before = [sys.getrefcount(constant) for constant in constants]
    for turn in range(20_000):
        sender.plain.emit()
        sender.told.emit(turn % 2 == 0)
        widget.setEnabled(turn % 2 == 0)
        widget.isEnabled()
        QCoreApplication.processEvents()
    assert seen[:2] == [True, False]
    seen.clear()
    drifts = [sys.getrefcount(constant) - count for constant, count in zip(constants, before, strict=True)]
    assert max(map(abs, drifts)) < 1000
