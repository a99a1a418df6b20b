"""What coming back costs: a chain killed in the middle, a thousand unfinished runs, and the store as it grows.

Part of the bench `engine`.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any

from core.app import Core
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.run import Run, RunKind, RunStatus, Snapshot
from core.domain.template import Template
from core.persistence.surreal import SurrealStorage
from core.ports import CreateRun, ResolvedTemplate
from core.services.outcome import Ok
from core.threads.system_clock import SystemClock
from core.wiring import run_core
from tests.bench.engine_scenes import bare_commits
from tests.bench.measure import line

KILLS = 5
UNFINISHED = 1000
BATCH = 100


def kill_and_restart(bench: str) -> None:
    """A chain of 50 steps, killed in the middle, resumed; beside a process that opens the store and lists a run."""
    resumed, bare = [], []
    for _ in range(KILLS):
        with tempfile.TemporaryDirectory() as folder:
            _run_and_kill(Path(folder))
            bare.append(_seconds(Path(folder), "list", "--limit", "1"))
            resumed.append(_seconds(Path(folder), "resume"))
    line(
        bench,
        "kill, restart, done: a chain of 50",
        median(resumed) * 1e3,
        "ms",
        KILLS,
        compared_to=f"open and list: {median(bare) * 1e3:.4g} ms",
        ratio=median(mine / theirs for mine, theirs in zip(resumed, bare, strict=True)),
    )


def _run_and_kill(folder: Path) -> None:
    """Kill the process when half of the steps have been told."""
    steps = [
        {
            "name": f"s{n}",
            "action": {"toolName": "wait"},
            "input": {"seconds": 0.005},
            "dependsOn": [f"s{n - 1}"] if n else [],
        }
        for n in range(50)
    ]
    file = folder / "chain.json"
    file.write_text(json.dumps({"format": "metier.template/1", "title": "Chain", "steps": steps}))
    running = subprocess.Popen(
        _command(folder, "run", str(file), "--events"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert running.stdout is not None
    for told in running.stdout:
        if '"step":"s25"' in told:
            break
    running.send_signal(signal.SIGKILL)
    running.communicate()


def _seconds(folder: Path, *arguments: str) -> float:
    began = time.perf_counter()
    subprocess.run(_command(folder, *arguments), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _command(folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "core", *arguments, "--data", str(folder / "data")]


async def recover_many(bench: str) -> None:
    """A thousand runs that a process left unfinished: until each has its place in the queue, and until all are done."""
    with tempfile.TemporaryDirectory() as folder:
        storage = await SurrealStorage.open(Path(folder) / "store")
        await _leave_unfinished(storage)
        async with run_core(storage) as core:
            began = time.perf_counter()
            found = await core.engine.recover()
            queued = time.perf_counter() - began
            assert len(found) == UNFINISHED
            for run_id in found:
                await core.engine.wait(run_id)
            done = time.perf_counter() - began
        bare = await _seconds_of(bare_commits(storage, UNFINISHED))
        await storage.close()
    tiny = f"{UNFINISHED} commits of a setting: {bare * 1e3:.4g} ms"
    for name, seconds, aim in (("found", queued, None), ("done", done, 2_000.0)):
        line(
            bench,
            f"{UNFINISHED} unfinished runs {name}",
            seconds * 1e3,
            "ms",
            1,
            compared_to=tiny,
            ratio=seconds / bare,
            aim=aim,
        )


async def _seconds_of(work: Awaitable[None]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def _leave_unfinished(storage: SurrealStorage) -> None:
    template = Template.model_validate({"title": "Left", "steps": [{"name": "a", "action": {"set": True}}]})
    now = SystemClock().now()
    runs = [
        Run(
            RunId(f"run_{number:04}"),
            WorkflowId(f"wf_{number:04}"),
            RunKind.WORKFLOW,
            "Left",
            RunStatus.RUNNING,
            MessageId(f"msg_{number:04}"),
            now + timedelta(milliseconds=number),
        )
        for number in range(UNFINISHED)
    ]
    for at in range(0, UNFINISHED, BATCH):
        await storage.commit([CreateRun(run, Snapshot(template, {})) for run in runs[at : at + BATCH]])


async def growth(bench: str, lengths: Sequence[int] = (100, 400)) -> None:
    """Bytes of the store for each step of a chain, short and long."""
    each = [await _bytes_a_step(length) for length in lengths]
    line(
        bench,
        f"store, bytes a step in a chain of {lengths[-1]}",
        each[-1],
        "B",
        1,
        compared_to=f"in a chain of {lengths[0]}: {each[0]:.0f} B",
        ratio=each[-1] / each[0],
    )


async def _bytes_a_step(length: int, runs: int = 20) -> float:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        storage = await SurrealStorage.open(store)
        async with run_core(storage) as core:
            before = _size(store)
            for _ in range(runs):
                await _finish(core, _chain(length))
            grown = _size(store) - before
        await storage.close()
    return grown / runs / length


def _chain(length: int) -> Template:
    steps: list[dict[str, Any]] = [
        {
            "name": f"s{n}",
            "action": {"set": True},
            "input": {"n": n},
            "dependsOn": [f"s{n - 1}"] if n else [],
        }
        for n in range(length)
    ]
    return Template.model_validate({"title": "Chain", "steps": steps})


async def _finish(core: Core, template: Template) -> None:
    started = await core.runs.start(ResolvedTemplate(template), {})
    assert isinstance(started, Ok)
    await core.engine.wait(started.data.id)


def _size(folder: Path) -> int:
    return sum(os.path.getsize(path) for path in folder.rglob("*") if path.is_file())  # noqa: PTH202
