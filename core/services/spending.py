"""Keeps count of what models cost, against the limits per run and per day (AGENTS_AND_TOOLS §3).

The stored facts are the only record: they are read when a limit first needs them, and the bus adds what follows.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, Self

from core.bus import Bus
from core.domain.events import Event, InterruptionClosed, RootChanged, RunCreated
from core.domain.ids import InterruptionId, RunId
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.run import Run
from core.domain.settings import Settings
from core.domain.spending import SPENDING_FACTS, Spending, SpendingRequest, day_of, start_of_day
from core.errors import MetierError
from core.ports import Clock, Storage


class AnswerInterruption(Protocol):
    """Answers an interruption of a run."""

    async def __call__(self, run_id: RunId, answer: Answer, *, interruption: InterruptionId) -> object: ...


class SpendingService:
    """Implements `core.ports.SpendingLimits`. An async context manager.

    One answer settles all requests about the same limit: those of child runs, and for the limit of a day those of
    other workflows; but a refusal for the day is about the run alone that asked. `asks`: somebody is there to answer.
    """

    def __init__(
        self, storage: Storage, bus: Bus, clock: Clock, settings: Callable[[], Settings], *, asks: bool
    ) -> None:
        self.asks = asks
        self._storage = storage
        self._clock = clock
        self._settings = settings
        self._spending = Spending()
        self._complete_roots: set[RunId] = set()  # nothing of theirs is only in the store
        self._is_day_read = False
        self._lock = asyncio.Lock()
        self._answer: AnswerInterruption | None = None
        self._answering: set[asyncio.Task[None]] = set()
        self._subscription = bus.subscribe(Event, self._on_event, SPENDING_FACTS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._subscription.close()
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    def answer_with(self, answer: AnswerInterruption) -> None:
        """Use this to answer the requests that another answer settles."""
        self._answer = answer

    async def reached(self, run: Run) -> SpendingRequest | None:
        """Implement `core.ports.SpendingLimits.reached`."""
        settings = self._settings()
        of_run, of_day = settings.run_spending_limit, settings.day_spending_limit
        if of_run is None and of_day is None:
            return None
        async with self._lock:  # what is being read must not be taken for complete
            root = self._spending.root_of(run.id, run.root)
            if of_run is not None and root not in self._complete_roots:
                await self._read(await self._family(root))
                self._complete_roots.add(root)
            if of_day is not None and not self._is_day_read:
                unfinished = [other.id for other in await self._storage.runs.unfinished()]
                ended = await self._storage.runs.ended_since(start_of_day(self._clock.now()))
                await self._read([*unfinished, *ended])
                self._is_day_read = True
        return self._spending.request("run", root, of_run) or self._spending.request(
            "day", day_of(self._clock.now()), of_day
        )

    def grant(self, request: SpendingRequest) -> None:
        """Implement `core.ports.SpendingLimits.grant`."""
        self._spending.grant(request)

    async def _family(self, root: RunId) -> list[RunId]:
        """Return the run and all below it."""
        family = [root]
        for run_id in family:  # grows meanwhile
            family += [child.id for child in await self._storage.runs.children(run_id)]
        return family

    async def _read(self, run_ids: list[RunId]) -> None:
        for events in (await self._storage.events.of_runs(run_ids, SPENDING_FACTS)).values():
            for event in events:
                self._spending.add(event)

    def _on_event(self, event: Event) -> None:
        match event.fact:
            case RunCreated(root_run_id=None) | RootChanged(root_run_id=None):
                self._complete_roots.add(event.run_id)
            case InterruptionClosed(kind=InterruptionKind.SPENDING, id=closed, answer=answer) if answer is not None:
                request = self._spending.request_of(closed)
                self._spending.add(event)
                if request is not None:
                    self._settle_others(request, answer)
                return
        self._spending.add(event)

    def _settle_others(self, request: SpendingRequest, given: dict[str, Any]) -> None:
        """Answer the other requests about the same limit likewise."""
        answer = Answer(Action(given["action"]))
        if self._answer is None or (answer.action is not Action.APPROVE and request.scope == "day"):
            return
        for run_id, asked in self._spending.open_with(request):
            task = asyncio.get_running_loop().create_task(self._settle(self._answer, run_id, answer, asked))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    async def _settle(self, give: AnswerInterruption, run_id: RunId, answer: Answer, asked: InterruptionId) -> None:
        with suppress(MetierError):  # it was answered meanwhile, or its run has ended
            await give(run_id, answer, interruption=asked)
