"""Tasks have owners, errors reach the presenter, and a dialog is awaited."""

import asyncio
import gc
import logging
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable

import pytest
import shiboken6
from PySide6.QtCore import SIGNAL, QObject, QTimer, Signal
from PySide6.QtWidgets import QDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from desktop.aio import Tasks, finished, report_uncaught

Until = Callable[[Callable[[], object]], Awaitable[None]]


class Presenter:
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def __call__(self, error: BaseException) -> None:
        self.errors.append(f"{type(error).__name__}: {error}")


@pytest.fixture
def presenter() -> Presenter:
    return Presenter()


async def fail() -> None:
    await asyncio.sleep(0)
    raise ValueError("on purpose")


# Owners


async def test_an_owner_keeps_its_tasks_alive_until_they_end(presenter: Presenter) -> None:
    class Gate:
        """Nobody but the task that waits for it holds it."""

        def __init__(self) -> None:
            self.opened = asyncio.get_running_loop().create_future()

    async def wait(gate: Gate) -> None:
        gates.append(weakref.ref(gate))
        await gate.opened
        passed.append(True)

    gates, passed = list[weakref.ref[Gate]](), list[bool]()
    tasks = Tasks(presenter)
    tasks.spawn(wait(Gate()), "wait")
    await asyncio.sleep(0)
    gc.collect()
    gate = gates[0]()
    assert gate is not None
    gate.opened.set_result(None)
    await asyncio.sleep(0.01)
    assert passed == [True]
    del gate
    gc.collect()
    assert gates[0]() is None


async def test_the_error_of_a_task_is_reported_and_the_others_go_on(presenter: Presenter) -> None:
    tasks = Tasks(presenter)
    other = tasks.spawn(asyncio.sleep(0.01, "done"), "other")
    tasks.spawn(fail(), "fail")
    assert await other == "done"
    assert presenter.errors == ["ValueError: on purpose"]


async def test_who_awaits_a_task_gets_its_error_too(presenter: Presenter) -> None:
    task = Tasks(presenter).spawn(fail(), "fail")
    with pytest.raises(ValueError, match="on purpose"):
        await task
    assert presenter.errors == ["ValueError: on purpose"]


async def test_a_task_has_the_name_that_was_given(presenter: Presenter) -> None:
    tasks = Tasks(presenter)
    assert tasks.spawn(asyncio.sleep(60), "load messages").get_name() == "load messages"
    await tasks.close()


async def test_closing_cancels_the_tasks_and_waits_for_their_ends(presenter: Presenter) -> None:
    ended = list[str]()

    async def leave_slowly() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            ended.append("slowly")

    async def leave_badly() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise ValueError("at the end")

    tasks = Tasks(presenter)
    tasks.spawn(leave_slowly(), "slowly")
    tasks.spawn(leave_badly(), "badly")
    await asyncio.sleep(0)
    await tasks.close()
    assert ended == ["slowly"]
    assert presenter.errors == ["ValueError: at the end"]
    await tasks.close()


async def test_a_task_may_close_its_owner_and_goes_on(presenter: Presenter) -> None:
    async def shut_down() -> str:
        await tasks.close()
        await asyncio.sleep(0)
        return "shut down"

    tasks = Tasks(presenter)
    other = tasks.spawn(asyncio.sleep(60), "other")
    assert await tasks.spawn(shut_down(), "shut down") == "shut down"
    assert other.cancelled()


async def test_a_closed_owner_starts_nothing(presenter: Presenter) -> None:
    tasks = Tasks(presenter)
    await tasks.close()
    with pytest.raises(RuntimeError, match="'late' is gone"):
        tasks.spawn(fail(), "late")
    assert presenter.errors == []


@pytest.mark.parametrize("how", ["delete", "delete later", "with its parent", "forget"])
async def test_the_tasks_of_a_widget_are_cancelled_when_it_is_destroyed(presenter: Presenter, how: str) -> None:
    parent = QWidget()
    widget = QWidget(None if how == "forget" else parent)
    task = Tasks(presenter, widget).spawn(asyncio.sleep(60), "of the widget")
    await asyncio.sleep(0)
    match how:
        case "delete":
            shiboken6.delete(widget)
        case "delete later":
            widget.deleteLater()
        case "with its parent":
            shiboken6.delete(parent)
    del widget
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 20)


async def test_the_tasks_of_a_widget_that_is_gone_refuse_more(presenter: Presenter) -> None:
    widget = QWidget()
    tasks = Tasks(presenter, widget)
    shiboken6.delete(widget)
    with pytest.raises(RuntimeError, match="is gone"):
        tasks.spawn(fail(), "late")


async def test_a_destroyed_widget_leaves_its_tasks_to_be_freed(qapp: object, presenter: Presenter) -> None:
    widget = QWidget()
    tasks = Tasks(presenter, widget)
    gone = weakref.ref(tasks)
    del tasks
    assert gone() is not None
    del widget
    assert gone() is None


# Errors that nobody caught


async def test_the_presenter_hears_of_callbacks_lost_tasks_and_slots(presenter: Presenter) -> None:
    class Sender(QObject):
        sent = Signal()

    loop, hook = asyncio.get_running_loop(), sys.excepthook
    handler = loop.get_exception_handler()
    undo = report_uncaught(loop, presenter)
    sender = Sender()
    sender.sent.connect(lambda: int("slot"))
    loop.call_soon(int, "callback")
    sender.sent.emit()
    lost = asyncio.Task(fail(), loop=loop)
    await asyncio.sleep(0.01)
    del lost
    gc.collect()
    undo()
    assert sorted(presenter.errors) == [
        "ValueError: invalid literal for int() with base 10: 'callback'",
        "ValueError: invalid literal for int() with base 10: 'slot'",
        "ValueError: on purpose",
    ]
    assert sys.excepthook is hook
    assert loop.get_exception_handler() is handler


async def test_what_the_loop_tells_without_an_error_is_logged(
    presenter: Presenter, caplog: pytest.LogCaptureFixture
) -> None:
    loop = asyncio.get_running_loop()
    undo = report_uncaught(loop, presenter)
    with caplog.at_level(logging.ERROR):
        loop.call_exception_handler({"message": "something odd"})
    undo()
    assert presenter.errors == []
    assert "something odd" in caplog.text


async def test_an_error_of_another_thread_is_reported_in_the_loops_thread() -> None:
    threads = list[threading.Thread]()
    undo = report_uncaught(asyncio.get_running_loop(), lambda _: threads.append(threading.current_thread()))
    error = ValueError("in a thread")
    await asyncio.to_thread(lambda: sys.excepthook(ValueError, error, None))
    await asyncio.sleep(0.01)
    undo()
    assert threads == [threading.current_thread()]


async def test_orders_to_end_are_not_presented(presenter: Presenter, monkeypatch: pytest.MonkeyPatch) -> None:
    passed_on = list[type[BaseException]]()
    monkeypatch.setattr(sys, "excepthook", lambda kind, *_: passed_on.append(kind))
    undo = report_uncaught(asyncio.get_running_loop(), presenter)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    undo()
    assert passed_on == [KeyboardInterrupt]
    assert presenter.errors == []


# Dialogs


async def test_a_dialog_is_awaited_while_the_tasks_go_on(qtbot: QtBot) -> None:
    dialog, ticks = QDialog(), list[int]()
    qtbot.addWidget(dialog)

    async def tick() -> None:
        for at in range(3):
            await asyncio.sleep(0.001)
            ticks.append(at)
        dialog.accept()

    task = asyncio.create_task(tick())
    assert await finished(dialog) == QDialog.DialogCode.Accepted.value
    assert ticks == [0, 1, 2]
    await task


async def test_a_dialog_can_be_awaited_again_and_nothing_stays_connected(qtbot: QtBot) -> None:
    dialog, connected = QDialog(), list[int]()
    qtbot.addWidget(dialog)
    for end, result in ((dialog.accept, 1), (dialog.reject, 0), (dialog.close, 0)):
        QTimer.singleShot(0, end)
        assert await finished(dialog) == result
        connected.append(dialog.receivers(SIGNAL("finished(int)")) + dialog.receivers(SIGNAL("destroyed()")))
    assert len(set(connected)) == 1


@pytest.mark.qt_log_ignore("propagateSizeHints")  # which there is no screen for
async def test_a_message_box_gives_the_button_that_was_pressed(qtbot: QtBot) -> None:
    buttons = QMessageBox.StandardButton
    box = QMessageBox(QMessageBox.Icon.Question, "Stop", "Stop the run?", buttons.Yes | buttons.No)
    qtbot.addWidget(box)
    QTimer.singleShot(0, box.button(buttons.Yes).click)
    assert await finished(box) == buttons.Yes.value


async def test_a_dialog_that_is_destroyed_counts_as_rejected(until: Until) -> None:
    parent = QWidget()
    dialog = QDialog(parent)
    task = asyncio.create_task(finished(dialog))
    await until(dialog.isVisible)
    shiboken6.delete(parent)
    assert await asyncio.wait_for(task, 20) == QDialog.DialogCode.Rejected.value


async def test_who_stops_waiting_for_a_dialog_closes_it(qtbot: QtBot, until: Until) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    task = asyncio.create_task(finished(dialog))
    await until(dialog.isVisible)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not dialog.isVisible()
