"""Tasks of the window, each with an owner; uncaught errors all go to one presenter."""

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QFileDialog
from shiboken6 import isValid

log = logging.getLogger(__name__)

T = TypeVar("T")

Spawn = Callable[[Coroutine[Any, Any, None], str], object]
"""Starts a task that has an owner; the text names the task."""

Report = Callable[[BaseException], object]
"""The presenter of errors. It is called in the loop's thread, and must not raise."""


class Tasks:
    """Owns tasks of the running loop: keeps references, reports their errors, and cancels them when closed.

    A QObject as `owner` keeps this object alive in turn; when it is destroyed, the tasks are cancelled.
    """

    def __init__(self, report: Report, owner: QObject | None = None) -> None:
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_open = True
        if owner is not None:
            owner.destroyed.connect(partial(Tasks.cancel, self))  # Qt holds a bound method weakly

    @property
    def is_open(self) -> bool:
        """Whether `spawn` still starts tasks."""
        return self._is_open

    def spawn(self, coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Start a task. Its error is reported, whether or not the task is awaited.

        Raises RuntimeError once this is closed or the owner destroyed.
        """
        if not self._is_open:
            coroutine.close()
            raise RuntimeError(f"the owner of the task {name!r} is gone")
        task = self._loop.create_task(coroutine, name=name)  # Qt may deliver an event while no loop runs
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    def cancel(self) -> None:
        """Cancel all tasks and start no more."""
        self._is_open = False
        for task in tuple(self._tasks):
            task.cancel()

    async def close(self) -> None:
        """Cancel all tasks, start no more, and return when they have ended and their errors are reported.

        A task that calls this is not cancelled itself.
        """
        self._is_open = False
        others = {task for task in self._tasks if task is not asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others)

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not isinstance(error, (SystemExit, KeyboardInterrupt)):  # these end the loop
            self._report(error)


def report_uncaught(loop: asyncio.AbstractEventLoop, report: Report) -> Callable[[], None]:
    """Report uncaught errors in callbacks and lost tasks of the loop and in Qt's slots. Returns the undo.

    Called in the loop's thread. Messages of the loop without an exception are logged.
    """
    loop_thread = threading.get_ident()
    former_handler, former_hook = loop.get_exception_handler(), sys.excepthook

    def on_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is None:
            loop.default_exception_handler(context)
        else:
            report(error)

    def on_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, (SystemExit, KeyboardInterrupt)):
            former_hook(kind, error, trace)
        elif threading.get_ident() == loop_thread:
            report(error)
        else:
            loop.call_soon_threadsafe(report, error)

    def undo() -> None:
        loop.set_exception_handler(former_handler)
        sys.excepthook = former_hook

    loop.set_exception_handler(on_loop_error)
    sys.excepthook = on_error
    return undo


async def finished(dialog: QDialog) -> int:
    """Open the dialog and return its result when it is closed; for a message box, the button as a number.

    Other tasks go on, unlike with `exec()`. A destroyed dialog counts as rejected. Cancelling the wait rejects the
    dialog.
    """
    result: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def settle(value: int) -> None:
        if not result.done():
            result.set_result(value)

    def settle_rejected() -> None:
        settle(QDialog.DialogCode.Rejected.value)

    dialog.finished.connect(settle)
    dialog.destroyed.connect(settle_rejected)
    dialog.open()
    try:
        return await result
    finally:
        if isValid(dialog):
            dialog.finished.disconnect(settle)
            dialog.destroyed.disconnect(settle_rejected)
            if result.cancelled():
                dialog.reject()


async def chosen_file(dialog: QFileDialog) -> Path | None:
    """Open the dialog and return the file that the user chooses, None if it is cancelled. It is deleted soon."""
    try:
        is_accepted = await finished(dialog) == QDialog.DialogCode.Accepted
        return Path(dialog.selectedFiles()[0]) if is_accepted else None
    finally:
        if isValid(dialog):  # the window may have gone, and the dialog with it
            dialog.deleteLater()
