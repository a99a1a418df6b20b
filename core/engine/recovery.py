"""What a dead process left of a run (ENGINE §10)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.events import Event
from core.domain.run import ErrorInfo, Run, RunStatus, Snapshot
from core.domain.step import StepStatus
from core.engine.driver import Remains
from core.ports.storage import Storage

UNCLEAN_ENDS = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A run as its last process left it."""

    run: Run
    snapshot: Snapshot
    remains: Remains
    events: Sequence[Event]

    @property
    def last_seq(self) -> int:
        return self.events[-1].seq if self.events else 0

    def after_its_end(self) -> Run:
        """The run with how often it was in flight at an unclean end without a result committed between."""
        run = self.run
        if run.status is not RunStatus.RUNNING:
            return run
        ended = sum(result.status is not StepStatus.RUNNING for result in self.remains.results)
        again = run.unclean_ends > 0 and run.results_then == ended
        return replace(run, unclean_ends=run.unclean_ends + 1 if again else 1, results_then=ended)


EXHAUSTED = ErrorInfo(
    "recovery_exhausted",
    f"the app ended {UNCLEAN_ENDS} times while this run was at work, and it came no further between",
    failed_during="engine",
)


async def examine(run: Run, storage: Storage) -> Found:
    """Read what is left of an unfinished run. Raises StorageFailed `unreadable` if that is not possible."""
    snapshot = await storage.snapshot(run.id)
    remains = Remains(await storage.step_results(run.id), await storage.interruptions(run.id))
    return Found(run, snapshot, remains, await storage.events(run.id))
