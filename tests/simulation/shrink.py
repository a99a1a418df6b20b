"""Making a failing scenario smaller: what can be left out while the same thing still goes wrong is left out."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.simulation.fortune import BEGIN
from tests.simulation.play import play

Json = dict[str, Any]
Change = Callable[[Json], object]

SCHEDULES = 3
"""Under how many seeds a smaller scenario is tried: the one that failed need not fail under its own any more."""

MOST_TRIES = 4000


def kind(blame: str) -> str:
    """What a blame has in common with another one of the same thing."""
    return re.sub(r"[rc]\d+s\d+(\[\d+\])?|run_\w+|\b[rc]\d\b|[\d.]+|\{.*|\[.*", "#", blame)[:70]


def report(scenario: Json, blame: str) -> str:
    """What goes wrong, in the smallest scenario that was found, and how to play it again."""
    smallest, blames = shrink(scenario, lambda found: kind(found[0]) == kind(blame))
    told = "\n".join(f"  {each}" for each in blames)
    text = json.dumps(smallest, ensure_ascii=False)
    return f"seed {scenario['seed']}: {blame}\nmade smaller:\n{told}\npython -m tests.simulation - <<'END'\n{text}\nEND"


def shrink(scenario: Json, still_fails: Callable[[list[str]], bool]) -> tuple[Json, list[str]]:
    """The smallest scenario that was found, and what goes wrong in it."""
    best, blames, tries = scenario, play(scenario), 0
    is_better = True
    while is_better and tries < MOST_TRIES:
        is_better = False
        for change in _changes(best):
            tries += 1
            found = _try(best, change, still_fails)
            if found is not None:
                best, blames = found
                is_better = True
                break
    return best, blames


def _try(scenario: Json, change: Change, still_fails: Callable[[list[str]], bool]) -> tuple[Json, list[str]] | None:
    smaller = copy.deepcopy(scenario)
    change(smaller)
    if json.dumps(smaller) == json.dumps(scenario):
        return None
    for schedule in range(SCHEDULES):
        tried = {**smaller, "seed": scenario["seed"] + schedule}
        try:
            blames = play(tried)
        except Exception:  # noqa: BLE001  # what is left makes no sense any more
            return None
        if blames and still_fails(blames):
            return tried, blames
    return None


# What could be left out


def _changes(scenario: Json) -> Iterator[Change]:
    """Everything that could be left out, the largest first."""
    for name in ("runs", "children", "lives", "jumps"):
        for at in range(len(scenario[name])):
            if name != "runs" or len(scenario["runs"]) > 1:
                yield partial(_pop, (name, at))
    for at in range(len(scenario["disk"]["full"])):
        yield partial(_pop, ("disk", "full", at))
    for path, template in _templates(scenario):
        yield from _fewer_steps(path, [step["name"] for step in template["steps"]])
        yield from (partial(_pop, (*path, field)) for field in ("maxParallel", "timeoutMs") if field in template)
        for at, step in enumerate(template["steps"]):
            yield from _simpler_step((*path, "steps", at), step)
    for number, run in enumerate(scenario["runs"]):
        yield from (
            partial(_pop, ("runs", number, field))
            for field in ("cancelAtMs", "again", "fork", "forkSoon")
            if field in run
        )
        yield from (partial(_pop, ("runs", number, "input", name)) for name in run["input"])
        yield partial(_put, ("runs", number, "atMs"), 0)
    for name, met in scenario["world"].items():
        yield from _simpler_meeting(name, met)
    for name, value in (("busyMs", 0), ("shuffle", False), ("recoverMs", None), ("maxRuns", 20)):
        yield partial(_put, (name,), value)
    for ms in ([0.1], [1]):
        yield partial(_put, ("disk", "ms"), ms)


def _templates(scenario: Json) -> Iterator[tuple[tuple[Any, ...], Json]]:
    for number, run in enumerate(scenario["runs"]):
        yield ("runs", number, "template"), run["template"]
    for number, template in enumerate(scenario["children"]):
        yield ("children", number), template


def _fewer_steps(path: tuple[Any, ...], names: list[str]) -> Iterator[Change]:
    half = len(names) // 2
    if half > 1:
        yield partial(_remove_steps, path, names[:half])
        yield partial(_remove_steps, path, names[half:])
    if len(names) > 1:
        yield from (partial(_remove_steps, path, [name]) for name in names)


def _simpler_step(path: tuple[Any, ...], step: Json) -> Iterator[Change]:
    if "forEach" in step:
        yield partial(_no_for_each, path)
    for field in ("when", "interrupt", "config", "dependsOn"):
        if field in step:
            yield partial(_pop, (*path, field))
    for part in ("config", "interrupt"):
        yield from (partial(_pop, (*path, part, field)) for field in step.get(part, {}) if field != "kind")
    if "concurrency" in step.get("forEach", {}):
        yield partial(_pop, (*path, "forEach", "concurrency"))
    given = step.get("input")
    if {"set", "return"} & step["action"].keys() and given is not None:
        yield partial(_put, (*path, "input"), None)
    elif isinstance(given, dict):
        yield from (
            partial(_put, (*path, "input", name), None) for name in ("v", "flag") if given.get(name) is not None
        )
        if _runs_another(step):
            yield from (partial(_pop, (*path, "input", name)) for name in given)
    if _runs_another(step):
        yield partial(_put, (*path, "action"), {"set": True})


def _runs_another(step: Json) -> bool:
    return "workflow" in step["action"] or step["action"].get("toolName") == BEGIN


def _simpler_meeting(name: str, met: Json) -> Iterator[Change]:
    for field in ("stubbornMs", "fails", "failures", "hangs"):
        if met.get(field):
            yield partial(_pop, ("world", name, field))
    if met.get("rounds"):
        yield partial(_put, ("world", name, "rounds"), [])
    for asked in ("answer", "outcome"):
        yield from (
            partial(_pop, ("world", name, asked, field)) for field in ("twice", "never") if field in met.get(asked, {})
        )
        if met.get(asked, {}).get("ms"):
            yield partial(_put, ("world", name, asked, "ms"), 0)
    if "do" in met:
        if met["do"] != "value" or met["value"] is not None:
            yield lambda one: one["world"][name].update(do="value", value=None)
        for ms in ([0], [1], [100]):
            if len(met["ms"]) > 1 or met["ms"] > ms:
                yield partial(_put, ("world", name, "ms"), ms)


# Leaving it out


def _at(scenario: Json, path: tuple[Any, ...]) -> Any:
    found: Any = scenario
    for key in path:
        found = found[key]
    return found


def _pop(path: tuple[Any, ...], scenario: Json) -> None:
    _at(scenario, path[:-1]).pop(path[-1])


def _put(path: tuple[Any, ...], value: Any, scenario: Json) -> None:
    _at(scenario, path[:-1])[path[-1]] = value


def _no_for_each(path: tuple[Any, ...], scenario: Json) -> None:
    step = _at(scenario, path)
    del step["forEach"]
    step.get("input", {}) and step.update(input=_cut(step["input"], {"item", "index"}))
    if isinstance(step.get("input"), dict):
        step["input"].pop("index", None)
    if "agent" in step["action"]:
        prompt = step["action"]["agent"]["prompt"].replace("index @index", "index -")
        step["action"]["agent"]["prompt"] = _cut(prompt, {"item", "index"})
    scenario["world"].get(step["name"], {}).pop("fails", None)


def _remove_steps(path: tuple[Any, ...], names: list[str], scenario: Json) -> None:
    """Take steps out; what pointed to them points to nothing."""
    template = _at(scenario, path)
    kept = [step for step in template["steps"] if step["name"] not in names]
    for name in names:
        scenario["world"].pop(name, None)
    template["steps"] = [_without(step, set(names)) for step in kept]


def _without(step: Json, names: set[str]) -> Json:
    step = dict(step)
    if "dependsOn" in step:
        step["dependsOn"] = [name for name in step["dependsOn"] if name not in names]
    if "when" in step and _points(step["when"]["ref"], names):
        del step["when"]
    if "forEach" in step and _points(step["forEach"]["ref"], names):
        step["forEach"] = {**step["forEach"], "ref": "@input.list1"}
    if "input" in step:
        step["input"] = _cut(step["input"], names)
    step["action"] = _cut(step["action"], names)
    return step


def _cut(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _cut(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_cut(each, names) for each in value]
    if isinstance(value, str) and value.startswith("@") and _points(value, names):
        return None
    if isinstance(value, str) and "@" in value:
        return " ".join(word for word in value.split(" ") if not _points(word, names))
    return value


def _points(text: str, names: set[str]) -> bool:
    return text.startswith("@") and re.split(r"[.\[?]", text[1:])[0] in names
