"""Code that tries to stall, to crash, to escape or to forge results: each case ends as it should, and disturbs nothing.

Here each runs in this process, which the engine's own limits keep alive: a crash would end the tests. Cases that those
limits cannot stop, and an example of each kind, run in worker processes.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from core.errors import CodeFailed
from core.ports import CodeLimits, Console
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import SOURCE_CHARACTERS, QuickJsSandbox
from tests.bench.sandbox import is_right, outcome
from tests.sandbox.conftest import MIB, Here
from tests.support.hostile import CASES, SOON_S, Hostile

HERE = [case for case in CASES if not case.name.startswith("native") and len(case.source) <= SOURCE_CHARACTERS]

OF_EACH_KIND = [
    "endless: for",
    "endless: await",
    "endless: getter in the output",
    "endless: regex test",
    "endless: printing",
    "native: sort of a huge array",
    "native: async ping-pong",
    "native: replaceAll and normalize",
    "memory: small objects",
    "memory: a chain",
    "deep: function",
    "deep: JSON.parse",
    "out of reach: import os",
    "out of reach: a buffer beyond all limits",
    "no JSON: a cycle",
    "gives: polluting promises",
    "gives: just within its size",
    "large: 10 MB",
    "broken: much too long",
]


@pytest.mark.parametrize("case", HERE, ids=[case.name for case in HERE])
def test_hostile_code_ends_as_it_should(here: Here, case: Hostile) -> None:
    limits = {"timeout_s": min(case.limit_s, 0.03) if case.limit_s == SOON_S else case.limit_s}
    memory = {"memory_bytes": 16 * MIB} if case.name.startswith("memory") else {}
    answer = here.answer(case.source, input=case.input_json, **limits, **memory)
    found = f"= {answer['output']}" if "output" in answer else answer["failed"]
    assert is_right(case, found), answer


@asynccontextmanager
async def nothing_stalls() -> AsyncIterator[None]:
    """Fail if the loop was blocked for long at a stretch: 0.1 s of this process's own work, or 5 s in any way.

    Work, because on a busy machine a process may wait for a processor longer than any code of ours holds it.
    """
    gaps: list[tuple[float, float]] = []

    async def tick() -> None:
        worked, now = time.process_time(), time.perf_counter()
        while True:
            await asyncio.sleep(0.005)
            gaps.append((time.process_time() - worked, time.perf_counter() - now))
            worked, now = time.process_time(), time.perf_counter()

    ticker = asyncio.create_task(tick())
    await asyncio.sleep(0.02)  # so that it measures from before the first line inside
    try:
        yield
        await asyncio.sleep(0.02)  # until after the last
    finally:
        ticker.cancel()
        await asyncio.gather(ticker, return_exceptions=True)
    assert max(work for work, _ in gaps) < 0.1
    assert max(gap for _, gap in gaps) < 5


async def test_workers_end_with_hostile_code_and_the_loop_does_not_notice() -> None:
    cases = [case for case in CASES if case.name in OF_EACH_KIND]
    assert len(cases) == len(OF_EACH_KIND)
    pool, used = WorkerPool(), set[int]()
    sandbox = QuickJsSandbox(pool)

    async def ends_rightly(case: Hostile) -> bool:
        found = await outcome(sandbox, case)
        used.update(pool.pids)
        return is_right(case, found)

    async with nothing_stalls():
        right = await asyncio.gather(*map(ends_rightly, cases))
    assert [case.name for case, is_so in zip(cases, right, strict=True) if not is_so] == []
    used.update(pool.pids)
    await pool.close()
    assert [pid for pid in used if _runs(pid)] == []


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def failure(sandbox: QuickJsSandbox, source: str, limits: CodeLimits = CodeLimits()) -> CodeFailed:
    with pytest.raises(CodeFailed) as caught:
        await sandbox.run(source, "null", limits)
    return caught.value


async def test_a_failure_names_the_limit_that_was_met(sandbox: QuickJsSandbox) -> None:
    error = await failure(sandbox, "export default () => { for (;;) {} }", CodeLimits(timeout_s=0.1))
    assert (error.code, error.parameters["timeout_s"]) == ("timeout", 0.1)
    error = await failure(sandbox, "export default () => 'x'.repeat(1e9)")
    assert (error.code, error.parameters["limit_bytes"]) == ("out_of_memory", CodeLimits().memory_bytes)


async def test_an_input_over_its_limit_is_refused(sandbox: QuickJsSandbox) -> None:
    limits = CodeLimits(input_bytes=100)
    assert await sandbox.run("export default (text) => text.length", f'"{"x" * 98}"', limits) == "98"
    with pytest.raises(CodeFailed) as caught:
        await sandbox.run("export default () => 1", f'"{"é" * 60}"', limits)
    assert (caught.value.code, caught.value.parameters["limit_bytes"]) == ("input_too_large", 100)


async def test_a_large_input_gets_through_and_stalls_nothing(sandbox: QuickJsSandbox) -> None:
    async with nothing_stalls():
        result = await sandbox.run("export default (text) => text.length", f'"{"é" * 4_000_000}"')
    assert result == "4000000"


async def test_code_too_long_to_be_checked_is_refused(sandbox: QuickJsSandbox) -> None:
    problem = await sandbox.check(f"export default () => 1 //{'x' * 300_000}")
    assert problem is not None
    assert problem.code == "typescript_error"


async def test_checking_finds_the_place_and_runs_nothing(sandbox: QuickJsSandbox) -> None:
    problem = await sandbox.check("let a: number = 1;\nlet b: = 2;")
    assert problem is not None
    assert (problem.code, problem.parameters["line"]) == ("typescript_error", 2)
    assert await sandbox.check("for (;;) {} export default () => 1") is None
    problem = await sandbox.check("for (;;) {} export const a = 1")
    assert problem is not None
    assert problem.code == "no_default_export"


async def test_the_console_is_there_even_if_the_worker_had_to_be_killed(sandbox: QuickJsSandbox) -> None:
    console = Console()
    source = (
        "export default () => { console.log('one'); console.warn('two'); const a = new Array(3e7); for (;;) a.sort() }"
    )
    with pytest.raises(CodeFailed) as caught:
        await sandbox.run(source, "null", CodeLimits(timeout_s=0.2), console)
    assert caught.value.code == "timeout"
    assert console == Console([("log", "one"), ("warn", "two")])


async def test_a_flood_of_lines_is_cut_and_stalls_nothing(sandbox: QuickJsSandbox) -> None:
    console = Console()
    async with nothing_stalls():
        source = "export default () => { for (let i = 0; i < 1e5; i++) console.log('line ' + i); return 1 }"
        assert await sandbox.run(source, "null", CodeLimits(), console) == "1"
    assert console.is_cut
    assert [text for _, text in console.lines[:2]] == ["line 0", "line 1"]
    assert [text for _, text in console.lines[:-1]] == [f"line {number}" for number in range(len(console.lines) - 1)]
    assert 60_000 < sum(len(text) + 16 for _, text in console.lines) <= 65_536


async def test_what_json_is_given_back_is_what_the_host_reads(sandbox: QuickJsSandbox) -> None:
    odd = {"\ud800": ["\0", "😀", 1e21, -0.0, None]}
    assert json.loads(await sandbox.run("export default (x) => x", json.dumps(odd))) == odd
