"""Decides what a run does next: the order of its steps, without I/O, clock or tasks.

A step is blocked until its dependencies are done, then ready, in flight, and done:

    blocked ──(last dependency done)──► ready ──(plan: StartStep)──► in flight ──(StepDone | StepFailedRun)──► done
                                          ▲                           │ │   ▲
                                          │            (StepSuspended)│ │   │  (last item: FinishForEach)
                                   (StepResumed) ◄── suspended ◄──────┘ ▼   │
                                              (ForEachStarted) a list: StartIteration … IterationDone

`advance` applies an event, `plan` returns what follows. Both look only at what changed, so a list of 10 000 items costs
the same per item. A run ends once: by a `return`, by a failed step, when nothing is left, or when nothing can progress
(ENGINE §4–6). A suspended step waits for the user and takes no place among the parallel steps.
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
    """A step has its output. `skipped`: its `when` was false; `failed`: it failed with `onError: continue`.

    In both cases refs to the output resolve to null at any depth.
    """

    name: str
    output: Any
    skipped: bool = False
    failed: bool = False


@dataclass(frozen=True, slots=True)
class StepFailedRun:
    """A step failed, and its failure ends the run."""

    name: str
    error: ErrorInfo


@dataclass(frozen=True, slots=True)
class ForEachStarted:
    """The list of a forEach is known. `done` are the iterations that a previous process finished."""

    name: str
    items: Sequence[Any]
    done: Sequence["IterationDone"] = ()


@dataclass(frozen=True, slots=True)
class IterationDone:
    """An iteration ended with an output, or with an error and no output."""

    name: str
    index: int
    output: Any = None
    error: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class StepSuspended:
    """A step in flight waits for the user before it runs."""

    name: str


@dataclass(frozen=True, slots=True)
class StepResumed:
    """The user has answered: the suspended step is ready again."""

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
    """All iterations have ended (after a failure: all in flight): the step gets its output or its error."""

    step: Step
    outputs: list[Any]
    errors: list[tuple[int, ErrorInfo]]
    is_failed: bool


PlanAction = StartStep | StartIteration | FinishForEach


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The run succeeded. `output_of` names the steps that give its output: one as it is, several by name."""

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
    """A forEach in flight: a cursor that fills gaps, and the number of iterations in flight."""

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
        """Return the first index that has neither ended nor begun, if another iteration may start now."""
        if self.is_stopped or self.in_flight >= self.concurrency:
            return None
        while self.cursor < len(self.items) and self.cursor in self.ended:
            self.cursor += 1
        return self.cursor if self.cursor < len(self.items) else None


class Plan:
    """The order of a run's steps. `outcome` is None while the run continues."""

    def __init__(self, steps: Sequence[Step], max_parallel: int = 16) -> None:
        self.outputs: dict[str, Any] = {}
        self.absent: set[str] = set()
        self.skipped: set[str] = set()
        self.outcome: RunOutcome | None = None
        self._steps = list(steps)
        self._max_parallel = max_parallel
        self._position = {step.name: place for place, step in enumerate(steps)}
        waits_for = self._waits_for = dependency_map(steps)
        self._terminal = terminal_steps(waits_for)
        self._pending = {name: set(names) for name, names in waits_for.items()}
        self._followers: dict[str, list[str]] = {name: [] for name in waits_for}
        for name, names in waits_for.items():
            for other in names:
                self._followers[other].append(name)
        self._ready = [place for place, step in enumerate(steps) if not waits_for[step.name]]
        self._in_flight: set[str] = set()
        self._suspended: set[str] = set()
        self._lists: dict[str, _ForEachState] = {}
        self._refillable: dict[str, None] = {}

    @property
    def terminal(self) -> Sequence[str]:
        """The steps whose outputs are the run's, in template order."""
        return self._terminal

    @property
    def has_suspended(self) -> bool:
        """Whether a step waits for the user before it runs."""
        return bool(self._suspended)

    def has_begun(self, name: str) -> bool:
        """Return whether the step has begun to read its inputs, or has ended."""
        return name in self.outputs or name in self._in_flight or name in self._suspended

    def waits_for(self, name: str) -> Sequence[str]:
        """Return the dependencies of the step, in the order of their first mention."""
        return self._waits_for[name]

    def followers(self, name: str) -> Sequence[str]:
        """Return the steps that depend on this step."""
        return self._followers[name]

    def replace_output(self, name: str, output: Any) -> None:
        """Replace the output of a step with the user's edit, before any step has read it."""
        self.outputs[name] = output

    def advance(self, event: PlanEvent) -> None:
        """Apply an event. Repeated events, and events after the end, change nothing."""
        match event:
            case StepDone():
                self._finish_step(event)
            case StepFailedRun(name, error):
                if name not in self.outputs:  # a late failure of a step that is done changes nothing
                    self._in_flight.discard(name)
                    self.end(Failed(error))
            case ForEachStarted():
                self._start_list(event)
            case StepSuspended(name):
                self._in_flight.discard(name)
                self._suspended.add(name)
            case StepResumed(name):
                if name in self._suspended:
                    self._suspended.discard(name)
                    heapq.heappush(self._ready, self._position[name])
            case IterationDone(name=name):
                if (state := self._lists.get(name)) is not None and event.index not in state.ended:
                    state.in_flight -= 1
                    _finish_iteration(state, event)
                    self._refillable[name] = None
            case _:
                assert_never(event)

    def plan(self) -> list[PlanAction]:
        """Return what can begin now; empty if nothing has happened since the last call.

        Sets `outcome` once nothing can begin, nothing is in flight and no answer is pending.
        """
        if self.outcome is not None:
            return []
        actions: list[PlanAction] = []
        while self._ready and len(self._in_flight) < self._max_parallel:
            step = self._steps[heapq.heappop(self._ready)]
            self._in_flight.add(step.name)
            actions.append(StartStep(step))
        for name in list(self._refillable):
            actions.extend(self._refill(self._lists[name]))
            del self._refillable[name]
        if not actions and not self._in_flight and not self._suspended and not self._ready:
            self._end_idle()
        return actions

    def end(self, outcome: RunOutcome) -> None:
        """End the run; the first outcome wins."""
        if self.outcome is None:
            self.outcome = outcome

    def _finish_step(self, done: StepDone) -> None:
        if done.name in self.outputs:
            return
        self.outputs[done.name] = done.output
        if done.skipped:
            self.skipped.add(done.name)
        if done.skipped or done.failed:
            self.absent.add(done.name)
        position = self._position[done.name]
        self._lists.pop(done.name, None)
        if done.name in self._in_flight:
            self._in_flight.discard(done.name)
        elif position in self._ready:  # preset, or finished by a previous process
            self._ready.remove(position)
            heapq.heapify(self._ready)
        for follower in self._followers[done.name]:
            pending = self._pending[follower]
            pending.discard(done.name)
            if not pending and follower not in self.outputs:
                heapq.heappush(self._ready, self._position[follower])
        if isinstance(self._steps[position].action, ReturnAction) and done.name not in self.absent:
            self.end(Succeeded([done.name]))

    def _start_list(self, started: ForEachStarted) -> None:
        step = self._steps[self._position[started.name]]
        assert step.for_each is not None
        state = _ForEachState(step, started.items, step.for_each.concurrency, [None] * len(started.items))
        for done in started.done:
            _finish_iteration(state, done)
        self._lists[started.name] = state
        self._refillable[started.name] = None

    def _refill(self, state: _ForEachState) -> list[PlanAction]:
        actions: list[PlanAction] = []
        while (index := state.next_index()) is not None:
            state.cursor = index + 1
            state.in_flight += 1
            actions.append(StartIteration(state.step, index, state.items[index]))
        if not state.in_flight and not actions:
            # in the order of the list, not of time: the output must not depend on which iteration ended first
            errors = sorted(state.errors, key=lambda error: error[0])
            actions.append(FinishForEach(state.step, state.outputs, errors, state.is_stopped))
        return actions

    def _end_idle(self) -> None:
        stuck = [name for name in self._position if name not in self.outputs]
        if not stuck:
            self.end(Succeeded(self._terminal))
            return
        reasons = "; ".join(f"{name} misses {', '.join(sorted(self._pending[name])) or 'nothing'}" for name in stuck)
        self.end(Failed(ErrorInfo("stalled", f"the run cannot continue: {reasons}", failed_during="engine")))


def _finish_iteration(state: _ForEachState, done: IterationDone) -> None:
    state.ended.add(done.index)
    state.outputs[done.index] = done.output
    if done.error is not None:
        state.errors.append((done.index, done.error))
