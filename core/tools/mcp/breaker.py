"""How often a server that fails is tried again (AGENTS_AND_TOOLS §7)."""

from dataclasses import dataclass

FAILURES = 3
OPEN_S = 60.0
FIRST_PAUSE_S = 0.5


@dataclass(slots=True)
class Breaker:
    """After a failure there is a pause, twice as long after the next; after the third, calls fail at once for 60 s.
    Then one start is tried: another failure opens it again, an answered call forgets all. Times are monotonic.
    """

    failures: int = 0
    failed_at: float = 0.0

    def failed(self, now: float) -> None:
        self.failures += 1
        self.failed_at = now

    def answered(self) -> None:
        self.failures = 0

    def is_open(self, now: float) -> bool:
        """Whether nothing is tried now."""
        return self.failures >= FAILURES and now - self.failed_at < OPEN_S

    def open_for_s(self, now: float) -> float:
        """For how long nothing is tried."""
        return max(0.0, OPEN_S - (now - self.failed_at))

    def pause_s(self, now: float) -> float:
        """How long to wait before the next start."""
        if not 0 < self.failures < FAILURES:
            return 0.0
        return max(0.0, FIRST_PAUSE_S * 2.0 ** (self.failures - 1) - (now - self.failed_at))
