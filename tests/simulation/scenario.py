"""What is played: templates, what their steps will meet, and what goes wrong, all drawn from one seed.

A scenario is a JSON object, so that a failing one can be made smaller and played again:

    seed        of everything that is drawn while it is played: delays, the order of tasks
    shuffle     whether tasks that become ready together change places; busyMs: what a turn of the loop may take
    runs        [{name, atMs, template, input, cancelAtMs?, again?, fork?, forkSoon?}]: `again` starts it twice, `fork`
                names the step from which it is run once more when it has ended; `forkSoon`: whatever is in flight then
    children    templates that steps of others run, by their title
    world       step name -> what happens when it is carried out and what users answer (fortune.py):
                {do, value?, ms, effectAt, fails?, failures?, hangs?, stubbornMs?, rounds?, answer?, outcome?}
    disk        {ms, full: [{at, count, applied}]}: how long commits take (never no time at all: whatever is ready
                goes on meanwhile), and which ones fail, though they may have been applied
    lives       how each process ends, but the last: {end: crash | close, commit? and applied?, or atMs}
    jumps       [{atMs, seconds}]: of the wall clock; recoverMs: when each process recovers a second time, if it does
    maxRuns     how many runs may be at work at once

Names of steps are unique in a scenario, so that `world` needs no run.
"""

import random
from typing import Any

from tests.simulation.fortune import Fortune
from tests.simulation.template_maker import Child, TemplateMaker

Json = dict[str, Any]


def make_scenario(seed: int) -> Json:
    """The scenario of a seed."""
    rng = random.Random(seed)
    lives = _lives(rng)
    fortune = Fortune(rng, is_calm=not lives)
    children: list[Child] = []
    runs: list[Json] = []
    templates: list[Json] = []
    world: dict[str, Json] = {}
    for number in range(rng.choices((0, 1, 2), (75, 18, 7))[0]):
        maker = TemplateMaker(rng, f"c{number}", list(children), fortune)
        templates.append(maker.template(rng.randint(1, 5)))
        children.append(maker.as_child())
        world.update(maker.world)
    for number in range(rng.choices((1, 2, 3), (70, 22, 8))[0]):
        maker = TemplateMaker(rng, f"r{number}", children, fortune)
        template = maker.template(_size(rng))
        runs.append(_run(rng, f"r{number}", template, maker.given))
        world.update(maker.world)
    return {
        "seed": seed,
        "shuffle": rng.random() < 0.7,
        "busyMs": rng.choices((0, 0.1, 4), (60, 25, 15))[0],
        "runs": runs,
        "children": templates,
        "world": world,
        "disk": _disk(rng),
        "lives": lives,
        "jumps": [_jump(rng) for _ in range(rng.choice((1, 2, 3)))] if rng.random() < 0.15 else [],
        "recoverMs": rng.choice((0, 20, 400, 3000)) if rng.random() < 0.15 else None,
        "maxRuns": rng.choice((1, 2, 20)),
    }


def _run(rng: random.Random, name: str, template: Json, given: Json) -> Json:
    run: Json = {"name": name, "atMs": rng.choice((0, 0, 0, 1, 10, 50)), "template": template, "input": given}
    if rng.random() < 0.12:
        run["cancelAtMs"] = rng.choice((0, 1, 5, 20, 60, 200, 1000, 10_000))
    if rng.random() < 0.1:
        run["again"] = True
    if rng.random() < 0.08:
        run["fork"] = rng.choice(template["steps"])["name"]
        run["forkSoon"] = rng.random() < 0.5
    return run


def _size(rng: random.Random) -> int:
    low, high = rng.choices(((1, 4), (5, 9), (10, 20), (21, 40)), (45, 38, 13, 4))[0]
    return rng.randint(low, high)


def _disk(rng: random.Random) -> Json:
    ms = rng.choice(([0.1], [0.1, 1], [1, 3, 20], [0.1, 1, 200]))
    is_full = rng.random() < 0.12
    return {"ms": ms, "full": [_full(rng) for _ in range(rng.choice((1, 1, 2)))] if is_full else []}


def _full(rng: random.Random) -> Json:
    is_applied = rng.random() < 0.4
    return {"at": int(rng.expovariate(0.15)), "count": rng.choice((1, 2, 3, 6)), "applied": is_applied}


def _lives(rng: random.Random) -> list[Json]:
    """Mostly one; else some that end by a crash or are closed, so that a crash meets a recovery too."""
    count = rng.choices((0, 1, 2, 3), (55, 30, 11, 4))[0]
    return [_life(rng) for _ in range(count)]


def _life(rng: random.Random) -> Json:
    kind = rng.random()
    if kind < 0.6:
        return {"end": "crash", "commit": int(rng.expovariate(0.15)), "applied": rng.random() < 0.5}
    return {"end": "crash" if kind < 0.85 else "close", "atMs": _moment(rng)}


def _moment(rng: random.Random) -> float:
    return rng.choice((0, 1, 3, 10, 20, 40, 51, 80, 150, 400, 1500, 20_100)) + rng.choice((0, 0.5))


def _jump(rng: random.Random) -> Json:
    return {"atMs": _moment(rng), "seconds": rng.choice((-3600, 3600, 28_800))}


def templates_of(scenario: Json) -> dict[str, Json]:
    """Every template, by its title."""
    return {each["title"]: each for each in [*(run["template"] for run in scenario["runs"]), *scenario["children"]]}
