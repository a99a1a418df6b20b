"""How soon a person is asked, and how soon an answer takes effect. A part of the bench `engine`."""

import random
import time
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any

from core.app import Core
from core.domain.events import Event, InterruptionRaised, StepStarted
from core.domain.interruption import Action, Answer
from core.domain.template import Template
from core.ports import ResolvedTemplate
from core.services.outcome import Ok
from tests.bench.measure import line

ROUNDS = 15
APPROVALS = 2
BODIES = 4


async def approvals(bench: str, core: Core, commit: Callable[[], Awaitable[None]]) -> None:
    """Four steps, the second and the fourth asked about; beside one bare commit in the same run."""
    asked: list[float] = []
    went: list[float] = []
    bare: list[float] = []
    for _ in range(ROUNDS):
        seen: dict[str, float] = {}
        bodies: list[str] = []

        def told(event: Event, seen: dict[str, float] = seen, bodies: list[str] = bodies) -> None:
            if isinstance(event.fact, InterruptionRaised):
                seen[f"asked {event.fact.step}"] = time.perf_counter()
            elif isinstance(event.fact, StepStarted):
                seen[f"began {event.fact.step}"] = time.perf_counter()
                bodies.append(event.fact.step)

        with core.bus.subscribe(Event, told):
            began = time.perf_counter()
            started = await core.runs.start(ResolvedTemplate(_asking()), {})
            assert isinstance(started, Ok)
            await core.engine.wait(started.data.id)
            asked.append(seen["asked s1"] - began)
            for step in ("s1", "s3"):
                answered = time.perf_counter()
                await core.engine.answer(started.data.id, Answer(Action.APPROVE))
                await core.engine.wait(started.data.id)
                went.append(seen[f"began {step}"] - answered)
        assert bodies == ["s0", "s1", "s2", "s3"], bodies
        began = time.perf_counter()
        await commit()
        bare.append(time.perf_counter() - began)
    for name, seconds in (("start to question", asked), ("answer to next step", went)):
        line(
            bench,
            f"two approvals, {name}",
            median(seconds) * 1e3,
            "ms",
            len(seconds),
            compared_to=f"a bare commit: {median(bare) * 1e3:.4g} ms",
            ratio=median(seconds) / median(bare),
        )


async def ragged(bench: str, core: Core, seed: int = 1) -> None:
    """A DAG of 40 waits of 5 to 60 ms, each behind up to three others; beside its longest path."""
    rng = random.Random(seed)
    steps: list[dict[str, Any]] = []
    ends: dict[str, float] = {}
    for n in range(40):
        after = rng.sample([step["name"] for step in steps[-8:]], min(len(steps[-8:]), rng.randint(0, 3)))
        seconds = rng.uniform(0.005, 0.06)
        steps.append(
            {"name": f"s{n}", "action": {"toolName": "wait"}, "input": {"seconds": seconds}, "dependsOn": after}
        )
        ends[f"s{n}"] = seconds + max((ends[name] for name in after), default=0.0)
    template = Template.model_validate({"title": "Ragged", "steps": steps, "maxParallel": 100})
    taken = []
    for _ in range(5):
        started = await core.runs.start(ResolvedTemplate(template), {})
        assert isinstance(started, Ok)
        run = await core.engine.wait(started.data.id)
        taken.append(run.active_ms)
    longest = max(ends.values()) * 1e3
    line(
        bench,
        "ragged DAG of 40 waits",
        median(taken),
        "ms",
        len(taken),
        compared_to=f"its longest path: {longest:.4g} ms",
        ratio=median(taken) / longest,
    )


def _asking() -> Template:
    steps = [
        {
            "name": f"s{n}",
            "action": {"set": True},
            "input": n,
            "dependsOn": [f"s{n - 1}"] if n else [],
            **({"interrupt": {"kind": "approval"}} if n % 2 else {}),
        }
        for n in range(BODIES)
    ]
    return Template.model_validate({"title": "Asking", "steps": steps})
