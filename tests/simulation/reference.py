"""What should come of a run, worked out the slow way: a second opinion that shares nothing with the engine.

It reads a template as JSON, walks its steps in an order in which each comes after what it waits for, and says for
each what it may come to. Where a run can end early (a `return`, a failure that is the run's), which of these ends
comes first is a matter of time: `ends` has them all, and steps behind one are not reached.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

REF = re.compile(r"@([A-Za-z_][\w-]*)((?:\.[\w-]+|\[\d+\])*)(\??)")
IN_TEXT = re.compile(r"@@|(?<![\w.\-])" + REF.pattern.removesuffix(r"(\??)"))


class Fails(Exception):
    """A step fails with this code."""


@dataclass
class Comes:
    """What a step comes to: an output, or one of the error codes in `fails`; the same for each of its `items`."""

    output: Any = None
    skipped: bool = False
    fails: set[str] = field(default_factory=set)
    items: "list[Comes] | None" = None


@dataclass
class Expected:
    """`steps` are those that can be reached; `ends` names those of them with which the run may end early."""

    steps: dict[str, Comes]
    ends: list[str]
    output: Any = None


def expect(template: Json, given: Any, world: Mapping[str, Json]) -> Expected:
    """What a run of the template comes to if nobody interferes."""
    waits = {step["name"]: waits_for(step, {one["name"] for one in template["steps"]}) for step in template["steps"]}
    steps = {step["name"]: step for step in template["steps"]}
    done: dict[str, Comes] = {}
    ends: list[str] = []
    while ready := [n for n in steps if n not in done and all(w in done and w not in ends for w in waits[n])]:
        for name in ready:
            done[name] = comes = _step(steps[name], given, world.get(name, {}), done)
            fails = comes.fails and steps[name].get("config", {}).get("onError") != "continue"
            if fails or ("return" in steps[name]["action"] and not comes.skipped and not comes.fails):
                ends.append(name)
    awaited = {name for names in waits.values() for name in names}
    last = [name for name in steps if name not in awaited]
    outputs = {name: done[name].output for name in last if name in done}
    return Expected(done, ends, outputs[last[0]] if len(last) == 1 and last[0] in outputs else outputs)


def waits_for(step: Json, names: set[str]) -> set[str]:
    """The steps that must be done before this one."""
    told = [step.get("input"), step["action"].get("agent", {}).get("prompt"), step.get("interrupt")]
    text = json.dumps([*told, step.get("when", {}).get("ref"), step.get("forEach", {}).get("ref")])
    return ({found[1] for found in IN_TEXT.finditer(text)} | set(step.get("dependsOn", []))) & names


def _step(step: Json, given: Any, met: Json, done: dict[str, Comes]) -> Comes:
    roots: Json = {"input": given, **{name: comes.output for name, comes in done.items()}}
    absent = {name for name, comes in done.items() if comes.skipped or comes.fails}
    try:
        if "when" in step and not _holds(step["when"], roots, absent):
            return Comes(skipped=True)
        if "forEach" not in step:
            return _carry_out(step, roots, absent, met, None)
        ref = step["forEach"]["ref"]
        if any(done[name].skipped for name in done if re.fullmatch(rf"@{name}(\W.*)?", ref)):
            return Comes(skipped=True)
        items = value_of(ref, roots, absent)
    except Fails as failure:
        return Comes(fails={str(failure)})
    if not isinstance(items, list):
        return Comes(fails={"not_a_list"})
    made = [_item(step, {**roots, "item": item, "index": at}, absent, met, at) for at, item in enumerate(items)]
    codes = {code for one in made for code in one.fails}
    if codes and step.get("config", {}).get("onError") == "fail":
        return Comes(fails=codes, items=made)
    return Comes([one.output for one in made], items=made)


def _item(step: Json, roots: Json, absent: set[str], met: Json, at: int) -> Comes:
    try:
        return _carry_out(step, roots, absent, met, at)
    except Fails as failure:
        return Comes(fails={str(failure)})


def _carry_out(step: Json, roots: Json, absent: set[str], met: Json, at: int | None) -> Comes:
    action = step["action"]
    value = value_of(step.get("input", {}), roots, absent)
    if "set" in action or "return" in action:
        return Comes(value)
    told = value_of(action["agent"]["prompt"], roots, absent).split(" v ", 1)[1] if "agent" in action else value["v"]
    if met["do"] == "fail" or at in met.get("fails", []):
        return Comes(fails={"code_error" if "code" in action else "model_failed" if "agent" in action else "failed"})
    if "agent" in action:
        return Comes(f"said {told}")
    return Comes(told if met["do"] == "echo" else met["value"])


def _holds(when: Json, roots: Json, absent: set[str]) -> bool:
    try:
        value = value_of(when["ref"], roots, absent)
    except Fails:
        value = None
    if "eq" in when:
        return same(value, when["eq"])
    if "neq" in when:
        return not same(value, when["neq"])
    if "gt" in when or "lt" in when:
        number = type(value) in (int, float)
        return number and (value > when["gt"] if "gt" in when else value < when["lt"])
    return bool(value)


def same(one: Any, other: Any) -> bool:
    """JSON equality: 1 is 1.0, true is not 1."""
    return bool(_marked(one) == _marked(other))


def _marked(value: Any) -> Any:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return [_marked(one) for one in value]
    return {key: _marked(one) for key, one in value.items()} if isinstance(value, dict) else value


def value_of(value: Any, roots: Json, absent: set[str]) -> Any:
    """`value` with its refs replaced. Raises Fails `unresolved_ref`."""
    if isinstance(value, dict):
        return {key: value_of(one, roots, absent) for key, one in value.items()}
    if isinstance(value, list):
        return [value_of(one, roots, absent) for one in value]
    if not isinstance(value, str):
        return value
    if whole := REF.fullmatch(value):
        return _walk(whole[1], whole[2], roots, absent, optional=bool(whole[3]))
    return IN_TEXT.sub(lambda ref: _text(_walk(ref[1], ref[2], roots, absent)) if ref[1] else "@", value)


def _walk(root: str, path: str, roots: Json, absent: set[str], *, optional: bool = False) -> Any:
    if root in absent or root == "ctx":
        return None
    value = roots[root]
    for key in re.findall(r"[^.\[\]]+", path):
        try:
            value = value[int(key)] if isinstance(value, list) else value[key] if isinstance(value, dict) else {}[key]
        except (LookupError, ValueError):
            if optional:
                return None
            raise Fails("unresolved_ref") from None
    return value


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
