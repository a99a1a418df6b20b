"""Making a failing scenario smaller: what can be left out while something still goes wrong is left out."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.simulation.play import play

Json = dict[str, Any]
Change = Callable[[Json], object]

SCHEDULES = 3
"""Under how many seeds a smaller scenario is tried: the one that failed need not fail under its own any more."""

MOST_TRIES = 4000


def kind(blame: str) -> str:
    """What a blame has in common with another one of the same thing."""
    return re.sub(r"r\ds\d+(\[\d+\])?|run_\w+|[\d.]+|\{.*|\[.*", "#", blame)[:80]


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


def _changes(scenario: Json) -> Iterator[Change]:
    """Everything that could be left out, the largest first."""
    for at in range(len(scenario["runs"])):
        if len(scenario["runs"]) > 1:
            yield lambda one, at=at: one["runs"].pop(at)  # type: ignore[misc]
    for name in ("lives", "jumps"):
        for at in range(len(scenario[name])):
            yield lambda one, name=name, at=at: one[name].pop(at)  # type: ignore[misc]
    for at in range(len(scenario["disk"]["full"])):
        yield lambda one, at=at: one["disk"]["full"].pop(at)  # type: ignore[misc]
    for number, run in enumerate(scenario["runs"]):
        steps = [step["name"] for step in run["template"]["steps"]]
        half = len(steps) // 2
        if half > 1:
            yield lambda one, n=number, names=steps[:half]: _remove_steps(one, n, names)  # type: ignore[misc]
            yield lambda one, n=number, names=steps[half:]: _remove_steps(one, n, names)  # type: ignore[misc]
        if len(steps) > 1:
            for name in steps:
                yield lambda one, n=number, names=(name,): _remove_steps(one, n, names)  # type: ignore[misc]
        yield from _run_changes(number, run)
    yield lambda one: one.update(busyMs=0)
    yield lambda one: one.update(shuffle=False)
    yield lambda one: one.update(maxRuns=20)
    yield lambda one: one["disk"].update(ms=[0.1])
    yield lambda one: one["disk"].update(ms=[1])
    for name, met in scenario["world"].items():
        for field in ("stubbornMs", "fails", "rounds"):
            if met.get(field):
                yield lambda one, name=name, field=field: _drop(one["world"][name], field)  # type: ignore[misc]
        if met["do"] != "value" or met["value"] is not None:
            yield lambda one, name=name: one["world"][name].update(do="value", value=None)  # type: ignore[misc]
        for ms in ([0], [1], [100]):
            if len(met["ms"]) > 1 or met["ms"] > ms:
                yield lambda one, name=name, ms=ms: one["world"][name].update(ms=ms)  # type: ignore[misc]


def _run_changes(number: int, run: Json) -> Iterator[Change]:
    for field in ("cancelAtMs", "again"):
        if field in run:
            yield lambda one, field=field: one["runs"][number].pop(field)  # type: ignore[misc]
    for name in run["input"]:
        yield lambda one, name=name: one["runs"][number]["input"].pop(name)  # type: ignore[misc]
    if run["atMs"]:
        yield lambda one: one["runs"][number].update(atMs=0)
    for field in ("maxParallel", "timeoutMs"):
        if field in run["template"]:
            yield lambda one, field=field: one["runs"][number]["template"].pop(field)  # type: ignore[misc]
    for at, step in enumerate(run["template"]["steps"]):
        for field in ("when", "forEach", "interrupt", "config", "dependsOn"):
            if field in step:
                yield lambda one, at=at, field=field: one["runs"][number]["template"]["steps"][at].pop(field)  # type: ignore[misc]
        if {"set", "return"} & step["action"].keys() and step.get("input") is not None:
            yield lambda one, at=at: one["runs"][number]["template"]["steps"][at].update(input=None)  # type: ignore[misc]
        if isinstance(step.get("input"), dict) and step["input"].get("v") is not None:
            yield lambda one, at=at: one["runs"][number]["template"]["steps"][at]["input"].update(v=None)  # type: ignore[misc]


def _drop(met: Json, field: str) -> None:
    if field == "rounds":
        met[field] = []
    else:
        met.pop(field)


def _remove_steps(scenario: Json, number: int, names: list[str]) -> None:
    """Take steps out; what pointed to them points to nothing."""
    template = scenario["runs"][number]["template"]
    kept = [step for step in template["steps"] if step["name"] not in names]
    for name in names:
        scenario["world"].pop(name, None)
    template["steps"] = [_without(step, set(names)) for step in kept]


def _without(step: Json, names: set[str]) -> Json:
    step = dict(step)
    if "dependsOn" in step:
        step["dependsOn"] = [name for name in step["dependsOn"] if name not in names]
    for field in ("when", "forEach"):
        if field in step and _points(step[field]["ref"], names):
            del step[field]
    if "input" in step:
        step["input"] = _cut(step["input"], names)
    step["action"] = _cut(step["action"], names)
    return step


def _cut(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _cut(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_cut(one, names) for one in value]
    if isinstance(value, str) and value.startswith("@") and _points(value, names):
        return None
    if isinstance(value, str) and "@" in value:
        return " ".join(word for word in value.split(" ") if not _points(word, names))
    return value


def _points(text: str, names: set[str]) -> bool:
    root = text.removeprefix("@")
    for mark in ".[?":
        root = root.split(mark)[0]
    return text.startswith("@") and root in names


def report(scenario: Json, blame: str) -> str:
    """What goes wrong, in the smallest scenario that was found, and how to play it again."""
    smallest, blames = shrink(scenario, lambda found: kind(blame) in map(kind, found))
    told = "\n".join(f"  {one}" for one in blames)
    text = json.dumps(smallest, ensure_ascii=False)
    return f"seed {scenario['seed']}: {blame}\nmade smaller:\n{told}\npython -m tests.simulation - <<'END'\n{text}\nEND"
