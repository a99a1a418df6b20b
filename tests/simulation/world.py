"""The world outside the process: it remembers every call that reached it, whatever the process forgets in a crash.

It also looks at each call as it begins: may it happen at all, with what is on disk at this moment (ENGINE §10)?
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.domain.ids import RunId
from core.domain.run import RunStatus
from core.domain.step import StepKey, StepStatus
from core.domain.tool import Effect
from core.persistence.memory_tables import Tables
from tests.simulation.reference import waits_for

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a run a call belongs: `call` is that of an agent's round, "" where the step is the call."""

    run: RunId
    step: str
    index: int | None = None
    call: str = ""

    def __str__(self) -> str:
        at = "" if self.index is None else f"[{self.index}]"
        return f"{self.step}{at}{self.call and ' '}{self.call}"


@dataclass(slots=True)
class Visit:
    """A call that reached the world. `ended`: it came to an end of its own, and told the process so."""

    place: Place
    life: int
    effect: Effect
    number: int
    had_effect: bool = False
    ended: bool = False


@dataclass(slots=True)
class World:
    """Everything that happened, and everything that should not have: `blames`.

    `tables` is the disk of the process at work. From the processes before it: `unknown` are the places where an effect
    may have happened, `ended` the runs that had ended.
    """

    meetings: Mapping[str, Json]
    templates: Mapping[str, Json]
    life: int = 0
    visits: list[Visit] = field(default_factory=list)
    blames: list[str] = field(default_factory=list)
    active: Counter[tuple[RunId, str, int | None]] = field(default_factory=Counter)
    tally: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    cancelled_at: dict[RunId, float] = field(default_factory=dict)
    tables: Tables = field(default_factory=Tables)
    unknown: set[tuple[RunId, str]] = field(default_factory=set)
    ended: set[RunId] = field(default_factory=set)
    on_blame: Callable[[], object] = lambda: None
    _made: Counter[Place] = field(default_factory=Counter)
    _left: set[tuple[RunId, str, int | None]] = field(default_factory=set)

    def blame(self, what: str) -> None:
        """Something is wrong: the simulation stops here."""
        self.blames.append(what)
        self.on_blame()

    def begin(self, place: Place, effect: Effect) -> Visit:
        """A call begins. Everything that can be told from the outside is looked at."""
        self._made[place] += 1
        visit = Visit(place, self.life, effect, self._made[place])
        self._judge(visit)
        self.visits.append(visit)
        self.active[place.run, place.step, place.index] += 1
        if effect is not Effect.NONE:
            self._left.add((place.run, place.step, place.index))
        self._count(place)
        return visit

    def leave(self, visit: Visit) -> None:
        """The call ended, or nobody waits for it any more."""
        place = visit.place
        if visit.life == self.life:
            self.active[place.run, place.step, place.index] -= 1

    def new_life(self, tables: Tables) -> None:
        """The process that knew of the calls is gone; the next one works on `tables`."""
        self.life += 1
        self.active.clear()
        self.tables = tables

    def in_flight(self, run: RunId, step: str) -> int:
        """How many iterations of a step are being carried out."""
        return len({at for (r, s, at), count in self.active.items() if count > 0 and (r, s) == (run, step)})

    def has_left(self, place: tuple[RunId, str, int | None]) -> bool:
        """Whether a call that may leave something behind was made there."""
        return place in self._left

    @property
    def once(self) -> list[str]:
        """Steps whose effect may not happen twice."""
        steps = map(self.step, self.templates)
        return [step["name"] for step in steps if step["action"].get("toolName") == "note" and not _is_idempotent(step)]

    def step(self, name: str) -> Json:
        return next(step for step in self.templates[name]["steps"] if step["name"] == name)

    def _judge(self, visit: Visit) -> None:
        place, effect = visit.place, visit.effect
        results = self.tables.results.get(place.run, {})
        mine = results.get(StepKey(place.step, place.index))
        if mine is not None and mine.status.is_final and not place.call:
            self.blame(f"{place} runs again, though its result is on disk: {mine.status} (ENGINE §10)")
        run = self.tables.runs[place.run][1]
        if run.status.is_final:
            self.blame(f"{place} starts after the end of its run (ENGINE §5)")
        if effect is Effect.NONE:
            return
        if mine is None or mine.status is not StepStatus.RUNNING:
            self.blame(f"{place} leaves the process, and its claim is not on disk (ENGINE §10)")
        if run.status is not RunStatus.RUNNING:
            self.blame(f"{place} leaves the process while its run is {run.status} on disk")
        template = self.templates[place.step]
        for name in waits_for(self.step(place.step), {step["name"] for step in template["steps"]}):
            result = results.get(StepKey(name))
            if result is None or not result.status.is_final:
                self.blame(f"{place} leaves the process before the result of {name} is on disk (ENGINE §10)")
        if effect is Effect.ONCE and visit.number > 1:
            self.blame(f"{place} runs for the {visit.number}. time, and nobody asked for it (ENGINE §10)")

    def _count(self, place: Place) -> None:
        now = [(step, at) for (run, step, at), count in self.active.items() if run == place.run and count > 0]
        steps = {step for step, _ in now}
        limit = self.templates[place.step].get("maxParallel", 16)
        if len(steps) > limit:
            self.blame(f"{len(steps)} steps of {place.run} run at once, at most {limit} may (ENGINE §4)")
        given = self.step(place.step)
        if "forEach" in given:
            count, most = sum(step == place.step for step, _ in now), given["forEach"].get("concurrency", 1)
            if count > most:
                self.blame(f"{count} iterations of {place.step} run at once, at most {most} may (ENGINE §6)")


def _is_idempotent(step: Json) -> bool:
    return bool(step.get("config", {}).get("idempotent"))


async def happen(world: World, visit: Visit, met: Json) -> None:
    """Let the time of a call pass; its effect happens somewhere in it. A stubborn one goes on when it is cancelled."""
    ms = met["ms"][(visit.number - 1 + (visit.place.index or 0)) % len(met["ms"])]
    try:
        if (before := ms * met["effectAt"]) > 0:
            await asyncio.sleep(before / 1000)
        visit.had_effect = True
        if (after := ms - before) > 0:
            await asyncio.sleep(after / 1000)
    except asyncio.CancelledError:
        world.leave(visit)
        if "stubbornMs" not in met:
            raise
        await asyncio.sleep(met["stubbornMs"] / 1000)
        visit.had_effect = True
    else:
        world.leave(visit)
    visit.ended = True
