"""The store in use: `--minutes 3`: streams and runs, killed every few seconds, and every acknowledged fact looked up;
`--gib 2.5`: so much written in one life without a pause; `--deletions 5000`: runs with 1.5 GB of outputs, deleted.
Without options, all three in small.
"""

import argparse
import asyncio
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.app import Core
from core.domain.events import Event, EventsPersisted, to_wire
from core.domain.ids import RunId, WorkflowId
from core.domain.text.json_text import encode
from core.persistence.folder import wal_bytes
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.persistence.upkeep import StoreUpkeep
from core.ports import PutMessage, PutWorkflow
from core.services.outcome import Ok
from core.threads.files import total_bytes
from core.wiring import run_core
from tests.bench.measure import line
from tests.contracts.rows import a_message, a_workflow

BENCH = "store"
STREAMS, RUNS, LIFE_S = 20, 20, 4.0
SEED = 11
VALUE_BYTES, ROW_BYTES, WRITERS = 300_000, 1000, 4


def main(options: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="tests.bench store")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--gib", type=float)
    parser.add_argument("--deletions", type=int)
    parser.add_argument("--life", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(options)
    if given.life is not None:
        asyncio.run(live(given.life))
        return
    chosen = any(value is not None for value in (given.minutes, given.gib, given.deletions))
    with tempfile.TemporaryDirectory() as folder:
        if given.minutes is not None or not chosen:
            report_kills(Path(folder), 60 * (given.minutes or 0.2))
        if given.gib is not None or not chosen:
            asyncio.run(write_without_pause(Path(folder), given.gib or 0.2))
        if given.deletions is not None or not chosen:
            asyncio.run(delete_outputs(Path(folder), given.deletions or 100))


class Killed(NamedTuple):
    """What became of the facts that lives acknowledged before they were killed."""

    lives: int
    acknowledged: int
    stored: int
    lost: int
    doubled: int


def report_kills(folder: Path, seconds: float) -> None:
    told = kills(folder, seconds)
    line(BENCH, f"facts acknowledged in {told.lives} lives, each killed", told.acknowledged, "facts", told.lives)
    line(BENCH, "facts in the store", told.stored, "facts", told.lives)
    line(BENCH, "facts lost", told.lost, "facts", told.acknowledged, aim=0)
    line(BENCH, "facts doubled", told.doubled, "facts", told.stored, aim=0)


def kills(folder: Path, seconds: float, streams: int = STREAMS, runs: int = RUNS) -> Killed:
    """Kill lives at random moments, then look up all facts that they acknowledged."""
    dice, store = random.Random(SEED), folder / "killed" / "store"
    acknowledged: dict[tuple[str, int], str] = {}
    lives, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        lives += 1
        command = [sys.executable, "-m", "tests.bench", "store", "--life", str(store)]
        environment = {**os.environ, "METIER_BENCH_STREAMS": str(streams), "METIER_BENCH_RUNS": str(runs)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            killer: threading.Timer | None = None
            for told in process.stdout:
                if killer is None:  # the store is open
                    killer = threading.Timer(dice.uniform(0.3, 1.7) * LIFE_S, process.kill)
                    killer.start()
                acknowledged |= _facts(told)
        assert process.returncode == -signal.SIGKILL, process.returncode
    lost, doubled, stored = asyncio.run(_compare(store, acknowledged))
    return Killed(lives, len(acknowledged), stored, lost, doubled)


def _facts(told: str) -> dict[tuple[str, int], str]:
    try:
        rows = json.loads(told)
    except ValueError:  # cut off by the kill
        return {}
    return {(run, seq): digest for run, seq, digest in rows}


async def _compare(store: Path, acknowledged: dict[tuple[str, int], str]) -> tuple[int, int, int]:
    """Return how many facts are lost or differ, how many are there twice, and how many are stored."""
    storage = await SurrealStorage.open(store)
    try:
        found: dict[tuple[str, int], str] = {}
        doubled = 0
        for run in dict.fromkeys(run for run, _ in acknowledged):
            for event in await storage.events.of_run(RunId(run)):
                doubled += (run, event.seq) in found
                found[run, event.seq] = digest(event)
        lost = sum(found.get(key) != value for key, value in acknowledged.items())
        return lost, doubled, len(found)
    finally:
        await storage.close()


def digest(event: Event) -> str:
    return hashlib.blake2b(encode(to_wire(event)).encode(), digest_size=8).hexdigest()


async def live(store: Path) -> None:
    """Continue what a killed process left, and start more; print each fact that is on disk."""
    storage = await SurrealStorage.open(store)
    async with run_core(storage, key_file=store.with_name("keys.json")) as core:
        _print([])
        core.bus.subscribe(EventsPersisted, _on_persisted)
        await core.runs.recover()
        streams, runs = (int(os.environ[f"METIER_BENCH_{name}"]) for name in ("STREAMS", "RUNS"))
        workers = [*(_stream(core) for _ in range(streams)), *(_chain(core) for _ in range(runs))]
        await asyncio.gather(*workers)


def _on_persisted(message: EventsPersisted) -> None:
    _print([(event.run_id, event.seq, digest(event)) for event in message.events])


def _print(rows: list[tuple[str, int, str]]) -> None:
    sys.stdout.write(json.dumps(rows) + "\n")
    sys.stdout.flush()


async def _stream(core: Core) -> None:
    for number in itertools.count():
        said = await core.chat.send(f"stream {number}", script=({"say": "word " * 200, "delay_ms": 5},), queued=True)
        assert isinstance(said, Ok), said
        await core.engine.wait(said.data.id)


async def _chain(core: Core) -> None:
    calls = [{"calls": [{"name": "calculator", "arguments": {"expression": f"{n} + 1"}}]} for n in range(10)]
    for number in itertools.count():
        said = await core.chat.send(f"run {number}", script=(*calls, {"say": "done"}), queued=True)
        assert isinstance(said, Ok), said
        await core.engine.wait(said.data.id)


async def write_without_pause(folder: Path, gib: float) -> None:
    """Write large and small values in one life, four at a time; the longest pause of the loop and of a commit."""
    store = folder / "long" / "store"
    storage = await SurrealStorage.open(store)
    connection = storage.connection
    await connection.commit([Statement("DEFINE TABLE bench SCHEMALESS", None)])
    gaps, waits = [0.0], [0.0]
    written = rows = longest = peak = 0

    async def watch() -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.002)
            now = time.perf_counter()
            gaps.append(now - last - 0.002)
            last = now

    async def write(writer: int) -> None:
        nonlocal written, rows, longest, peak
        while written < gib * 2**30:
            size = VALUE_BYTES if rows % 2 else ROW_BYTES
            text, count = await asyncio.to_thread(os.urandom, size // 2), VALUE_BYTES // size
            values = [{"id": [writer, rows + n], "text": text.hex()} for n in range(count)]
            rows, written = rows + count, written + size * count
            began = time.perf_counter()
            await connection.commit([Statement("INSERT INTO bench $argument RETURN NONE", values)])
            waits.append(time.perf_counter() - began)
            longest, peak = max(longest, wal_bytes(store)), max(peak, _resident())

    watching = asyncio.create_task(watch())
    began = time.perf_counter()
    await asyncio.gather(*(write(number) for number in range(WRITERS)))
    seconds = time.perf_counter() - began
    watching.cancel()
    line(BENCH, "written in one life", written / 2**30, "GiB", rows)
    line(BENCH, "time for that", seconds, "s", rows)
    line(BENCH, "longest pause of the loop", max(gaps) * 1000, "ms", len(gaps), aim=100)
    line(BENCH, "longest commit", max(waits) * 1000, "ms", len(waits))
    line(BENCH, "longest log", longest / 2**20, "MiB", rows, aim=256)
    line(BENCH, "most memory", peak / 2**20, "MiB", rows)
    await storage.close()


def _resident() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


async def delete_outputs(folder: Path, runs: int) -> None:
    """Write as many workflows with an answer of 300 kB, delete nine of ten, and rebuild."""
    store = folder / "deleted" / "store"
    storage = await SurrealStorage.open(store)
    workflows = [a_workflow(WorkflowId(f"wf_{number}")) for number in range(runs)]
    for number, workflow in enumerate(workflows):
        text = (await asyncio.to_thread(os.urandom, VALUE_BYTES // 2)).hex()
        message: Any = a_message(f"m{number:06}", text=f"phrase {number} {text}", workflow_id=workflow.id)
        await storage.commit([PutWorkflow(workflow), PutMessage(message)])
    full = await asyncio.to_thread(total_bytes, store)
    for workflow in workflows[runs // 10 :]:
        await storage.delete_workflow(workflow.id)
    upkeep = StoreUpkeep(storage.connection)
    deleted = await upkeep.stored_bytes()
    began = time.perf_counter()
    await storage.rebuild()
    seconds = time.perf_counter() - began
    rebuilt, live_size = await upkeep.stored_bytes(), await upkeep.live_bytes()
    line(BENCH, f"files of {runs} runs with outputs", full / 2**20, "MiB", runs)
    line(BENCH, "files after deleting nine of ten", deleted / 2**20, "MiB", runs)
    line(BENCH, "files after the rebuild", rebuilt / 2**20, "MiB", runs)
    line(BENCH, "files after the rebuild, beside what is live", rebuilt / live_size, "times", runs, aim=1.5)
    line(BENCH, "rebuild", seconds, "s", runs)
    left = sum(_phrases(path, runs) for path in store.rglob("*") if path.is_file())
    line(BENCH, "deleted phrases in the files", left, "phrases", runs, aim=0)
    await storage.close()
    shutil.rmtree(store.parent)


def _phrases(path: Path, runs: int) -> int:
    data = path.read_bytes()
    return sum(f"phrase {number} ".encode() in data for number in range(runs // 10, runs))
