"""Decide what a ready step does: its condition, its list, its input, in this order (ENGINE §4–6).

Pure: the same step and scope give the same decision.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from core.domain.events import ToolStarted, iso_time
from core.domain.ids import CallId
from core.domain.run import Run, Snapshot, StepKey
from core.domain.template import AgentAction, Step, When
from core.domain.text.json_text import readable_json, type_name
from core.engine.plan.refs import Scope, as_text, look_up, resolve, whole_ref
from core.errors import RefFailed, StepFailed


@dataclass(frozen=True, slots=True)
class Skip:
    """The step is skipped: `when` was false, or its list comes from a skipped step. `value` is the value that
    decided."""

    value: Any


@dataclass(frozen=True, slots=True)
class ForEachItems:
    """The items of a forEach, in order."""

    items: list[Any]


@dataclass(frozen=True, slots=True)
class StepCall:
    """A call of the step's action: its resolved input (None for an agent without input) and, for an agent, the prompt.

    `is_permitted`: the consent settings or the user permit the tool call.
    """

    step: Step
    key: StepKey
    input: Any
    prompt: str = ""
    is_permitted: bool = False

    @property
    def whole_prompt(self) -> str:
        """The prompt of the agent, followed by the input as JSON."""
        return self.prompt if self.input is None else f"{self.prompt}\n\n{readable_json(self.input)}"

    def permitted(self) -> "StepCall":
        """Return the call as one that may be made."""
        return StepCall(self.step, self.key, self.input, self.prompt, is_permitted=True)

    @property
    def tool_name(self) -> str | None:
        """The tool that the step calls, if it calls one."""
        return self.step.tool_name

    def tool_call_id(self, attempt: int) -> CallId:
        """Return the id of the tool call: the same after a crash, and another for each attempt."""
        return CallId(str(self.key) if attempt == 1 else f"{self.key} attempt {attempt}")

    def tool_started(self, attempt: int, shown: Any) -> ToolStarted:
        """Return the start of the tool call; `shown` are its arguments without secrets."""
        return ToolStarted(
            call_id=self.tool_call_id(attempt),
            tool=self.tool_name or "",
            arguments=shown,
            step=self.key.step,
            index=self.key.index,
        )


@dataclass(frozen=True, slots=True)
class Proceed:
    """The answer lets the step run with this input or list."""

    decision: StepCall | ForEachItems


@dataclass(frozen=True, slots=True)
class UserOutput:
    """The user performed the step: this is its output."""

    output: Any


def run_context(run: Run) -> Mapping[str, Any]:
    """Return the value of `@ctx` for the steps of a run (ENGINE §3). It is the same after a crash."""
    return {
        "run_id": run.id,
        "workflow_id": run.workflow_id,
        "template_id": run.template_id,
        "started_at": iso_time(run.created_at),
    }


def step_scope(
    context: Mapping[str, Any],
    snapshot: Snapshot,
    step: Step,
    outputs: Mapping[str, Any],
    absent: Collection[str],
    attempt: int = 1,
) -> Scope:
    """Return the scope in which the refs of a step resolve, outside its iterations."""
    return Scope(snapshot.input, outputs, absent, {**context, "step": step.name, "attempt": attempt})


def dispatch(step: Step, scope: Scope, skipped: Collection[str]) -> Skip | ForEachItems | StepCall:
    """Return what the ready step does. Raises StepFailed (`unresolved_ref`, `not_a_list`, …)."""
    if step.when is not None:
        runs, value = evaluate_condition(step.when, scope)
        if not runs:
            return Skip(value)
    if step.for_each is not None:
        return _iterations(step.for_each.ref, scope, skipped)
    return resolve_call(step, scope)


def resolve_call(step: Step, scope: Scope) -> StepCall:
    """Return the call of the step with its refs resolved, for the iteration of `scope` if it has an index."""
    key = StepKey(step.name, scope.index)
    if isinstance(step.action, AgentAction):
        prompt = as_text(resolve(step.action.agent.prompt, scope, "/prompt"))
        arguments = resolve(step.input, scope) if "input" in step.model_fields_set else None
        return StepCall(step, key, arguments, prompt)
    return StepCall(step, key, resolve(step.input, scope))


def _iterations(text: str, scope: Scope, skipped: Collection[str]) -> Skip | ForEachItems:
    ref = whole_ref(text)
    if ref is None:
        raise RefFailed("unresolved_ref", f"forEach needs a ref, not {text!r}", ref=text, path="/forEach/ref")
    if ref.root in skipped:
        return Skip(None)
    items = look_up(ref, scope, "/forEach/ref")
    if not isinstance(items, list):
        kind = type_name(items)
        raise StepFailed("not_a_list", f"forEach needs a list, but {ref.text} is {kind}", ref=ref.text, found=kind)
    return ForEachItems(items)


def evaluate_condition(when: When, scope: Scope) -> tuple[bool, Any]:
    """Return whether the step runs, and the value that decided it. A missing path counts as null.

    Raises RefFailed for a ref that cannot have a value (an unknown step, `@item` outside forEach).
    """
    value = _condition_value(when.ref, scope)
    match when.operators:
        case []:
            return bool(value), value  # null, false, 0, "", [] and {} are false
        case ["eq"]:
            return json_equal(value, when.eq), value
        case ["neq"]:
            return not json_equal(value, when.neq), value
        case ["gt"]:
            return is_number(value) and value > when.gt, value
        case ["lt"]:
            return is_number(value) and value < when.lt, value
        case several:
            raise RefFailed("several_operators", f"a condition takes one operator, not {', '.join(several)}")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def json_equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are deeply equal: `1` equals `1.0`, `true` does not equal `1`."""
    if isinstance(left, bool) or isinstance(right, bool):  # in Python `True == 1`
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_equal(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return bool(left == right)


def _condition_value(text: str, scope: Scope) -> Any:
    ref = whole_ref(text)
    if ref is None:
        raise RefFailed("bad_condition", f"{text!r} is not a ref", ref=text, path="/when/ref")
    try:
        return look_up(ref, scope, "/when/ref")
    except RefFailed as error:
        if error.code == "unresolved_ref":  # a missing path counts as null: it is what a condition often asks about
            return None
        raise
