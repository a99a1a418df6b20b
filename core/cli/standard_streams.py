"""Stdin and stdout for a protocol of lines: no other code in the process can read or write them.

Both are served by daemon threads, which may stay blocked: the end of the process need not wait for the other end.
"""

import asyncio
import os
import queue
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, Self

CHUNK_BYTES = 65_536
MAX_LINE_BYTES = 32_000_000


class LineTooLong(Exception):  # no error of ours: the other end broke the rules
    """A line of more than 32 MB was dropped."""


class StandardStreams:
    """A context manager on the running loop. While it is open `print` goes to stderr, and stdin is empty for other
    code.

    Once the reader of stdout is gone, input ends as well.
    """

    def __enter__(self) -> Self:
        sys.stdout.flush()
        self._in, self._out = os.dup(0), os.dup(1)
        _set_binary_mode(self._in, self._out)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        # a stray `print` of a library goes to stderr
        os.dup2(2, 1)
        self._reader, self._writer = _WorkerThread("stdin"), _WorkerThread("stdout")
        self._broken = asyncio.Event()
        return self

    def __exit__(self, *exception: object) -> None:
        os.dup2(self._out, 1)  # the copies stay open: a thread may still be at one

    @property
    def is_broken(self) -> bool:
        """Whether the reader of stdout is gone."""
        return self._broken.is_set()

    async def lines(self) -> AsyncIterator[str | LineTooLong]:
        """Yield the incoming lines without their ends, skipping empty lines; the last line may lack its end."""
        line_bytes = bytearray()
        is_too_long = False
        is_open = True
        while is_open:
            piece = await self._piece()
            is_open = bool(piece)
            *ended, rest = (piece or b"\n").split(b"\n")
            for part in ended:
                line_bytes += part
                if is_too_long or len(line_bytes) > MAX_LINE_BYTES:
                    yield LineTooLong()
                elif line := line_bytes.decode("utf-8", "replace").strip():
                    yield line
                is_too_long = False
                line_bytes.clear()
            line_bytes += rest
            if len(line_bytes) > MAX_LINE_BYTES:
                is_too_long = True
                line_bytes.clear()

    async def write(self, text: str) -> None:
        """Return when the text is written, or when the reader is gone."""
        if self._broken.is_set():
            return
        try:
            await self._writer.do(lambda: _write_all(self._out, text.encode("utf-8", "backslashreplace")))
        except OSError:
            self._broken.set()

    async def _piece(self) -> bytes:
        """Return the next chunk; empty at the end."""
        # a read cannot be interrupted, so that the wait ends when the reader is gone
        reading = asyncio.ensure_future(self._reader.do(lambda: os.read(self._in, CHUNK_BYTES)))
        broken = asyncio.ensure_future(self._broken.wait())
        try:
            await asyncio.wait({reading, broken}, return_when=asyncio.FIRST_COMPLETED)
            return reading.result() if reading.done() else b""
        except OSError:
            return b""
        finally:
            reading.cancel()
            broken.cancel()


class _WorkerThread:
    """A thread that does one thing at a time. The end of the process does not wait for it."""

    def __init__(self, name: str) -> None:
        self._todo: queue.SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]]] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    async def do(self, act: Callable[[], Any]) -> Any:
        done: asyncio.Future[Any] = self._loop.create_future()
        self._todo.put((act, done))
        return await done

    def _work(self) -> None:
        while True:
            act, done = self._todo.get()
            value, error = None, None
            try:
                value = act()
            except OSError as caught:
                error = caught
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(_settle, done, value, error)


def _settle(done: "asyncio.Future[Any]", value: Any, error: OSError | None) -> None:
    if done.done():  # the waiter was cancelled
        return
    if error is None:
        done.set_result(value)
    else:
        done.set_exception(error)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _set_binary_mode(*descriptors: int) -> None:
    """Leave line ends unchanged, on Windows too."""
    if sys.platform == "win32":
        import msvcrt

        for descriptor in descriptors:
            msvcrt.setmode(descriptor, os.O_BINARY)
