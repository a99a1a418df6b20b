"""How far a stored run got: its results, calls and interruptions, folded from its events."""

from core.domain.events import Event, Fact, StepStarted
from core.domain.ids import RunId
from core.domain.interruption import Interruption
from core.domain.progress import RunProgress, progress_of
from core.domain.run import StepResult
from core.domain.tool import ToolCall
from core.ports import AppendEvents, Storage


async def stored_progress(storage: Storage, run_id: RunId) -> RunProgress:
    return progress_of(run_id, await storage.events.of_run(run_id))


async def stored_results(storage: Storage, run_id: RunId) -> list[StepResult]:
    return (await stored_progress(storage, run_id)).results


async def stored_calls(storage: Storage, run_id: RunId) -> list[ToolCall]:
    return (await stored_progress(storage, run_id)).calls


async def stored_interruptions(storage: Storage, run_id: RunId) -> list[Interruption]:
    return (await stored_progress(storage, run_id)).interruptions


async def append_facts(storage: Storage, run_id: RunId, *facts: Fact) -> None:
    """Append facts to a run that no process drives, as a process that died had written them."""
    events = await storage.events.of_run(run_id)
    last = events[-1]
    more = [Event(run_id, last.workflow_id, last.seq + number, last.at, fact) for number, fact in enumerate(facts, 1)]
    await storage.commit([AppendEvents(run_id, tuple(more))])


def claimed(step: str, index: int | None = None, attempt: int = 1) -> StepStarted:
    """Return the start of a step whose effect may have happened."""
    return StepStarted(step=step, index=index, attempt=attempt, claimed=True)
