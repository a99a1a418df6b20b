"""What should come of a run, worked out the slow way: a second opinion that shares nothing with the engine.

It reads a template as JSON, walks its steps in an order in which each comes after what it waits for, and says for
each what it may come to. Where a run can end early (a `return`, a failure that is the run's), which of these ends
comes first is a matter of time: `ends` has them all, and steps behind one are not reached. What users answered, what
children came to, and which calls were cut off is a matter of time too, and is given (`Known`).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.fortune import BEGIN
from tests.simulation.values import IN_TEXT, Fails, as_json, holds, value_of

Json = dict[str, Any]


class Never(Exception):
    """A step never comes to anything: no answer came, or it hangs."""


@dataclass(frozen=True)
class Told:
    """What the user answered."""

    action: str
    value: Any = None


@dataclass
class Known:
    """What time has decided. Keys are those of results, `step` or `step[3]`.

    `answers` are to the questions of steps, `outcomes` to those about unknown effects, `patches` of outputs as (asking
    step, path, value) in their order; `children` have status and output; `errors` are the codes that results have.
    `taken` are the steps and iterations that a fork has taken over from another run.
    `is_exact`: nothing was cut off and there is no deadline, so that attempts can be counted, but of those calls that
    ended after their run (`cut`).
    """

    answers: dict[str, Told] = field(default_factory=dict)
    outcomes: dict[str, Told] = field(default_factory=dict)
    patches: list[tuple[str, str, Any]] = field(default_factory=list)
    children: dict[str, tuple[str, Any]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    taken: dict[str, "Comes"] = field(default_factory=dict)
    is_exact: bool = True
    has_deadline: bool = False


@dataclass
class Comes:
    """What a step or an iteration comes to: an output, or one of the error codes in `fails`."""

    output: Any = None
    skipped: bool = False
    fails: set[str] = field(default_factory=set)


@dataclass
class Expected:
    """`steps` are those that can be reached, `items` their iterations, None where one never comes to an end; `ends`
    names those steps with which the run may end early."""

    steps: dict[str, Comes]
    items: dict[str, list[Comes | None]]
    ends: list[str]
    output: Any = None


class Reference:
    """One run. `world` is what its steps meet."""

    def __init__(self, template: Json, given: Any, world: Mapping[str, Json], known: Known) -> None:
        self._steps = {step["name"]: step for step in template["steps"]}
        self._given = given
        self._world = world
        self._known = known
        self._done: dict[str, Comes] = {}
        self._begun: dict[str, list[Comes | None]] = {}

    def expect(self) -> Expected:
        """What the run comes to unless it is cancelled."""
        waits = {name: waits_for(step, set(self._steps)) for name, step in self._steps.items()}
        ends: list[str] = []
        seen: set[str] = set()
        while ready := [n for n in waits if n not in seen and all(w in self._done and w not in ends for w in waits[n])]:
            for name in ready:
                seen.add(name)
                try:
                    comes = self._done[name] = self._step(self._steps[name])
                except Never:
                    continue
                if ends_run(self._steps[name], comes):
                    ends.append(name)
        awaited = {name for names in waits.values() for name in names}
        last = [name for name in self._steps if name not in awaited]
        patched = {name: self._patched(name) for name in self._done}
        for name, output in patched.items():
            self._done[name].output = output
        outputs = {name: patched[name] for name in last if name in patched}
        return Expected(
            self._done, self._begun, ends, outputs[last[0]] if len(last) == 1 and last[0] in outputs else outputs
        )

    def _step(self, step: Json) -> Comes:
        name = step["name"]
        if name in self._known.taken:
            return self._known.taken[name]
        roots: Json = {"input": self._given, **{other: self._patched(other, but=name) for other in self._done}}
        absent = {other for other, comes in self._done.items() if comes.skipped or comes.fails}
        try:
            if "when" in step and not holds(step["when"], roots, absent):
                return Comes(skipped=True)
            items = None
            if "forEach" in step:
                ref = step["forEach"]["ref"]
                if any(self._done[other].skipped for other in self._done if re.fullmatch(rf"@{other}(\W.*)?", ref)):
                    return Comes(skipped=True)
                items = value_of(ref, roots, absent)
            value = value_of(step.get("input", {}), roots, absent) if "forEach" not in step else None
            if "agent" in step["action"] and "forEach" not in step:
                value_of(step["action"]["agent"]["prompt"], roots, absent)
        except Fails as failure:
            return Comes(fails={str(failure)})
        if (items is not None and not isinstance(items, list)) or ("forEach" in step and items is None):
            return Comes(fails={"not_a_list"})
        if items is not None:  # a fork may have some of them before the user is asked
            self._begun[name] = [self._known.taken.get(f"{name}[{at}]") for at in range(len(items))]
        if (asked := self._asked(step, value)) is not None:
            if asked.action == "reject":
                is_skipped = step["interrupt"].get("onReject") == "skip"
                return Comes(skipped=True) if is_skipped else Comes(fails={"rejected"})
            if step["interrupt"]["kind"] == "local-execution":
                return Comes(asked.value)
            roots = {"input": self._given, **{other: self._patched(other) for other in self._done}}
        if items is None:
            return self._try(step, roots, absent, None, asked)
        made = [self._item(step, {**roots, "item": one, "index": at}, absent, at) for at, one in enumerate(items)]
        self._begun[step["name"]] = made
        codes = {code for each in made if each is not None for code in each.fails}
        if codes and (step.get("config", {}).get("onError") == "fail" or "outcome_unknown" in codes):
            return Comes(fails=codes)
        if None in made:
            raise Never
        return Comes([each.output for each in made if each is not None])

    def _asked(self, step: Json, value: Any) -> Told | None:
        """What the user answered before the step, None if the user was not asked."""
        if "interrupt" not in step or (step["interrupt"]["kind"] == "tool-input" and "extra" in value):
            return None
        if step["name"] not in self._known.answers:
            raise Never
        return self._known.answers[step["name"]]

    def _patched(self, name: str, but: str = "") -> Any:
        """The output of a step with what users have changed in it, `but` that step's own question."""
        output = self._done[name].output
        for asking, path, value in self._known.patches:
            if asking != but and path.split("/")[1] == name:
                output = {**output, path.split("/")[2]: value} if path.count("/") > 1 else value
        return output

    def _item(self, step: Json, roots: Json, absent: set[str], at: int) -> Comes | None:
        if (taken := self._known.taken.get(f"{step['name']}[{at}]")) is not None:
            return taken
        try:
            return self._try(step, roots, absent, at, None)
        except Never:
            return None

    def _try(self, step: Json, roots: Json, absent: set[str], at: int | None, asked: Told | None) -> Comes:
        try:
            return Comes(self._carry_out(step, roots, absent, at, asked))
        except Fails as failure:
            return Comes(fails={str(failure)})

    def _carry_out(self, step: Json, roots: Json, absent: set[str], at: int | None, asked: Told | None) -> Any:
        """The output of one call, once all its attempts are over. Raises Fails."""
        action, config = step["action"], step.get("config", {})
        key = step["name"] if at is None else f"{step['name']}[{at}]"
        value = value_of(step.get("input", None if "agent" in action else {}), roots, absent)
        if asked is not None and asked.action == "submit" and step["interrupt"]["kind"] == "input-review":
            value = asked.value
        elif asked is not None and step["interrupt"]["kind"] == "tool-input":
            value = {**value, **asked.value}
        if "set" in action or "return" in action:
            return value
        if "workflow" in action or (action.get("toolName") == BEGIN and value["wait"]):
            return self._child(key, value)
        if action.get("toolName") == BEGIN:
            return "begun"
        told = value["v"] if "agent" not in action else self._prompt(step, roots, absent, value)
        met = self._world[step["name"]]
        code = "code_error" if "code" in action else "model_failed" if "agent" in action else "failed"
        is_once = action.get("toolName") in ("note", "form") and not config.get("idempotent")
        if is_once and (outcome := self._known.outcomes.get(key)) is not None and outcome.action != "approve":
            if outcome.action == "reject":
                raise Fails("failed")
            return outcome.value
        may_be_unknown = is_once and (config.get("onUnknown") == "fail" or key in self._known.cut)
        if may_be_unknown and self._happened(key, "outcome_unknown", False):
            raise Fails("outcome_unknown")
        if action.get("toolName") == "form" and "extra" not in value:
            raise Fails("invalid_arguments")
        if may_be_unknown and self._happened(key, "outcome_unknown", "hangs" in met):
            raise Fails("outcome_unknown")
        attempts = config.get("maxAttempts", 1)
        if met.get("hangs") == 99 and "timeoutMs" not in config:
            raise Never
        if "hangs" in met and not is_once and self._happened(key, "timeout", met["hangs"] >= attempts):
            raise Fails("timeout")
        if met["do"] == "fail" or at in met.get("fails", []):
            raise Fails(code)
        if self._happened(key, code, met.get("failures", 0) >= attempts):
            raise Fails(code)
        if "agent" in action:
            return f"said {told}"
        return told if met["do"] == "echo" else met["value"]

    def _happened(self, key: str, code: str, expected: bool) -> bool:
        """Whether the call failed so: it does if that is expected, unless something was cut off."""
        is_so = self._known.errors.get(key) == code
        if key in self._known.cut:
            return is_so
        if self._known.is_exact:
            return expected
        return is_so and (expected or self._known.has_deadline or code == "outcome_unknown")

    def _child(self, key: str, value: Any) -> Any:
        if not isinstance(value, dict):
            raise Fails("bad_input")
        if key not in self._known.children:
            raise Never
        status, output = self._known.children[key]
        if status != "success":
            raise Fails("child_failed")
        return output

    def _prompt(self, step: Json, roots: Json, absent: set[str], value: Any) -> str:
        text: str = value_of(step["action"]["agent"]["prompt"], roots, absent).split(" v ", 1)[1]
        return text if value is None else f"{text}\n\n{as_json(value)}"


def ends_run(step: Json, comes: Comes) -> bool:
    """Whether the step, coming to this, ends the run."""
    if {"rejected", "outcome_unknown"} & comes.fails:
        return True
    if comes.fails:
        return bool(step.get("config", {}).get("onError") != "continue")
    return "return" in step["action"] and not comes.skipped


def waits_for(step: Json, names: set[str]) -> set[str]:
    """The steps that must be done before this one."""
    told = [step.get("input"), step["action"].get("agent", {}).get("prompt"), step.get("interrupt")]
    text = json.dumps([*told, step.get("when", {}).get("ref"), step.get("forEach", {}).get("ref")])
    return ({found[1] for found in IN_TEXT.finditer(text)} | set(step.get("dependsOn", []))) & names


def behind(template: Json, name: str) -> set[str]:
    """The step and all that wait for it, directly or not."""
    steps = {step["name"]: step for step in template["steps"]}
    found = {name}
    while more := {one for one, step in steps.items() if one not in found and waits_for(step, set(steps)) & found}:
        found |= more
    return found
