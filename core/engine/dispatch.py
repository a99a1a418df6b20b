"""From a ready step to what it does: condition, list, input, in this order (ENGINE §4–6). Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from core.domain.events import time_text
from core.domain.json_text import readable, type_name
from core.domain.run import Run, Snapshot
from core.domain.step import StepKey
from core.domain.template import AgentAction, Step
from core.engine.conditions import holds
from core.engine.refs import Scope, as_text, look_up, resolve, whole_ref
from core.errors import RefFailed, StepFailed


@dataclass(frozen=True, slots=True)
class Skip:
    """`when` was false, or the list comes from a skipped step; `value` is what decided it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Loop:
    """A forEach: the items, in order."""

    items: list[Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One execution of a step's action: its resolved input (None if an agent has none) and, of an agent, the prompt.

    `is_permitted`: what is set about consent, or a person, lets the call of its tool pass.
    """

    step: Step
    key: StepKey
    input: Any
    prompt: str = ""
    is_permitted: bool = False

    @property
    def whole_prompt(self) -> str:
        """What the agent is asked: the prompt, then the input as JSON."""
        return self.prompt if self.input is None else f"{self.prompt}\n\n{readable(self.input)}"


@dataclass(frozen=True, slots=True)
class Go:
    """A person lets the step run, with this input or list."""

    decision: Call | Loop


@dataclass(frozen=True, slots=True)
class Done:
    """A person did the step: this is its output."""

    output: Any


def context_of(run: Run) -> Mapping[str, Any]:
    """What `@ctx` says of a run (ENGINE §3), in every step of it. The same after a crash as before it."""
    return {
        "run_id": run.id,
        "workflow_id": run.workflow_id,
        "template_id": run.template_id,
        "started_at": time_text(run.created_at),
    }


def scope_of(
    context: Mapping[str, Any],
    snapshot: Snapshot,
    step: Step,
    outputs: Mapping[str, Any],
    absent: Collection[str],
    attempt: int = 1,
) -> Scope:
    """What the refs of a step can see, outside its iterations."""
    return Scope(snapshot.input, outputs, absent, {**context, "step": step.name, "attempt": attempt})


def dispatch(step: Step, scope: Scope, skipped: Collection[str]) -> Skip | Loop | Call:
    """What the ready step does. Raises StepFailed (`unresolved_ref`, `not_a_list`, …)."""
    if step.when is not None:
        runs, value = holds(step.when, scope)
        if not runs:
            return Skip(value)
    if step.for_each is not None:
        return _loop(step.for_each.ref, scope, skipped)
    return call(step, scope)


def call(step: Step, scope: Scope) -> Call:
    """The step's action with its refs resolved, for the iteration that `scope` stands in, if it does."""
    key = StepKey(step.name, scope.index)
    if isinstance(step.action, AgentAction):
        prompt = as_text(resolve(step.action.agent.prompt, scope, "/prompt"))
        given = resolve(step.input, scope) if "input" in step.model_fields_set else None
        return Call(step, key, given, prompt)
    return Call(step, key, resolve(step.input, scope))


def _loop(text: str, scope: Scope, skipped: Collection[str]) -> Skip | Loop:
    ref = whole_ref(text)
    if ref is None:
        raise RefFailed("unresolved_ref", f"forEach needs a ref, not {text!r}", ref=text, path="/forEach/ref")
    if ref.root in skipped:
        return Skip(None)
    items = look_up(ref, scope, "/forEach/ref")
    if not isinstance(items, list):
        found = type_name(items)
        raise StepFailed("not_a_list", f"forEach needs a list, but {ref.text} is {found}", ref=ref.text, found=found)
    return Loop(items)
