"""The event loop: asyncio and Qt in one thread, on one Qt timer.

qasync provides the readiness of sockets and pipes: Qt's notifiers, on Windows its proactor. Everything else is
asyncio's own implementation, which qasync replaces by a Qt timer per callback: the ready queue and the heap of timers.
So cancelled timers are removed, a delay may have any length, a context is honoured from every thread; and debug mode,
asynchronous generators, executors and exception handlers work as asyncio documents them (ARCHITECTURE §3).
"""
# ruff: noqa: SLF001  # a loop drives handles and tasks by what asyncio keeps private

import asyncio
import logging
import math
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from heapq import heapify, heappop
from socket import socket
from typing import TYPE_CHECKING, Any, TypeVarTuple

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:

    class QEventLoop(asyncio.SelectorEventLoop):
        """Declares the private parts of qasync and asyncio that this loop relies on."""

        _clock_resolution: float
        _csock: socket
        _current_handle: asyncio.Handle | None
        _debug: bool
        _ready: deque[asyncio.Handle]
        _scheduled: list[asyncio.TimerHandle]
        _signal_handlers: dict[int, asyncio.Handle]
        _stopping: bool
        _timer_cancelled_count: int

        def __init__(self, app: QCoreApplication) -> None: ...
        def _after_run_forever(self) -> None: ...
        def _before_run_forever(self) -> None: ...
        def _check_callback(self, callback: object, method: str) -> None: ...
        def _check_closed(self) -> None: ...
        def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None: ...
else:
    from qasync import QEventLoop  # after PySide6: it takes the binding that is imported already

log = logging.getLogger("asyncio")

Ts = TypeVarTuple("Ts")

SLICE_S = 0.005
"""How long callbacks may go on before Qt gets a turn, to paint and to take input."""

LONGEST_WAIT_S = 0.25 if sys.platform == "win32" else 86_400.0
"""The longest wait of the Qt timer, which counts milliseconds in 31 bits. On Windows a signal does not interrupt
a waiting Qt loop: Python's handlers run with the next Python code, so there has to be some."""

WORKERS = 8

NOW = -math.inf
NEVER = math.inf


class _Bell(QTimer):
    """Emits once in the loop's thread. Any thread may emit `requested`."""

    requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setSingleShot(True)
        self.setTimerType(Qt.TimerType.PreciseTimer)


if sys.platform == "win32":

    class _PlatformLoop(QEventLoop):
        """Signal handlers, which asyncio has on Unix only. Untested: the tests run on Unix."""

        def __init__(self, app: QCoreApplication) -> None:
            self._former: dict[int, Any] = {}
            super().__init__(app)

        def add_signal_handler(self, sig: int, callback: Callable[[*Ts], object], *args: *Ts) -> None:
            self._check_closed()
            former = signal.signal(sig, lambda *_: self.call_soon_threadsafe(callback, *args))
            self._former.setdefault(sig, former)

        def remove_signal_handler(self, sig: int) -> bool:
            if sig not in self._former:
                return False
            signal.signal(sig, self._former.pop(sig))
            return True

        def close(self) -> None:
            super().close()
            for sig in tuple(self._former):
                self.remove_signal_handler(sig)
else:
    _PlatformLoop = QEventLoop


class Loop(_PlatformLoop):
    """An asyncio loop whose `run_forever` runs the Qt application.

    Callbacks run in the order of `call_soon`, for about 5 ms before Qt gets a turn, and only while the loop runs:
    processing Qt's events in between does not run them. A Qt loop nested in a callback goes on with the other
    callbacks; nested in a task, it suspends that task only. SystemExit and KeyboardInterrupt end the run and are raised
    from it. `QCoreApplication.quit` is a `stop`.
    """

    # asyncio's own, which qasync overrides
    run_forever = asyncio.BaseEventLoop.run_forever
    run_until_complete = asyncio.BaseEventLoop.run_until_complete
    is_running = asyncio.BaseEventLoop.is_running
    call_soon = asyncio.BaseEventLoop.call_soon
    call_later = asyncio.BaseEventLoop.call_later
    run_in_executor = asyncio.BaseEventLoop.run_in_executor
    set_default_executor = asyncio.BaseEventLoop.set_default_executor  # type: ignore[assignment]  # as it is in asyncio
    set_exception_handler = asyncio.BaseEventLoop.set_exception_handler
    default_exception_handler = asyncio.BaseEventLoop.default_exception_handler
    call_exception_handler = asyncio.BaseEventLoop.call_exception_handler

    def __init__(self, app: QCoreApplication) -> None:
        self._qt = app
        self._bell = _Bell()
        self._bell.timeout.connect(self._turn)
        self._bell.requested.connect(self._on_requested, Qt.ConnectionType.QueuedConnection)
        self._set_for = NEVER  # when the bell rings, in the loop's time
        self._is_wanted = False
        self._home = threading.get_ident()
        self._fatal: BaseException | None = None
        super().__init__(app)

    def stop(self) -> None:
        """End the run after the callbacks that are ready now, as asyncio's loops do."""
        self._stopping = True
        self._set_bell(NOW)

    def close(self) -> None:
        """Drop everything that is pending. Raises RuntimeError while the loop runs."""
        super().close()
        self._bell.stop()

    # Scheduling

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.BaseEventLoop.call_at(self, when, callback, *args, context=context)
        if when < self._set_for:
            self._set_bell(when)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Schedule a callback from any thread. Raises RuntimeError once the loop is closed."""
        self._check_closed()
        if self._debug:
            self._check_callback(callback, "call_soon_threadsafe")
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        if self.is_closed():  # meanwhile, and maybe after it let go of what was pending
            self._ready.clear()
            self._check_closed()
        self._want_bell()
        return handle

    def _call_soon(
        self, callback: Callable[..., object], args: tuple[Any, ...], context: Context | None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        if self._set_for != NOW:
            self._set_bell(NOW)
        return handle

    def _add_callback(self, handle: asyncio.Handle) -> None:
        """Schedule the handler of a signal that arrived."""
        self._ready.append(handle)
        self._set_bell(NOW)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        super()._timer_handle_cancelled(handle)
        if self._set_for != NOW and self._has_many_cancelled():
            self._set_bell(NOW)

    def _has_many_cancelled(self) -> bool:
        return self._timer_cancelled_count * 2 > len(self._scheduled)

    # Running

    def _set_bell(self, at: float) -> None:
        if self.is_closed():
            return
        if threading.get_ident() != self._home:  # against the rules, but asyncio forgives it
            self._want_bell()
            return
        self._set_for = at
        wait_s = min(max(0.0, at - self.time()), LONGEST_WAIT_S)
        self._bell.start(math.ceil(wait_s * 1000))

    def _want_bell(self) -> None:
        """Set the Qt timer to now, from any thread."""
        if not self._is_wanted:
            self._is_wanted = True
            self._bell.requested.emit()

    def _on_requested(self) -> None:
        self._is_wanted = False
        self._set_bell(NOW)

    def _run_once(self) -> None:
        """Run a whole Qt event loop; `run_forever` repeats this until `stop`."""
        is_main = sys.platform != "win32" and threading.current_thread() is threading.main_thread()
        if is_main:  # a signal makes Qt return to Python, where the handler of Ctrl+C can run
            signal.set_wakeup_fd(self._csock.fileno(), warn_on_full_buffer=False)
        self._set_bell(NOW)
        self._before_run_forever()
        try:
            self._qt.exec()
        finally:
            self._after_run_forever()
            if is_main and not self._signal_handlers:
                signal.set_wakeup_fd(-1)
        self._stopping = True  # also if somebody quit the application
        fatal, self._fatal = self._fatal, None
        if fatal is not None:
            raise fatal

    def _turn(self) -> None:
        """Handle a tick of the Qt timer."""
        if not self.is_running():
            self._set_for = NEVER
            return
        self._set_bell(NOW)  # for a Qt loop nested in a callback
        task = asyncio.current_task(self)  # there is one if this turn is in such a loop
        if task is not None:
            asyncio.tasks._leave_task(self, task)
        try:
            self._run_slice()
        except (SystemExit, KeyboardInterrupt) as error:
            self._fatal = error
            self._stopping = True
        finally:
            if task is not None:
                asyncio.tasks._enter_task(self, task)
        if self._stopping:
            self._bell.stop()
            self._qt.exit()
        else:
            self._collect_due()
            due = self._scheduled[0].when() if self._scheduled else NEVER
            self._set_bell(NOW if self._ready else due)

    def _run_slice(self) -> None:
        """Run the ready callbacks, then the callbacks that these made ready, until none is left or time is up."""
        ready = self._ready
        until = self.time() + SLICE_S
        while True:
            self._collect_due()
            for _ in range(len(ready)):
                if not ready:  # a nested Qt loop ran the others
                    break
                handle = ready.popleft()
                if handle.cancelled():
                    continue
                if self._debug:
                    self._run_watched(handle)
                else:
                    handle._run()
                if self.time() >= until and not self._stopping:
                    return
            if self._stopping or not ready:
                return

    def _run_watched(self, handle: asyncio.Handle) -> None:
        """Run a callback in debug mode, which warns of slow callbacks."""
        outer, self._current_handle = self._current_handle, handle
        owner = getattr(getattr(handle, "_callback", None), "__self__", None)
        began = self.time()
        try:
            handle._run()
        finally:
            self._current_handle = outer
        if (took_s := self.time() - began) >= self.slow_callback_duration:
            log.warning("Executing %r took %.3f seconds", owner if isinstance(owner, asyncio.Task) else handle, took_s)

    def _collect_due(self) -> None:
        """Move due timers to the ready queue. Cancelled timers are removed, at the latest when they are more than half
        of the heap.
        """
        heap = self._scheduled
        if self._has_many_cancelled():
            heap[:] = [handle for handle in heap if not handle.cancelled()]
            heapify(heap)
            self._timer_cancelled_count = 0
        until = self.time() + self._clock_resolution
        while heap and (heap[0].when() < until or heap[0].cancelled()):
            handle = heappop(heap)
            handle._scheduled = False  # type: ignore[attr-defined]  # for asyncio's count of cancelled ones
            if handle.cancelled():
                self._timer_cancelled_count -= 1
            else:
                self._ready.append(handle)


def new_loop(app: QGuiApplication) -> Loop:
    """Return a loop with 8 threads for `to_thread`. It ends with its main coroutine, not with the last window."""
    app.setQuitOnLastWindowClosed(False)
    loop = Loop(app)
    loop.set_default_executor(ThreadPoolExecutor(WORKERS, "worker"))
    return loop


def run(main: Coroutine[Any, Any, int], app: QGuiApplication) -> int:
    """Run the program on a new loop, close the loop, and return the exit code of `main`.

    Raises what `main` raised. Ctrl+C cancels `main`, unless it handles SIGINT, and is raised as KeyboardInterrupt.
    """
    with asyncio.Runner(loop_factory=lambda: new_loop(app)) as runner:
        return runner.run(main)
