"""The console output of user code, on its way out of the worker.

It is sent while the code runs, so that it survives if the worker has to be killed: the first lines singly, floods in
pieces.
"""

import time
from collections.abc import Callable
from typing import Any

from core.domain.console import CONSOLE_BYTES, CONSOLE_LINE_BYTES
from core.domain.text.masking import masked_text

_ONE_BY_ONE = 200
_PIECE_BYTES = 8 * 1024
_PIECE_S = 0.05


class ConsoleWriter:
    """The console of a run. `send` receives messages {console: [[level, text], …], cut?}.

    At most CONSOLE_BYTES of UTF-8 are kept, and each line counts CONSOLE_LINE_BYTES more: the rest is dropped, and the
    last message is marked. Secrets are masked.
    """

    def __init__(self, send: Callable[[dict[str, Any]], object]) -> None:
        self._send = send
        self._room = CONSOLE_BYTES
        self._lines = 0
        self._waiting: list[tuple[str, str]] = []
        self._waiting_bytes = 0
        self._sent_at = 0.0
        self._is_cut = False

    def write(self, level: str, text: str) -> bool:
        """Add a line. Returns False if there is no room for another."""
        if self._is_cut:
            return False
        encoded = masked_text(text).encode()
        room = self._room - CONSOLE_LINE_BYTES
        self._is_cut = len(encoded) > room
        if room > 0 or not self._is_cut:
            self._take(level, encoded[:room].decode(errors="ignore"), min(len(encoded), room) + CONSOLE_LINE_BYTES)
        if self._is_cut:
            self.flush()
        return not self._is_cut

    def flush(self) -> None:
        """Send pending lines."""
        if self._waiting or self._is_cut:
            self._send({"console": self._waiting, **({"cut": True} if self._is_cut else {})})
        self._waiting, self._waiting_bytes, self._sent_at = [], 0, time.monotonic()

    def _take(self, level: str, text: str, size: int) -> None:
        self._lines += 1
        self._room -= size
        self._waiting.append((level, text))
        self._waiting_bytes += size
        is_calm = self._lines <= _ONE_BY_ONE or time.monotonic() - self._sent_at > _PIECE_S
        if is_calm or self._waiting_bytes > _PIECE_BYTES:
            self.flush()
