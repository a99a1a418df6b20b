"""What to do next: the order of steps, free of I/O, clock and tasks.

A step is blocked until what it depends on is done, is ready, is in flight, is done:

    blocked ──(last dependency done)──► ready ──(plan: Start)──► in flight ──(StepDone | StepBroke)──► done
                                          ▲                       │ │   ▲
                                          │            (StepAsks) │ │   │  (last item: CloseList)
                                     (StepMayGo) ◄── asking ◄─────┘ ▼   │
                                                       (ListOpened) a list: StartItem … ItemDone

`advance` takes in what happened, `plan` says what follows; both look only at what changed, so that a
run of 10 000 items costs the same for each. A run ends once: by a `return`, by a step that broke, when
nothing is left, or when nothing can go on (ENGINE §4–6). A step that asks a person holds no place.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from core.domain.run import ErrorInfo
from core.domain.template import OnError, ReturnAction, Step
from core.engine.plan.graph import dependency_map, terminal_steps


# What happened.
@dataclass(frozen=True, slots=True)
class StepDone:
    """A step has its output. `skipped`: its `when` was false. `failed`: with `onError: continue`. Either way the
    output is null at any depth."""

    name: str
    output: Any
    skipped: bool = False
    failed: bool = False


@dataclass(frozen=True, slots=True)
class StepFailedRun:
    """A step failed, and its failure is the run's."""

    name: str
    error: ErrorInfo


@dataclass(frozen=True, slots=True)
class ForEachStarted:
    """The list of a forEach is known. `done` are the iterations that an earlier life of the run finished."""

    name: str
    items: Sequence[Any]
    done: Sequence["IterationDone"] = ()


@dataclass(frozen=True, slots=True)
class IterationDone:
    """An iteration ended: with its output, or with an error (its output is null then)."""

    name: str
    index: int
    output: Any = None
    error: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class StepSuspended:
    """A step in flight waits for a person before it runs."""

    name: str


@dataclass(frozen=True, slots=True)
class StepResumed:
    """The person has answered: the step is to be started again."""

    name: str


PlanEvent = StepDone | StepFailedRun | ForEachStarted | IterationDone | StepSuspended | StepResumed


# What to do.
@dataclass(frozen=True, slots=True)
class StartStep:
    step: Step


@dataclass(frozen=True, slots=True)
class StartIteration:
    step: Step
    index: int
    item: Any


@dataclass(frozen=True, slots=True)
class FinishForEach:
    """Every iteration has ended (or, after a failure, every one in flight): the step has its output or its error."""

    step: Step
    outputs: list[Any]
    errors: list[tuple[int, ErrorInfo]]
    is_failed: bool


PlanAction = StartStep | StartIteration | FinishForEach


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The run is a success: `output_of` names the steps whose outputs are its own (one: as it is; several: by name)."""

    output_of: list[str]


@dataclass(frozen=True, slots=True)
class Failed:
    error: ErrorInfo


@dataclass(frozen=True, slots=True)
class Cancelled:
    pass


RunOutcome = Succeeded | Failed | Cancelled


@dataclass(slots=True)
class _ForEachState:
    """A forEach in flight: a cursor that fills holes, and a count."""

    step: Step
    items: Sequence[Any]
    concurrency: int
    outputs: list[Any]
    ended: set[int] = field(default_factory=set)
    cursor: int = 0
    in_flight: int = 0
    errors: list[tuple[int, ErrorInfo]] = field(default_factory=list)

    @property
    def is_stopped(self) -> bool:
        return bool(self.errors) and self.step.on_error is OnError.FAIL

    def next_index(self) -> int | None:
        """The first index that nobody ended or began, if another may start now."""
        if self.is_stopped or self.in_flight >= self.concurrency:
            return None
        while self.cursor < len(self.items) and self.cursor in self.ended:
            self.cursor += 1
        return self.cursor if self.cursor < len(self.items) else None


class Plan:
    """The state of one run's order. `outcome` is None while it goes on."""

    def __init__(self, steps: Sequence[Step], max_parallel: int = 16) -> None:
        self.outputs: dict[str, Any] = {}
        self.absent: set[str] = set()
        self.skipped: set[str] = set()
        self.outcome: RunOutcome | None = None
        self._steps = list(steps)
        self._max_parallel = max_parallel
        self._place = {step.name: place for place, step in enumerate(steps)}
        waits_for = self._waits_for = dependency_map(steps)
        self._terminal = terminal_steps(waits_for)
        self._missing = {name: set(names) for name, names in waits_for.items()}
        self._followers: dict[str, list[str]] = {name: [] for name in waits_for}
        for name, names in waits_for.items():
            for other in names:
                self._followers[other].append(name)
        self._ready = [place for place, step in enumerate(steps) if not waits_for[step.name]]
        self._in_flight: set[str] = set()
        self._asking: set[str] = set()
        self._lists: dict[str, _ForEachState] = {}
        self._hungry: dict[str, None] = {}

    @property
    def terminal(self) -> Sequence[str]:
        """The steps whose outputs are the run's, in template order."""
        return self._terminal

    @property
    def is_asking(self) -> bool:
        """Whether a step waits for a person before it runs."""
        return bool(self._asking)

    def began(self, name: str) -> bool:
        """Whether the step has begun to read its inputs, or has ended."""
        return name in self.outputs or name in self._in_flight or name in self._asking

    def waits_for(self, name: str) -> Sequence[str]:
        """The steps whose outputs this one waits for, in the order they are named."""
        return self._waits_for[name]

    def followers(self, name: str) -> Sequence[str]:
        """The steps that wait for this one."""
        return self._followers[name]

    def replace_output(self, name: str, output: Any) -> None:
        """A person has changed what the step gave, before anything had read it."""
        self.outputs[name] = output

    def advance(self, happened: PlanEvent) -> None:
        """Take in what happened. What is known already, and what comes after the end, changes nothing."""
        match happened:
            case StepDone():
                self._take_output(happened)
            case StepFailedRun(name, error):
                if name not in self.outputs:
                    self._in_flight.discard(name)
                    self.end(Failed(error))
            case ForEachStarted():
                self._open_list(happened)
            case StepSuspended(name):
                self._in_flight.discard(name)
                self._asking.add(name)
            case StepResumed(name):
                if name in self._asking:
                    self._asking.discard(name)
                    heapq.heappush(self._ready, self._place[name])
            case IterationDone(name=name):
                if (items := self._lists.get(name)) is not None and happened.index not in items.ended:
                    items.in_flight -= 1
                    _finish_iteration(items, happened)
                    self._hungry[name] = None
            case _:
                assert_never(happened)

    def plan(self) -> list[PlanAction]:
        """What can begin now. Asked again without anything having happened, it is empty.

        Once nothing can begin, nothing is in flight and nobody is asked, `outcome` is set.
        """
        if self.outcome is not None:
            return []
        actions: list[PlanAction] = []
        while self._ready and len(self._in_flight) < self._max_parallel:
            step = self._steps[heapq.heappop(self._ready)]
            self._in_flight.add(step.name)
            actions.append(StartStep(step))
        for name in list(self._hungry):
            actions.extend(self._feed(self._lists[name]))
            del self._hungry[name]
        if not actions and not self._in_flight and not self._asking and not self._ready:
            self._end_of_work()
        return actions

    def end(self, outcome: RunOutcome) -> None:
        """End the run; the first outcome holds."""
        if self.outcome is None:
            self.outcome = outcome

    def _take_output(self, done: StepDone) -> None:
        if done.name in self.outputs:
            return
        self.outputs[done.name] = done.output
        if done.skipped:
            self.skipped.add(done.name)
        if done.skipped or done.failed:
            self.absent.add(done.name)
        place = self._place[done.name]
        self._lists.pop(done.name, None)
        if done.name in self._in_flight:
            self._in_flight.discard(done.name)
        elif place in self._ready:  # done in an earlier life of the run
            self._ready.remove(place)
            heapq.heapify(self._ready)
        for follower in self._followers[done.name]:
            missing = self._missing[follower]
            missing.discard(done.name)
            if not missing and follower not in self.outputs:
                heapq.heappush(self._ready, self._place[follower])
        if isinstance(self._steps[place].action, ReturnAction) and done.name not in self.absent:
            self.end(Succeeded([done.name]))

    def _open_list(self, opened: ForEachStarted) -> None:
        step = self._steps[self._place[opened.name]]
        assert step.for_each is not None
        items = _ForEachState(step, opened.items, step.for_each.concurrency, [None] * len(opened.items))
        for done in opened.done:
            _finish_iteration(items, done)
        self._lists[opened.name] = items
        self._hungry[opened.name] = None

    def _feed(self, items: _ForEachState) -> list[PlanAction]:
        actions: list[PlanAction] = []
        while (index := items.next_index()) is not None:
            items.cursor = index + 1
            items.in_flight += 1
            actions.append(StartIteration(items.step, index, items.items[index]))
        if not items.in_flight and not actions:
            errors = sorted(items.errors, key=lambda error: error[0])
            actions.append(FinishForEach(items.step, items.outputs, errors, items.is_stopped))
        return actions

    def _end_of_work(self) -> None:
        stuck = [name for name in self._place if name not in self.outputs]
        if not stuck:
            self.end(Succeeded(self._terminal))
            return
        waits = "; ".join(f"{name} misses {', '.join(sorted(self._missing[name])) or 'nothing'}" for name in stuck)
        self.end(Failed(ErrorInfo("stalled", f"the run can not go on: {waits}", failed_during="engine")))


def _finish_iteration(items: _ForEachState, done: IterationDone) -> None:
    items.ended.add(done.index)
    items.outputs[done.index] = done.output
    if done.error is not None:
        items.errors.append((done.index, done.error))
