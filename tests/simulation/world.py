"""The world outside the process: it remembers every call that reached it, whatever the process forgets in a crash.

It also looks at each call as it begins: may it happen at all, with what is on disk at this moment (ENGINE §10)?
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.domain.ids import RunId
from core.domain.interruption import Action, Interruption, InterruptionKind
from core.domain.run import RunStatus, StepKey, StepResult, StepStatus
from core.domain.tool import Effect
from tests.simulation.reference import waits_for
from tests.support.in_memory.tables import Tables

Json = dict[str, Any]

FOR_EVER_S = 1e7
GIVEN_UP_S = 0.999
"""Nobody waits longer than a second for what does not stop."""


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
    """A call that reached the world. `ended`: it came to an end of its own, and told the process so; `failed` how."""

    place: Place
    life: int
    effect: Effect
    number: int
    had_effect: bool = False
    ended: bool = False
    failed: bool = False


@dataclass(slots=True)
class World:
    """Everything that happened, and everything that should not have: `blames`.

    `templates` are by title; `forks` are runs that go on from a step of another. `tables` is the disk of the process at
    work. From the processes before it: `unknown` are the places where an effect may have happened, `ended` the runs
    that had ended, `left_off` the last events of each.
    """

    meetings: Mapping[str, Json]
    templates: Mapping[str, Json]
    life: int = 0
    visits: list[Visit] = field(default_factory=list)
    blames: list[str] = field(default_factory=list)
    active: Counter[tuple[RunId, str, int | None]] = field(default_factory=Counter)
    tally: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    moves: int = 0
    forks: dict[RunId, tuple[RunId, str]] = field(default_factory=dict)
    cancelled_at: dict[RunId, float] = field(default_factory=dict)
    tables: Tables = field(default_factory=Tables)
    unknown: set[tuple[RunId, str]] = field(default_factory=set)
    ended: set[RunId] = field(default_factory=set)
    left_off: set[tuple[RunId, int]] = field(default_factory=set)
    on_blame: Callable[[], object] = lambda: None
    _steps: dict[str, tuple[Json, Json]] = field(default_factory=dict)
    _visits_of: dict[Place, list[Visit]] = field(default_factory=dict)
    _left: set[tuple[RunId, str, int | None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        for template in self.templates.values():
            self._steps.update({step["name"]: (step, template) for step in template["steps"]})

    def blame(self, what: str) -> None:
        """Something is wrong: the simulation stops here."""
        self.blames.append(what)
        self.on_blame()

    def step(self, name: str) -> Json:
        return self._steps[name][0]

    def met(self, name: str) -> Json:
        """What the step meets, {} if that is not decided."""
        return self.meetings.get(name, {})

    def new_life(self, tables: Tables) -> None:
        """The process that knew of the calls is gone; the next one works on `tables`."""
        self.life += 1
        self.active.clear()
        self.tables = tables

    # Calls

    def begin(self, place: Place, effect: Effect, attempt: int | None = None) -> Visit:
        """A call begins. Everything that can be told from the outside is looked at."""
        if "interrupt" in self.step(place.step):  # what the user let pass stays as it is: it tells the first attempt
            attempt = None
        visits = self._visits_of.setdefault(place, [])
        visit = Visit(place, self.life, effect, len(visits) + 1)
        self._judge(visit, attempt)
        visits.append(visit)
        self.visits.append(visit)
        self.moves += 1
        self.active[place.run, place.step, place.index] += 1
        if effect is not Effect.NONE:
            self._left.add((place.run, place.step, place.index))
        self._count(place)
        return visit

    def leave(self, visit: Visit) -> None:
        """The call ended, or it is not awaited any more."""
        place = visit.place
        self.moves += 1
        if visit.life == self.life:
            self.active[place.run, place.step, place.index] -= 1

    def fails(self, visit: Visit) -> bool:
        """Whether the call, which came to its end, fails."""
        met, place = self.met(visit.place.step), visit.place
        failures = sum(each.failed for each in self._visits_of[place])
        visit.failed = bool(
            met["do"] == "fail" or place.index in met.get("fails", ()) or failures < met.get("failures", 0)
        )
        return visit.failed

    def has_left(self, place: tuple[RunId, str, int | None]) -> bool:
        """Whether a call that may leave something behind was made there."""
        return place in self._left

    def is_busy(self, run: RunId) -> bool:
        """Whether anything of the run is being carried out."""
        return any(count > 0 for (one, _, _), count in self.active.items() if one == run)

    def in_flight(self, run: RunId, step: str) -> set[int | None]:
        """Which iterations of a step are being carried out."""
        return {at for (r, s, at), count in self.active.items() if count > 0 and (r, s) == (run, step)}

    @property
    def once(self) -> set[str]:
        """Steps whose effect may not happen twice."""
        steps = [step for step, _ in self._steps.values()]
        return {
            each["name"]
            for each in steps
            if each["action"].get("toolName") in ("note", "form") and not _config(each).get("idempotent")
        }

    # Looking at the disk

    def results(self, run: RunId) -> Mapping[StepKey, StepResult]:
        return self.tables.progress(run).results_by_key

    def interruptions(self, run: RunId) -> list[Interruption]:
        return self.tables.progress(run).interruptions

    def _judge(self, visit: Visit, attempt: int | None) -> None:
        place, effect = visit.place, visit.effect
        mine = self.results(place.run).get(StepKey(place.step, place.index))
        if mine is not None and mine.status.is_final and not place.call:
            self.blame(f"{place} runs again, though its result is on disk: {mine.status} (ENGINE §10)")
        run = self.tables.runs[place.run][1]
        if run.status.is_final:
            how = "starts" if (attempt or visit.number) == 1 else "is tried again"
            self.blame(f"{place} {how} after the end of its run (ENGINE §5)")
        if (
            attempt is not None
            and place.step not in self.once
            and attempt > _config(self.step(place.step)).get("maxAttempts", 1)
        ):
            self.blame(f"{place} is tried for the {attempt}. time (ENGINE §7)")
        if effect is Effect.NONE:
            return
        if mine is None or mine.status is not StepStatus.RUNNING:
            self.blame(f"{place} leaves the process, and its claim is not on disk (ENGINE §10)")
        elif attempt is not None and mine.attempt != attempt:
            self.blame(f"attempt {attempt} of {place} leaves the process, and the disk has {mine.attempt} (ENGINE §10)")
        if run.status is not RunStatus.RUNNING:
            self.blame(f"{place} leaves the process while its run is {run.status} on disk")
        self._judge_waits(place)
        if effect is Effect.ONCE and visit.number > 1:
            self._judge_again(visit)

    def _judge_waits(self, place: Place) -> None:
        """Everything that the call depends on is on disk: results, and what the user said."""
        step, template = self._steps[place.step]
        for name in waits_for(step, {each["name"] for each in template["steps"]}):
            result = self.results(place.run).get(StepKey(name))
            if result is None or not result.status.is_final:
                self.blame(f"{place} leaves the process before the result of {name} is on disk (ENGINE §10)")
        if "interrupt" in step:
            asked = [
                interruption
                for interruption in self.interruptions(place.run)
                if (interruption.ask.step, interruption.ask.kind) == (place.step, step["interrupt"]["kind"])
            ]
            is_free = step["interrupt"]["kind"] == "tool-input" and "extra" in step["input"]
            said = asked[-1].answer if asked else None
            if not is_free and (
                said is None or said.action is Action.REJECT or asked[-1].ask.kind is InterruptionKind.LOCAL_EXECUTION
            ):
                self.blame(f"{place} leaves the process, and nobody has let it: {said} (ENGINE §8)")

    def _judge_again(self, visit: Visit) -> None:
        """A call that may be made once is made again: it failed before, or the user asked for it."""
        place = visit.place
        open_ends = sum(not (each.ended and each.failed) for each in self._visits_of[place])
        asked = [
            interruption
            for interruption in self.interruptions(place.run)
            if interruption.ask.kind is InterruptionKind.OUTCOME
            and (interruption.ask.step, interruption.ask.index) == (place.step, place.index)
            if interruption.answer is not None and interruption.answer.action is Action.APPROVE
        ]
        is_rerun = _config(self.step(place.step)).get("onUnknown") == "rerun"
        if open_ends > len(asked) and not (is_rerun and not place.call):
            self.blame(f"{place} runs for the {visit.number}. time, and nobody asked for it (ENGINE §10)")

    def _count(self, place: Place) -> None:
        now = [(step, at) for (run, step, at), count in self.active.items() if run == place.run and count > 0]
        given, template = self._steps[place.step]
        limit = template.get("maxParallel", 16)
        if len(steps := {step for step, _ in now}) > limit:
            self.blame(f"{len(steps)} steps of {place.run} run at once, at most {limit} may (ENGINE §4)")
        if "forEach" in given:
            count, most = sum(step == place.step for step, _ in now), given["forEach"].get("concurrency", 1)
            if count > most:
                self.blame(f"{count} iterations of {place.step} run at once, at most {most} may (ENGINE §6)")


def _config(step: Json) -> Json:
    found: Json = step.get("config", {})
    return found


async def happen(world: World, visit: Visit, met: Json) -> None:
    """Let the time of a call pass; its effect happens somewhere in it. A stubborn one goes on when it is cancelled."""
    ms = met["ms"][(visit.number - 1 + (visit.place.index or 0)) % len(met["ms"])]
    try:
        if (before := ms * met["effectAt"]) > 0:
            await asyncio.sleep(before / 1000)
        visit.had_effect = True
        if visit.number <= met.get("hangs", 0) and not visit.place.call:
            await asyncio.sleep(FOR_EVER_S)
        if (after := ms - before) > 0:
            await asyncio.sleep(after / 1000)
    except asyncio.CancelledError:
        if "stubbornMs" in met:
            await asyncio.sleep(min(met["stubbornMs"] / 1000, GIVEN_UP_S))
        world.leave(visit)
        if "stubbornMs" not in met:
            raise
        await asyncio.sleep(max(0.0, met["stubbornMs"] / 1000 - GIVEN_UP_S))
        visit.had_effect = True
        return
    world.leave(visit)
    visit.ended = True
