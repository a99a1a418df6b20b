"""Code that wants to stall, to crash or to get out. All of it through worker processes."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from core.errors import CodeFailed
from core.ports.sandbox import CodeLimits
from core.sandbox.quickjs import QuickJsSandbox

SHORT = CodeLimits(timeout_s=0.2)

ENDLESS = {
    "a loop": "export default () => { for (;;) {} }",
    "a loop while loading": "while (true) {} export default 1",
    "a loop that catches everything": "export default () => { for (;;) { try { for (;;) {} } catch {} finally {} } }",
    "a loop of awaits": "export default async () => { for (;;) await null }",
    "a promise that renews itself": (
        "export default () => new Promise(() => { (function again() { Promise.resolve().then(again) })() })"
    ),
    "a generator that will not be left": (
        "export default () => { function* g() { try { yield 1 } finally { for (;;) {} } } for (const x of g()) break }"
    ),
    "a getter in the output": "export default () => ({ get a() { for (;;) {} } })",
    "a toJSON": "export default () => ({ toJSON() { for (;;) {} } })",
    "a proxy in the output": "export default () => new Proxy({}, { ownKeys() { for (;;) {} } })",
    "a getter in what is printed": "export default () => { for (;;) console.log({ get a() { for (;;) {} } }) }",
    "a getter in what is thrown": "export default () => { throw { get message() { for (;;) {} } } }",
    "a thenable": "export default () => ({ then() { for (;;) {} } })",
    "a regular expression": "export default () => /^(a+)+$/.test('a'.repeat(40) + 'b')",
    "a search without an end": "export default () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
    "printing": "export default () => { for (;;) console.log('x'.repeat(1e5)) }",
}

NATIVE = {
    "sorting a huge array": "export default () => { const a = new Array(3e7); for (;;) a.sort() }",
    "replacing in a long string": (
        "export default () => { const s = 'a'.repeat(3e5); for (;;) s.replaceAll('a', 'bb').normalize() }"
    ),
}

GREEDY = {
    "arrays": "export default () => { const a = []; for (;;) a.push(new Array(10000).fill(1)) }",
    "small objects": "export default () => { const a = []; for (;;) a.push({}) }",
    "buffers": "export default () => { const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1)) }",
    "a long string": "export default () => 'x'.repeat(1e9).length",
    "objects that stay": "globalThis.all = []; export default () => { for (;;) all.push({}) }",
}

DEEP = {
    "a function": "export default function again(n) { return 1 + again(n) }",
    "a toString": "export default () => { const o = {}; o.toString = () => '' + o; return '' + o }",
    "a proxy": "export default () => { const p = new Proxy({}, { get: (t, k, self) => self[k] }); return p.x }",
    "eval of brackets": "export default () => eval('['.repeat(200000) + ']'.repeat(200000))",
    "JSON of brackets": (
        "export default () => { let a = []; for (let i = 0; i < 2e5; i++) a = [a]; return JSON.stringify(a) }"
    ),
    "a BigInt": "export default () => (2n ** (2n ** 31n)).toString().length",
}


async def failure(sandbox: QuickJsSandbox, source: str, limits: CodeLimits = SHORT) -> CodeFailed:
    with pytest.raises(CodeFailed) as caught:
        await sandbox.run(source, "null", limits)
    return caught.value


@asynccontextmanager
async def nothing_stalls() -> AsyncIterator[None]:
    """Fail if the loop was away for long at a stretch: 0.25 s of this process's own work, or 5 s in any way.

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
    assert max(work for work, _ in gaps) < 0.25
    assert max(gap for _, gap in gaps) < 5


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS.keys())
async def test_endless_code_is_stopped_at_its_limit(sandbox: QuickJsSandbox, source: str) -> None:
    error = await failure(sandbox, source)
    assert (error.code, error.parameters["timeout_s"]) == ("timeout", 0.2)


@pytest.mark.parametrize("source", NATIVE.values(), ids=NATIVE.keys())
async def test_what_the_engine_cannot_interrupt_is_killed(sandbox: QuickJsSandbox, source: str) -> None:
    assert (await failure(sandbox, source)).code == "timeout"


@pytest.mark.parametrize("source", GREEDY.values(), ids=GREEDY.keys())
async def test_a_memory_bomb_runs_out_of_memory(sandbox: QuickJsSandbox, source: str) -> None:
    error = await failure(sandbox, source, CodeLimits(timeout_s=20))
    assert (error.code, error.parameters["limit_bytes"]) == ("out_of_memory", CodeLimits().memory_bytes)


async def test_a_buffer_beyond_all_limits_is_not_granted(sandbox: QuickJsSandbox) -> None:
    assert (await failure(sandbox, "export default () => new ArrayBuffer(2 ** 31).byteLength")).code == "code_error"


@pytest.mark.parametrize("source", DEEP.values(), ids=DEEP.keys())
async def test_endless_depth_is_an_error_of_the_code(sandbox: QuickJsSandbox, source: str) -> None:
    assert (await failure(sandbox, source, CodeLimits(timeout_s=20))).code == "code_error"


async def test_blocking_on_shared_memory_is_refused(sandbox: QuickJsSandbox) -> None:
    source = "export default () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"
    assert (await failure(sandbox, source)).code == "code_error"


async def test_the_loop_runs_on_while_code_does_not_end(sandbox: QuickJsSandbox) -> None:
    async with nothing_stalls():
        await asyncio.gather(
            failure(sandbox, ENDLESS["a loop"]),
            failure(sandbox, NATIVE["sorting a huge array"]),
            failure(sandbox, GREEDY["small objects"], CodeLimits(timeout_s=20)),
        )


async def test_an_input_over_its_limit_is_refused(sandbox: QuickJsSandbox) -> None:
    limits = CodeLimits(input_bytes=100)
    assert (await sandbox.run("export default (text) => text.length", f'"{"x" * 98}"', limits)).output_json == "98"
    with pytest.raises(CodeFailed) as caught:
        await sandbox.run("export default () => 1", f'"{"é" * 60}"', limits)
    assert (caught.value.code, caught.value.parameters["limit_bytes"]) == ("input_too_large", 100)


async def test_a_large_input_gets_through_and_stalls_nothing(sandbox: QuickJsSandbox) -> None:
    async with nothing_stalls():
        result = await sandbox.run("export default (text) => text.length", f'"{"é" * 4_000_000}"')
    assert result.output_json == "4000000"


async def test_code_too_long_to_be_read_is_refused(sandbox: QuickJsSandbox) -> None:
    source = f"export default () => 1 //{'x' * 300_000}"
    assert (await failure(sandbox, source)).code == "typescript_error"
    problem = await sandbox.check(source)
    assert problem is not None
    assert problem.code == "typescript_error"


async def test_a_failure_carries_place_and_console(sandbox: QuickJsSandbox) -> None:
    error = await failure(sandbox, "export default () => {\n console.warn('before'); throw new Error('x') }")
    assert error.parameters["line"] == 2
    assert error.parameters["console"] == [["warn", "before"]]


async def test_a_result_carries_the_console(sandbox: QuickJsSandbox) -> None:
    result = await sandbox.run("export default (input) => { console.log('got', input); return 1 }", "[2]")
    assert (result.output_json, result.console) == ("1", (("log", "got [2]"),))


async def test_checking_finds_the_place_and_runs_nothing(sandbox: QuickJsSandbox) -> None:
    problem = await sandbox.check("let a: number = 1;\nlet b: = 2;")
    assert problem is not None
    assert (problem.code, problem.parameters["line"]) == ("typescript_error", 2)
    assert await sandbox.check("for (;;) {} export default () => 1") is None
