"""The health of a server: its circuit breaker, the latency of its calls, and why it cannot be used (AGENTS_AND_TOOLS
§7).
"""

import math
from collections import deque
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core.domain.run import ErrorInfo
from core.domain.text.hidden import printed_text
from core.errors import MetierError, ToolFailed
from core.tools.mcp.launch import SecretMask

MAX_FAILURES = 3
OPEN_S = 60.0
FIRST_BACKOFF_S = 0.5


@dataclass(slots=True)
class Breaker:
    """A circuit breaker with backoff. After a failure there is a pause, doubled after the next; after the third, calls
    fail at once for 60 s. Then a single start is tried: another failure opens the breaker again, an answered call
    resets it. Times are monotonic.
    """

    failures: int = 0
    failed_at: float = 0.0

    def record_failure(self, now: float) -> None:
        self.failures += 1
        self.failed_at = now

    def record_success(self) -> None:
        self.failures = 0

    def is_open(self, now: float) -> bool:
        """Return whether calls fail without being tried."""
        return self.failures >= MAX_FAILURES and now - self.failed_at < OPEN_S

    def open_for_s(self, now: float) -> float:
        """Return how long the breaker stays open."""
        return max(0.0, OPEN_S - (now - self.failed_at))

    def pause_s(self, now: float) -> float:
        """Return how long to wait before the next start."""
        if not 0 < self.failures < MAX_FAILURES:
            return 0.0
        return max(0.0, FIRST_BACKOFF_S * 2.0 ** (self.failures - 1) - (now - self.failed_at))


LATENCY_SAMPLES = 200


class Latency:
    """The latency of the last answered calls, in milliseconds."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=LATENCY_SAMPLES)
        self.calls = 0

    def add(self, ms: float) -> None:
        self._last.append(ms)
        self.calls += 1

    def percentile(self, percent: int) -> int | None:
        """Return the percentile (nearest rank); None before the first call."""
        if not self._last:
            return None
        ranked = sorted(self._last)
        return round(ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)])


LOG_LINES = 500
MAX_LAST_LINES = 5
STARTED = "(started)"


class ServerLog:
    """The last lines of a server's stderr, its log messages and its starts and ends, without secrets."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LOG_LINES)

    @property
    def lines(self) -> list[str]:
        return list(self._lines)

    def note(self, line: str, mask: SecretMask) -> None:
        # Before the secrets are hidden: codes in the middle of a secret would hide it from the mask.
        for part in printed_text(line).splitlines()[:50]:
            self._lines.append(mask.hide_all(part)[:2000])

    def last_lines(self) -> list[str]:
        """Return the last lines of the server's own output in its last session."""
        lines: list[str] = []
        for line in reversed(self._lines):
            if line == STARTED or len(lines) == MAX_LAST_LINES:
                break
            if not line.startswith("("):
                lines.append(line)
        return lines[::-1]


class StartFailed(Exception):
    """A server could not be started. `cause` is stable: `command_not_found`, `bad_folder`, `not_started`, `exited`,
    `silent`, `not_mcp`, `protocol`, `unreachable`, `refused`. `message` continues after the name of the server.
    """

    def __init__(self, cause: str, message: str, **parameters: Any) -> None:
        super().__init__(message)
        self.cause = cause
        self.message = message
        self.parameters = parameters


class ConnectionLost(Exception):
    """The server exited, or its connection broke, while it was needed. `was_refused`: the call did not reach it."""

    def __init__(self, *, was_refused: bool = False) -> None:
        super().__init__()
        self.was_refused = was_refused


def exit_reason(exit_code: int | None, reason: str | None = None) -> str:
    """Return how a server ended, to continue after its name. `reason` is its transport's own."""
    if reason is not None:
        return reason
    if exit_code is None:
        return "closed its connection"
    if exit_code < 0:
        return f"was ended by signal {-exit_code}"
    return f"ended with exit code {exit_code}"


def with_last_lines(message: str, lines: list[str]) -> str:
    """Return the message with the last lines of the program's output."""
    return f"{message}. Its last output: {' | '.join(lines)}" if lines else message


def failure_at(error: MetierError, now: datetime) -> ErrorInfo:
    """Return a failure of a server with its time, so that it can be shown later."""
    failure = ErrorInfo.of(error)
    return replace(failure, parameters={**failure.parameters, "at": now.isoformat(timespec="seconds")})


def call_failure(message: str, **parameters: Any) -> ToolFailed:
    """Return the failure of a call that a server cannot take now."""
    return ToolFailed("failed", message, **{name: value for name, value in parameters.items() if value is not None})
