"""What a command prints and returns: JSON lines and streamed text on stdout, and exit codes (COMMAND_LINE).

Lines are ASCII, so that no terminal and no lone surrogate can break a line. A closed pipe does not stop the work.
"""

import asyncio
import json
import os
import sys
from collections import deque
from collections.abc import Coroutine, Mapping
from typing import Any

from core.agents.answers import CUT_OFF_MARKS, PARAGRAPH
from core.app import Core
from core.bus import Bus
from core.domain.events import Event, EventsPersisted, MessageAdded, RunPaused, TokenReceived, to_wire
from core.domain.ids import RunId
from core.domain.messages import Role
from core.domain.run import RunStatus
from core.domain.text.hidden import terminal_text
from core.errors import MetierError, Refused
from core.services.key_check import KEY_MISSING
from core.services.outcome import unwrap


def write_line(value: Any) -> None:
    """Write a JSON value as a line to stdout."""
    write_text(_line(value))


def write_error_line(value: Any) -> None:
    """Write a JSON value as a line to stderr."""
    sys.stderr.write(_line(value))


def write_text(text: str) -> None:
    """Write text to stdout and flush it. What a terminal would obey becomes marks, what it cannot show escapes."""
    encoding, text = sys.stdout.encoding or "utf-8", terminal_text(text)
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    # also for later writes, and for the flush at the end of the process
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


SUCCESS = 0
FAILED = 1
USAGE = 2
WAITING = 3
STORE = 4
CANCELLED = 130

_EXIT_CODES = {
    RunStatus.SUCCESS: SUCCESS,
    RunStatus.ERROR: FAILED,
    RunStatus.CANCELLED: CANCELLED,
    RunStatus.WAITING: WAITING,
    RunStatus.PAUSED: STORE,
}

_STORE_ERRORS = frozenset(
    {"in_use", "store_doubtful", "storage_not_writable", "storage_not_readable", "storage_full", "storage_failed"}
    | {"storage_moved", "storage_stalled"}
)


def failure_exit_code(error: MetierError) -> int:
    """Return the exit code of a command that ends without a run to show."""
    if error.code == KEY_MISSING:
        return WAITING
    return STORE if error.code in _STORE_ERRORS else USAGE


def run_exit_code(line: Mapping[str, Any]) -> int:
    """Return the exit code of a run from its last line; a run that has neither ended nor waits is left for `resume`."""
    if needs_key(line):
        return WAITING
    return _EXIT_CODES.get(RunStatus(line["status"]), STORE)


def needs_key(line: Mapping[str, Any]) -> bool:
    """Return whether the run stays enqueued until the key of its model exists."""
    return line["status"] == RunStatus.ENQUEUED and (line["error"] or {}).get("code") == KEY_MISSING


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
    """Prints the text of a chat as it streams, with a mark where it was cut off, or was reasoning after all."""

    def __init__(self, bus: Bus) -> None:
        self._has_written = False
        self._length = 0
        bus.subscribe(Event, self._on_event, (TokenReceived, MessageAdded))

    def _on_event(self, event: Event) -> None:
        fact = event.fact
        if isinstance(fact, TokenReceived):
            self._has_written, self._length = True, fact.offset + len(fact.text)
            write_text(fact.text)
        elif isinstance(fact, MessageAdded) and fact.role is Role.ASSISTANT and len(fact.text) < self._length:
            self._length = len(fact.text)
            if not fact.interrupted:
                write_text("\n\n[The text above was reasoning.]\n\n")

    def end(self, output: object) -> None:
        """End the last line. `output` is that of the run, which has the mark of a text that was cut off."""
        if not self._has_written:
            return
        mark = output.rpartition(PARAGRAPH)[2] if isinstance(output, str) else ""
        write_text(f"{PARAGRAPH}{mark}\n" if mark in CUT_OFF_MARKS.values() else "\n")


class PauseWatch:
    """Watches for a store that can no longer be written; `reason` is the error code then."""

    def __init__(self, bus: Bus) -> None:
        self.reason: str | None = None
        self._paused = asyncio.Event()
        bus.subscribe(Event, self._on_event, (RunPaused,))

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
