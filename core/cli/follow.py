"""Follows a run on stdout: events as lines, text as it streams, and the line at its end."""

import asyncio
from collections import deque
from collections.abc import Coroutine
from typing import Any

from core.app import Core
from core.bus import Bus
from core.cli.output import write_line, write_text
from core.domain.events import Event, EventsPersisted, RunPaused, TokenReceived, to_wire
from core.domain.ids import RunId
from core.domain.run import RunStatus
from core.errors import Refused
from core.services.outcome import unwrap


class EventPrinter:
    """Prints every event of this process as a JSON line, once it is on disk.

    Streamed text and a pause are printed as they come, but never before a stored event with a lower number.
    """

    def __init__(self, bus: Bus) -> None:
        self._seen: dict[str, int] = {}
        self._waiting: deque[Event] = deque()
        bus.subscribe(EventsPersisted, self._on_persisted)
        bus.subscribe(Event, self._on_event)

    def _on_persisted(self, message: EventsPersisted) -> None:
        for event in message.events:
            if event.fact.stored:
                self._seen[event.run_id] = event.seq
                write_line(to_wire(event))
        # their stored predecessors may be printed by now
        waiting, self._waiting = self._waiting, deque()
        for event in waiting:
            self._on_event(event)

    def _on_event(self, event: Event) -> None:
        if event.fact.stored:
            return
        if isinstance(event.fact, RunPaused) or event.seq <= self._seen.get(event.run_id, 0):
            write_line(to_wire(event))
        else:
            self._waiting.append(event)


class TextPrinter:
    """Prints the text of a chat as it streams."""

    def __init__(self, bus: Bus) -> None:
        self.has_written = False
        bus.subscribe(Event, self._on_event)

    def _on_event(self, event: Event) -> None:
        if isinstance(event.fact, TokenReceived):
            self.has_written = True
            write_text(event.fact.text)

    def end(self) -> None:
        """End the last line."""
        if self.has_written:
            write_text("\n")


class PauseWatch:
    """Watches for a store that can no longer be written; `reason` is the error code then."""

    def __init__(self, bus: Bus) -> None:
        self.reason: str | None = None
        self._paused = asyncio.Event()
        bus.subscribe(Event, self._on_event)

    async def unless(self, work: Coroutine[Any, Any, object]) -> None:
        """Wait for the work, but only as long as the store can be written. Raises the exception of the work."""
        tasks = [asyncio.ensure_future(work), asyncio.ensure_future(self._paused.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if tasks[0].done():
                tasks[0].result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _on_event(self, event: Event) -> None:
        if isinstance(event.fact, RunPaused):
            self.reason = event.fact.reason
            self._paused.set()


async def attend(core: Core, run_id: RunId) -> dict[str, Any]:
    """Wait for the run and return its last line. If this is cancelled (Ctrl+C, SIGTERM), it cancels the run first.

    If the store can no longer be written the run is reported as `paused`; `resume` continues it.
    """
    pause = PauseWatch(core.bus)
    try:
        await pause.unless(core.engine.wait(run_id))
    # Ctrl+C or SIGTERM: the run ends as cancelled, and is still printed
    except asyncio.CancelledError:
        await pause.unless(core.engine.cancel(run_id))
    line = unwrap(await core.runs.describe(run_id))
    if pause.reason is not None:
        error = Refused(pause.reason, "the store cannot be written; the run stays for `resume`")
        line |= {"status": RunStatus.PAUSED, "error": error.as_dict()}
    return line
