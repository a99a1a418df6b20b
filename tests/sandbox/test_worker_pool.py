"""Workers start, wait their turn, are cancelled and end; none is left behind."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import CodeFailed
from core.ports import CodeLimits, Console
from core.sandbox import frames, process
from core.sandbox import pool as pool_module
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import QuickJsSandbox
from core.threads.child_process import child_command, child_environment

ROOT = Path(__file__).parents[2]

ONE = "export default () => 1"
ENDLESS = "export default () => { for (;;) {} }"
# Not interruptible from inside, and deaf to its input.
NATIVE = "export default () => { const a = new Array(3e7); for (;;) a.sort() }"
SPIN = "export default (ms) => { const end = Date.now() + ms; while (Date.now() < end); return ms }"


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def start(sandbox: QuickJsSandbox, source: str) -> asyncio.Task[object]:
    """Return a run that has surely started: it got the warm worker, and another call has waited for a cold worker
    since.
    """
    await sandbox.run(ONE, "null")
    task: asyncio.Task[object] = asyncio.create_task(sandbox.run(source, "null", CodeLimits(timeout_s=60)))
    await asyncio.sleep(0)  # its turn to take the warm one
    await sandbox.run(ONE, "null")
    return task


def test_a_pool_starts_nothing_before_its_first_call() -> None:
    assert WorkerPool().pids == []


async def test_calls_one_after_the_other_share_a_worker(pool: WorkerPool, sandbox: QuickJsSandbox) -> None:
    await sandbox.run(ONE, "null")
    first = pool.pids
    await sandbox.run(ONE, "null")
    assert pool.pids == first
    assert len(first) == 1


async def test_three_calls_are_served_by_two_workers(pool: WorkerPool, sandbox: QuickJsSandbox) -> None:
    results = await asyncio.gather(*(sandbox.run(SPIN, "100") for _ in range(3)))
    assert results == ["100"] * 3
    assert len(pool.pids) == 2


async def test_calls_are_served_in_the_order_in_which_they_came() -> None:
    pool = WorkerPool(size=1)
    sandbox = QuickJsSandbox(pool)
    served: list[int] = []

    async def call(number: int) -> None:
        await sandbox.run(SPIN, "5")
        served.append(number)

    await asyncio.gather(*(call(number) for number in range(5)))
    await pool.close()
    assert served == [0, 1, 2, 3, 4]


async def test_a_failing_call_leaves_its_worker_in_use(pool: WorkerPool, sandbox: QuickJsSandbox) -> None:
    await sandbox.run(ONE, "null")
    before = pool.pids
    with pytest.raises(CodeFailed):
        await sandbox.run("export default () => { throw 1 }", "null")
    assert await sandbox.run(ONE, "null") == "1"
    assert pool.pids == before


@pytest.mark.parametrize(
    "source", [ENDLESS, NATIVE, "export default () => 'x'.repeat(1e9)"], ids=["timeout", "kill", "out of memory"]
)
async def test_a_worker_that_met_a_limit_is_replaced(pool: WorkerPool, sandbox: QuickJsSandbox, source: str) -> None:
    await sandbox.run(ONE, "null")
    [before] = pool.pids
    with pytest.raises(CodeFailed):
        await sandbox.run(source, "null", CodeLimits(timeout_s=0.2))
    assert not runs(before)
    assert await sandbox.run(ONE, "null") == "1"


async def test_a_worker_is_replaced_after_many_answers(
    pool: WorkerPool, sandbox: QuickJsSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "MAX_ANSWERS", 3)
    used = set()
    for _ in range(7):
        await sandbox.run(ONE, "null")
        used.update(pool.pids)
    assert len(used) >= 3
    assert len(pool.pids) <= 1


async def test_a_cancelled_call_ends_its_worker_at_once(pool: WorkerPool, sandbox: QuickJsSandbox) -> None:
    task = await start(sandbox, NATIVE)
    busy = set(pool.pids)
    await sandbox.run(ONE, "null")
    task.cancel()
    async with asyncio.timeout(5):  # of the code's 60
        await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert sum(not runs(pid) for pid in busy) == 1
    assert await sandbox.run(ONE, "null") == "1"


async def test_a_call_cancelled_while_it_waits_disturbs_no_other(sandbox: QuickJsSandbox) -> None:
    running = [asyncio.create_task(sandbox.run(SPIN, "200")) for _ in range(2)]
    waiting = asyncio.create_task(sandbox.run(ENDLESS, "null"))
    last = asyncio.create_task(sandbox.run(ONE, "null"))
    await asyncio.sleep(0)
    waiting.cancel()
    assert [await task for task in (*running, last)] == ["200", "200", "1"]
    assert waiting.cancelled()


@pytest.mark.parametrize("turns", [1, 3, 10, 100])
async def test_a_call_cancelled_while_its_worker_starts_leaves_nothing(
    pool: WorkerPool, sandbox: QuickJsSandbox, turns: int
) -> None:
    task = asyncio.create_task(sandbox.run(ENDLESS, "null"))
    for _ in range(turns):
        await asyncio.sleep(0)
    pids = pool.pids
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert [pid for pid in pids if runs(pid)] == []
    assert await sandbox.run(ONE, "null") == "1"


SORTING = "export default () => { console.log('begun'); const a = new Array(3e7); for (;;) a.sort() }"


class Begun(Console):
    """A console that sets an event when something is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.event = asyncio.Event()

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "lines" and value:
            self.event.set()


@pytest.mark.parametrize("moment", ["packing", "queued", "starting", "running", "killing"])
async def test_a_call_can_be_cancelled_within_a_second_at_every_moment(moment: str) -> None:
    """Cancelled twice, as by an impatient user. Nothing stays, and the next call is served."""
    pool = WorkerPool(size=1)
    sandbox, console = QuickJsSandbox(pool), Begun()
    others = [asyncio.create_task(sandbox.run(SPIN, "300"))] if moment == "queued" else []
    if moment == "running" or moment == "killing":
        await sandbox.run(ONE, "null")
    large = f'"{"x" * 7_000_000}"' if moment == "packing" else "null"
    limits = CodeLimits(timeout_s=0.1 if moment == "killing" else 60)
    task = asyncio.create_task(sandbox.run(SORTING, large, limits, console))
    match moment:
        case "running":
            await console.event.wait()
        case "killing":
            await console.event.wait()
            await asyncio.sleep(0.55)  # about when its limit and the grace are over
        case _:
            await asyncio.sleep(0.02)
    pids = pool.pids
    async with asyncio.timeout(1):
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled() or moment == "killing"
    await asyncio.gather(*others)
    assert await sandbox.run(ONE, "null") == "1"
    await pool.close()
    assert [pid for pid in pids if runs(pid)] == []


async def test_many_calls_of_one_owner_do_not_keep_another_waiting() -> None:
    pool = WorkerPool(size=1)
    sandbox = QuickJsSandbox(pool)
    served: list[str] = []

    async def call(owner: str) -> None:
        await sandbox.run(SPIN, "5", owner=owner)
        served.append(owner)

    await asyncio.gather(*(call("greedy") for _ in range(6)), *(call("modest") for _ in range(2)))
    await pool.close()
    assert served == ["greedy", "greedy", "modest", "greedy", "modest", "greedy", "greedy", "greedy"]


async def test_a_check_does_not_wait_behind_code_that_runs(pool: WorkerPool) -> None:
    checks = WorkerPool(size=1)
    sandbox = QuickJsSandbox(pool, checks)
    busy = [asyncio.create_task(sandbox.run(ENDLESS, "null", CodeLimits(timeout_s=60))) for _ in range(3)]
    async with asyncio.timeout(20):
        assert await sandbox.check(ONE) is None
    for task in busy:
        task.cancel()
    await asyncio.gather(*busy, return_exceptions=True)
    await checks.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
async def test_a_worker_that_is_killed_in_the_middle_is_a_crash(pool: WorkerPool) -> None:
    task = await start(QuickJsSandbox(pool), NATIVE)
    for pid in pool.pids:
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(CodeFailed) as caught:
        await task
    assert caught.value.code == "crashed"


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
async def test_a_worker_that_died_while_idle_is_not_noticed(pool: WorkerPool, sandbox: QuickJsSandbox) -> None:
    await sandbox.run(ONE, "null")
    [idle] = pool.pids
    os.kill(idle, signal.SIGKILL)
    assert await sandbox.run(ONE, "null") == "1"


async def test_closing_ends_idle_and_busy_workers(pool: WorkerPool, sandbox: QuickJsSandbox) -> None:
    task = await start(sandbox, NATIVE)
    waiting = [asyncio.create_task(sandbox.run(ENDLESS, "null")) for _ in range(3)]
    pids = pool.pids
    await pool.close()
    outcomes = await asyncio.gather(task, *waiting, return_exceptions=True)
    assert [outcome.code for outcome in outcomes if isinstance(outcome, CodeFailed)] == ["crashed"] * 4
    assert [pid for pid in pids if runs(pid)] == []
    assert pool.pids == []


async def test_a_closed_pool_takes_no_calls_and_can_be_closed_again(pool: WorkerPool, sandbox: QuickJsSandbox) -> None:
    await pool.close()
    with pytest.raises(CodeFailed, match="closed"):
        await sandbox.run(ONE, "null")
    await pool.close()


CLOSING = """
import asyncio
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import QuickJsSandbox
from core.threads.child_process import child_command, child_environment

async def main():
    pool = WorkerPool()
    busy = asyncio.create_task(QuickJsSandbox(pool).run("export default () => { for (;;) {} }", "null"))
    await QuickJsSandbox(pool).run("export default () => 1", "null")
    await pool.close()
    await asyncio.gather(busy, return_exceptions=True)

asyncio.run(main())
"""


def test_after_closing_the_loop_can_be_closed_at_once() -> None:
    command = [sys.executable, "-X", "dev", "-c", CLOSING]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert "ResourceWarning" not in ended.stderr
    assert "Unknown child process" not in ended.stderr
    assert "Traceback" not in ended.stderr


PARENT = """
import asyncio, sys
from core.ports.sandbox import CodeLimits, Console
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import QuickJsSandbox
from core.threads.child_process import child_command, child_environment

async def main():
    pool = WorkerPool()
    sandbox = QuickJsSandbox(pool)
    await sandbox.run("export default () => 1", "null")
    busy = asyncio.create_task(sandbox.run(sys.argv[1], "null", CodeLimits(timeout_s=60)))
    await asyncio.sleep(0)
    await sandbox.run("export default () => 1", "null")
    print(*pool.pids, flush=True)
    await busy

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs pidfd_open, and what it tests is promised for Linux")
@pytest.mark.parametrize("source", [ENDLESS, NATIVE], ids=["busy in a loop", "busy in a native operation"])
def test_workers_end_when_the_parent_is_killed(source: str) -> None:
    command = [sys.executable, "-c", PARENT, source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:
        assert parent.stdout is not None
        workers = [os.pidfd_open(int(pid)) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert len(workers) == 2
    for worker in workers:
        assert select.select([worker], [], [], 10)[0] == [worker]  # readable once the process has ended
        os.close(worker)


@pytest.fixture
def worker_alone() -> Iterator[subprocess.Popen[bytes]]:
    """Yield a worker without a pool that would kill it."""
    with subprocess.Popen(
        child_command("core.sandbox.worker", process.WORKER_SWITCH),
        env=child_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        yield worker
        worker.kill()


def test_a_worker_ends_with_its_input(worker_alone: subprocess.Popen[bytes]) -> None:
    worker_alone.communicate(timeout=30)
    assert worker_alone.returncode == 0


def test_a_worker_ends_by_itself_if_it_is_not_killed_after_its_limit(worker_alone: subprocess.Popen[bytes]) -> None:
    limits = {"timeout_s": 0.1, "memory_bytes": 64 << 20, "stack_bytes": 1 << 20, "output_bytes": 1000}
    assert worker_alone.stdin is not None
    worker_alone.stdin.write(frames.pack({"do": "run", "source": NATIVE, "input": "null", **limits}))
    worker_alone.stdin.flush()
    assert worker_alone.wait(timeout=15) != 0


LIMITS = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from core.sandbox.confinement import confine
confine()
print(*(resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other limits")
def test_a_worker_limits_its_memory_its_files_and_its_dumps() -> None:
    command = [sys.executable, "-I", "-c", LIMITS, str(ROOT)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == [
        "1073741824",
        "16",
        "0",
    ]


def test_a_worker_gets_next_to_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setenv("TZ", "Europe/Paris")
    assert child_environment()["TZ"] == "Europe/Paris"
    assert child_environment().keys() <= {"SYSTEMROOT", "LD_LIBRARY_PATH", "TZ"}


def test_a_frozen_build_starts_itself_with_a_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert child_command("core.sandbox.worker", process.WORKER_SWITCH) == [sys.executable, "--sandbox-worker"]


def test_a_worker_imports_only_the_standard_library_and_the_engine() -> None:
    script = "import sys; sys.path.insert(0, sys.argv[1]); import core.sandbox.worker; print(*sys.modules)"
    command = [sys.executable, "-I", "-c", script, str(ROOT)]
    modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    own = {"__main__", "core", "jsbox", "sitecustomize", "usercustomize"}  # the last two are the system's
    foreign = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - own
    assert {name for name in foreign if not name.startswith("_")} == set()
