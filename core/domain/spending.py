"""What runs have cost, folded from their facts, and what the user has allowed beyond a limit (AGENTS_AND_TOOLS §3)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from math import floor
from typing import Any, Literal, Self

from core.domain.events import (
    Event,
    Fact,
    InterruptionClosed,
    InterruptionRaised,
    RootChanged,
    RunCreated,
    UsageReported,
)
from core.domain.ids import InterruptionId, RunId
from core.domain.interruption import Action, InterruptionKind

SPENDING_FACTS: frozenset[type[Fact]] = frozenset(
    {RunCreated, RootChanged, UsageReported, InterruptionRaised, InterruptionClosed}
)

_LEAST_COST = 1e-9  # sums of floats are not exact


@dataclass(frozen=True, slots=True)
class SpendingRequest:
    """A limit that is reached, and what the user is asked to allow. Amounts are dollars.

    `of` is what the limit is for: the root of a run with its child runs, or a day as `2026-01-31`. `number` counts the
    requests for it that were granted before. `cost` has reached `limit`, the setting with what was granted; `more` is
    asked for.
    """

    scope: Literal["run", "day"]
    of: str
    number: int
    cost: float
    limit: float
    more: float

    def options(self) -> dict[str, Any]:
        """Return it as the options of its interruption."""
        return asdict(self)

    @classmethod
    def parse(cls, options: Any) -> Self | None:
        """Return the request that has these options; None if they are none."""
        try:
            return cls(**options)
        except TypeError:
            return None

    @property
    def key(self) -> tuple[str, int]:
        """The same for requests that one answer settles."""
        return self.of, self.number


class Spending:
    """The known cost of runs and days. The cost of an answer without a price is not known."""

    def __init__(self) -> None:
        self._roots: dict[RunId, RunId] = {}
        self._seen: set[tuple[RunId, int]] = set()
        self._by_run: dict[RunId, float] = defaultdict(float)
        self._by_day: dict[str, float] = defaultdict(float)
        self._granted: dict[str, dict[int, float]] = defaultdict(dict)
        self._open: dict[InterruptionId, tuple[RunId, SpendingRequest]] = {}

    def add(self, event: Event) -> None:
        """Count an event, once however often it comes."""
        match event.fact:
            case RunCreated(root_run_id=root) | RootChanged(root_run_id=root):
                self._roots[event.run_id] = root or event.run_id
            case UsageReported(cost=float(cost)) if cost > 0 and (event.run_id, event.seq) not in self._seen:
                self._seen.add((event.run_id, event.seq))
                self._by_run[event.run_id] += cost
                self._by_day[day_of(event.at)] += cost
            case InterruptionRaised(kind=InterruptionKind.SPENDING, id=asked, options=options):
                if (request := SpendingRequest.parse(options)) is not None:
                    self._open[asked] = event.run_id, request
            case InterruptionClosed(kind=InterruptionKind.SPENDING, id=asked, answer=answer):
                _, request = self._open.pop(asked, (None, None))
                if request is not None and _is_approval(answer):
                    self.grant(request)

    def grant(self, request: SpendingRequest) -> None:
        """Count what the user has allowed; several answers to the same request count once."""
        self._granted[request.of][request.number] = request.more

    def request(self, scope: Literal["run", "day"], of: str, limit: float | None) -> SpendingRequest | None:
        """Return what the user is to be asked if the limit is reached."""
        if limit is None:
            return None
        granted = self._granted.get(of, {})
        cost = self._by_day.get(of, 0.0) if scope == "day" else self._of_family(of)
        allowed = limit + sum(granted.values())
        if cost < allowed - _LEAST_COST:
            return None
        # as often as it takes to go on: a single answer may have cost more than the limit
        more = limit * (1 + floor((cost - allowed + _LEAST_COST) / limit))
        return SpendingRequest(scope, of, len(granted), round(cost, 6), round(allowed, 6), round(more, 6))

    def root_of(self, run_id: RunId, root: RunId | None) -> RunId:
        """Return the root of the run, which may have changed since it was `root`."""
        return self._roots.get(run_id, root or run_id)

    def open_with(self, request: SpendingRequest) -> list[tuple[RunId, InterruptionId]]:
        """Return the open interruptions, by run, that the answer to this request settles too."""
        return [(run_id, asked) for asked, (run_id, other) in self._open.items() if other.key == request.key]

    def request_of(self, asked: InterruptionId) -> SpendingRequest | None:
        """Return the open request of an interruption."""
        return self._open[asked][1] if asked in self._open else None

    def _of_family(self, root: str) -> float:
        return sum(cost for run_id, cost in self._by_run.items() if self._roots.get(run_id, run_id) == root)


def day_of(at: datetime) -> str:
    """Return the user's day."""
    return at.astimezone().date().isoformat()


def start_of_day(at: datetime) -> datetime:
    """Return when the user's day began."""
    day: date = at.astimezone().date()
    return datetime(day.year, day.month, day.day).astimezone()


def _is_approval(answer: Mapping[str, Any] | None) -> bool:
    return answer is not None and answer.get("action") == Action.APPROVE
