"""The scenes of the bench `engine`, and the same scenes in a process of their own, in this checkout or in another.

`python tests/bench/engine_scenes.py CHECKOUT SCENE ROUNDS` runs the core of that checkout and prints the seconds of
each round, of the wall clock and of the process. So the commit before, in a worktree beside, is measured in the same
run. Only what both have in common is imported here.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path[0] = sys.argv[1]

from core.app import tune_gc
from core.domain.template import Template
from core.domain.tool import ToolInfo
from core.persistence.surreal import SurrealStorage
from core.ports import PutSetting, ResolvedTemplate
from core.services.outcome import Ok
from core.tools.registry import Tool
from core.wiring import run_core

if TYPE_CHECKING:
    from core.app import Core

Scene = Callable[["Core"], Awaitable[None]]

ITEMS = 10_000
RUNS = 20
TURNS = 3
ROUNDS = 7


def set_step(name: str, *after: str) -> dict[str, Any]:
    return {"name": name, "action": {"set": True}, "input": {"x": 1}, "dependsOn": list(after)}


def note(name: str, *after: str) -> dict[str, Any]:
    return {"name": name, "action": {"toolName": "note"}, "input": {}, "dependsOn": list(after)}


def wait(name: str, *after: str) -> dict[str, Any]:
    return {"name": name, "action": {"toolName": "wait"}, "input": {"seconds": 0.005}, "dependsOn": list(after)}


def template(steps: list[dict[str, Any]]) -> Template:
    return Template.model_validate({"title": "bench", "steps": steps, "maxParallel": 1000})


def chain(length: int, make: Callable[..., dict[str, Any]] = set_step) -> Template:
    return template([make(f"s{n}", *([f"s{n - 1}"] if n else [])) for n in range(length)])


def fan(width: int) -> Template:
    leaves = [set_step(f"leaf{n}", "root") for n in range(width)]
    return template([set_step("root"), *leaves, set_step("join", *(leaf["name"] for leaf in leaves))])


def each() -> Template:
    step = {
        "name": "each",
        "action": {"set": True},
        "forEach": {"ref": "@input.items", "concurrency": 100},
        "input": {"n": "@item"},
    }
    return template([step])


def note_tool() -> Tool:
    """Has an effect that cannot be repeated, says the registry; does nothing."""

    async def call(arguments: Any, context: Any) -> None:
        return None

    info = ToolInfo(name="note", title="Note", description="Notes.", input_schema={"type": "object"})
    return Tool(info, server=call)


async def finish(core: "Core", template: Template, given: dict[str, Any] | None = None, *allow: str) -> None:
    started = await core.runs.start(ResolvedTemplate(template), given or {}, allow=allow)
    assert isinstance(started, Ok), started
    ended = await core.engine.wait(started.data.id)
    assert ended.status == "success", ended


async def bare_commits(storage: Any, count: int) -> None:
    """As many commits of one small row each."""
    for number in range(count):
        await storage.commit([PutSetting("bench", str(number))])


def scenes(storage: Any) -> dict[str, tuple[Scene, int]]:
    """Each scene by its name, and for how many its time counts."""
    hundred, wide, effects, six = chain(100), fan(200), chain(100, note), chain(6, wait)

    async def twenty(core: "Core") -> None:
        await asyncio.gather(*(finish(core, six) for _ in range(RUNS)))

    return {
        "a commit of a setting": (lambda core: bare_commits(storage, 100), 100),
        "chain of 100 set, a step": (lambda core: finish(core, hundred), 100),
        "1-200-1 set, a step": (lambda core: finish(core, wide), 202),
        "chain of 100 effects, a step": (lambda core: finish(core, effects), 100),
        "20 runs x 6 steps of 5 ms, a run": (twenty, RUNS),
        f"{ITEMS} forEach items, an item": (lambda core: finish(core, each(), {"items": list(range(ITEMS))}), ITEMS),
    }


async def measured(scene: str, rounds: int) -> list[tuple[float, float]]:
    """Seconds of each round, of the wall clock and of the process, after one to warm up."""
    with tempfile.TemporaryDirectory() as folder:
        storage = await SurrealStorage.open(Path(folder) / "data" / "store")
        async with run_core(storage, more_tools=[note_tool()]) as core:
            tune_gc()
            work, _ = scenes(storage)[scene]
            await work(core)
            seconds = []
            for _ in range(rounds):
                began, at_work = time.perf_counter(), time.process_time()
                await work(core)
                seconds.append((time.perf_counter() - began, time.process_time() - at_work))
        await storage.close()
    return seconds


def in_checkout(checkout: Path, scene: str, rounds: int) -> tuple[float, float]:
    """The medians of `measured` with the core of a checkout, in a process of its own."""
    command = [sys.executable, str(Path(__file__)), str(checkout), scene, str(rounds)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=checkout)
    wall, at_work = zip(*json.loads(told.stdout), strict=True)
    return statistics.median(wall), statistics.median(at_work)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measured(sys.argv[2], int(sys.argv[3])))))
