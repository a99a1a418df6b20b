"""What is played: templates, what their steps will meet, and what goes wrong, all drawn from one seed.

A scenario is a JSON object, so that a failing one can be made smaller and played again:

    seed        of everything that is drawn while it is played: delays, the order of tasks
    shuffle     whether tasks that become ready together change places; busyMs: what a turn of the loop may take
    runs        [{name, atMs, template, input, cancelAtMs?, again?}]
    world       step name -> what happens when it is carried out: {do, value?, ms, fails?, effectAt, …}
    disk        {ms, full: [{at, count, applied}]}: how long commits take (never no time at all: whatever is ready
                goes on meanwhile), and which ones fail
    lives       how each process ends, but the last: {end: crash | close, commit? and applied?, or atMs}
    jumps       [{atMs, seconds}]: of the wall clock
    maxRuns     how many runs may be at work at once

Names of steps are unique in a scenario, so that `world` needs no run.
"""

import random
from collections.abc import Sequence
from typing import Any

from tests.simulation.template_maker import TemplateMaker

Json = dict[str, Any]

LANDED = frozenset[str]()
"""Features of the engine that scenarios make use of: see FEATURES."""

FEATURES = frozenset({"doubtful_commits", "retries", "timeouts", "deadlines", "interruptions", "unknown", "children"})
"""`doubtful_commits`: a commit fails although it took effect. The others are fields of ENGINE §2."""


def make_scenario(seed: int, features: frozenset[str] = LANDED) -> Json:
    """The scenario of a seed."""
    rng = random.Random(seed)
    runs: list[Json] = []
    world: Json = {}
    for number in range(rng.choices((1, 2, 3), (70, 22, 8))[0]):
        maker = TemplateMaker(rng, f"r{number}", features)
        template = maker.template(_size(rng))
        run: Json = {"name": f"r{number}", "atMs": _ms(rng), "template": template, "input": maker.given}
        if rng.random() < 0.12:
            run["cancelAtMs"] = rng.choice((0, 1, 5, 20, 60, 200, 1000))
        if rng.random() < 0.1:
            run["again"] = True
        runs.append(run)
        world.update(maker.world)
    scenario: Json = {
        "seed": seed,
        "shuffle": rng.random() < 0.7,
        "busyMs": rng.choices((0, 0.1, 4), (60, 25, 15))[0],
        "runs": runs,
        "world": world,
        "disk": {"ms": rng.choice(([0.1], [0.1, 1], [1, 3, 20], [0.1, 1, 200])), "full": []},
        "lives": _lives(rng),
        "jumps": [],
        "maxRuns": rng.choice((1, 2, 20)),
    }
    if rng.random() < 0.12:
        scenario["disk"]["full"] = [_full(rng, features) for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.15:
        scenario["jumps"] = [_jump(rng) for _ in range(rng.choice((1, 2, 3)))]
    return scenario


def _size(rng: random.Random) -> int:
    low, high = rng.choices(((1, 4), (5, 9), (10, 20), (21, 40)), (45, 38, 13, 4))[0]
    return rng.randint(low, high)


def _ms(rng: random.Random) -> int:
    return rng.choice((0, 0, 0, 1, 10, 50))


def _lives(rng: random.Random) -> list[Json]:
    """Mostly one; else one or two that end by a crash or are closed, so that a crash meets a recovery too."""
    count = rng.choices((0, 1, 2, 3), (55, 30, 11, 4))[0]
    return [_life(rng) for _ in range(count)]


def _life(rng: random.Random) -> Json:
    kind = rng.random()
    if kind < 0.6:
        return {"end": "crash", "commit": int(rng.expovariate(0.18)), "applied": rng.random() < 0.5}
    return {"end": "crash" if kind < 0.85 else "close", "atMs": _moment(rng)}


def _moment(rng: random.Random) -> float:
    return rng.choice((0, 1, 3, 10, 20, 40, 51, 80, 150, 400, 1500)) + rng.choice((0, 0.5))


def _full(rng: random.Random, features: frozenset[str]) -> Json:
    is_applied = rng.random() < 0.4 and "doubtful_commits" in features
    return {"at": int(rng.expovariate(0.15)), "count": rng.choice((1, 2, 3, 6)), "applied": is_applied}


def _jump(rng: random.Random) -> Json:
    return {"atMs": _moment(rng), "seconds": rng.choice((-3600, 3600, 28_800))}


def template_of(scenario: Json, step: str) -> Json | None:
    """The template that has the step."""
    every: Sequence[Json] = [run["template"] for run in scenario["runs"]]
    return next((one for one in every if any(given["name"] == step for given in one["steps"])), None)
