"""How long the calls of a server take."""

import math
from collections import deque

KEPT = 200


class Latency:
    """Of the last answered calls, in milliseconds."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=KEPT)
        self.calls = 0

    def add(self, ms: float) -> None:
        self._last.append(ms)
        self.calls += 1

    def percentile(self, percent: int) -> int | None:
        """The time that so many of a hundred calls did not exceed (nearest rank); None before the first."""
        if not self._last:
            return None
        ranked = sorted(self._last)
        return round(ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)])
