"""A recording: the calls of a conversation as the steps of a future template (ENGINE §11).

It is derived from the facts of its run, so a recording observed live equals a recording rebuilt after a crash, except
for secrets: only the process that observed them has the values, the store has masks.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.domain.events import (
    Event,
    Fact,
    RecordingInput,
    RecordingSealed,
    RunFinished,
    StepFinished,
    StepPreset,
    StepRecorded,
    ToolStarted,
)
from core.domain.ids import CallId, RunId, TemplateId
from core.domain.run import StepStatus
from core.domain.tool import Effect

# The tools that start, fill and close a recording are not steps of it.
RECORDING_TOOLS = frozenset(
    f"COLLECTION_WORKFLOW_EXECUTION_{name}" for name in ("RECORD", "SET_STEP_RESULT", "SAVE_AS_TEMPLATE")
)

NAME_CHARACTERS = 100
_ILLEGAL = re.compile(r"[^a-z0-9_-]")


@dataclass(slots=True)
class RecordedStep:
    """A call as a step. `recorded_arguments` contain refs; the tool received `resolved_arguments`.

    Without a `tool` it is named data: a preset that no call has used yet. `is_preset`: its result was given, not run.
    """

    name: str
    tool: str | None = None
    recorded_arguments: Any = None
    resolved_arguments: Any = None
    status: StepStatus = StepStatus.RUNNING
    output: Any = None
    error: Mapping[str, Any] | None = None
    effect: Effect = Effect.ONCE
    is_preset: bool = False
    call_id: CallId | None = None

    @property
    def is_completed(self) -> bool:
        return self.status is StepStatus.COMPLETED


@dataclass(slots=True)
class Recording:
    """The recorded steps so far. `is_open` until it is closed or its run ends."""

    input: Mapping[str, Any]
    steps: dict[str, RecordedStep] = field(default_factory=dict)
    is_open: bool = True
    template_id: TemplateId | None = None
    _counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, initial_input: Mapping[str, Any], events: Iterable[Event]) -> "Recording":
        """Rebuild a recording from its initial input and its events."""
        recording = cls(initial_input)
        for event in events:
            recording.apply(event.fact)
        return recording

    @property
    def outputs(self) -> dict[str, Any]:
        """The values that refs can use: step name → result, for completed steps."""
        return {step.name: step.output for step in self.steps.values() if step.is_completed}

    def next_name(self, tool: str, taken: Iterable[str] = ()) -> str:
        """Choose the name of the next step of the tool: the nth call is `tool_n`. `taken` are reserved names."""
        base = step_base_name(tool)
        number = self._counts.get(base, 0) + 1
        reserved = set(taken)
        while f"{base}_{number}" in reserved:
            number += 1
        return f"{base}_{number}"

    def step_of(self, call_id: CallId) -> RecordedStep | None:
        """Find the step of that call."""
        return next((step for step in self.steps.values() if step.call_id == call_id), None)

    def apply(self, fact: Fact) -> None:
        """Apply a fact of the recording."""
        match fact:
            case ToolStarted():
                self._begin(fact)
            case StepFinished(step=name):
                if (step := self.steps.get(name)) is not None:
                    step.status, step.output, step.error = fact.status, fact.output, fact.error
            case StepRecorded(step=name):
                if (step := self.steps.get(name)) is not None:
                    step.recorded_arguments, step.effect, step.is_preset = fact.input, fact.effect, fact.is_preset
            case StepPreset(step=name):
                step = self.steps.setdefault(name, RecordedStep(name))
                step.status, step.output, step.error, step.is_preset = StepStatus.COMPLETED, fact.output, None, True
            case RecordingInput():
                self.input = fact.input
            case RecordingSealed():
                self.is_open, self.template_id = False, fact.template_id
            case RunFinished():
                self.is_open = False

    def _begin(self, fact: ToolStarted) -> None:
        step_before = self.steps.get(fact.step)
        is_repeated = step_before is not None and step_before.call_id == fact.call_id
        is_preset = step_before is not None and step_before.is_preset
        step = RecordedStep(
            fact.step, fact.tool, fact.arguments, fact.arguments, is_preset=is_preset, call_id=fact.call_id
        )
        if step_before is not None and step_before.call_id is None and step_before.is_completed:
            del self.steps[fact.step]  # a preset moves to the position of its call
        self.steps[fact.step] = step
        if not is_repeated:
            base = step_base_name(fact.tool)
            self._counts[base] = self._counts.get(base, 0) + 1


def step_base_name(tool: str) -> str:
    """Convert a tool name to a prefix of step names: lower case, legal (ENGINE §2), and not too long."""
    name = _ILLEGAL.sub("_", tool[:NAME_CHARACTERS].lower())
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"


def companion_call_id(run_id: RunId, call_id: CallId) -> CallId:
    """Derive the id, within a recording, of a call made by the accompanying run. It is the same after a crash."""
    return CallId(f"{run_id} {call_id}")
