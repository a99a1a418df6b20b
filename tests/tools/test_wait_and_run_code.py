"""The two built-in tools that work elsewhere: in time, and in the sandbox."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from core.domain.tool import CallStatus, Effect
from core.errors import CodeFailed
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import QuickJsSandbox
from core.threads.system_clock import SystemClock
from core.tools.builtin import builtin_tools, run_command
from core.tools.invocation import ToolInvoker
from tests.support.clock import loop_clock
from tests.tools.rig import Builtins, ScriptedSandbox, call, invoker

EFFECTS = {
    **dict.fromkeys(
        ("ask_user", "calculator", "http_fetch", "list_files", "read_file", "run_code", "search_files", "wait"),
        Effect.NONE,
    ),
    **dict.fromkeys(
        ("delegate_task", "memory", "parallel_tasks", "pick_file", "spawn_agent", "todo", "write_file"),
        Effect.IDEMPOTENT,
    ),
    **dict.fromkeys(("delete_file", "edit_file", "move_file"), Effect.ONCE),
    **({"run_command": Effect.ONCE} if run_command.is_possible() else {}),
}


def test_the_built_in_tools_are_complete_and_declare_their_effects() -> None:
    assert {name: each.effect({}) for name, each in Builtins().tools.items()} == EFFECTS


@pytest.mark.parametrize("name", sorted(Builtins().tools))
def test_a_built_in_tool_describes_itself_and_takes_nothing_else(name: str) -> None:
    info = Builtins().tools[name].info
    assert info.title
    assert info.description.endswith(".")
    assert info.input_schema["additionalProperties"] is False
    assert all("description" in each for each in info.input_schema["properties"].values())


async def test_an_argument_that_a_tool_does_not_know_is_invalid() -> None:
    assert (await Builtins().failure("wait", seconds=0, hours=1))[0] == "invalid_arguments"


async def test_waiting_takes_its_seconds_by_the_clock() -> None:
    result = await Builtins(clock=loop_clock()).call("wait", seconds=2.5)
    assert (result.value, result.summary) == ({"seconds": 2.5}, "2.5 s")
    assert result.duration_ms >= 2500


@pytest.mark.parametrize("seconds", [-1, 3601, "one", True, None, float("nan")])
async def test_only_seconds_up_to_an_hour_can_be_waited_for(seconds: Any) -> None:
    assert (await Builtins().failure("wait", seconds=seconds))[0] == "invalid_arguments"


def test_the_time_limit_of_waiting_is_five_seconds_more() -> None:
    assert Builtins().tools["wait"].own_timeout_s({"seconds": 60}) == 65


async def test_waiting_beyond_the_default_limit_is_no_timeout() -> None:
    tools = invoker(Builtins(clock=loop_clock()).tools["wait"])
    result = await call(tools, {"seconds": 3}, name="wait", default_timeout_s=1)
    assert result.status is CallStatus.COMPLETED


async def test_waiting_ends_when_it_is_cancelled() -> None:
    caller = asyncio.create_task(Builtins().call("wait", seconds=3600))
    await asyncio.sleep(0.01)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller


async def test_code_gets_the_input_and_gives_output_and_console() -> None:
    sandbox = ScriptedSandbox(lambda: '{"a":[1]}', [("log", "hello")])
    value = await Builtins(sandbox=sandbox).value("run_code", code="CODE", input=[1, None])
    assert value == {"output": {"a": [1]}, "console": [{"level": "log", "text": "hello"}]}
    assert [(source, json.loads(text)) for source, text in sandbox.asked] == [("CODE", [1, None])]


async def test_without_an_input_code_gets_an_empty_object() -> None:
    builtins = Builtins()
    await builtins.value("run_code", code="CODE")
    assert builtins.sandbox.asked == [("CODE", "{}")]


async def test_an_error_in_the_code_keeps_its_place() -> None:
    def fail() -> str:
        raise CodeFailed("code_error", "x is not defined", line=2, column=9)

    result = await Builtins(sandbox=ScriptedSandbox(fail)).call("run_code", code="CODE")
    assert result.error is not None
    assert (result.error.code, result.error.message) == ("code_error", "x is not defined")
    assert result.error.parameters == {"line": 2, "column": 9}


@pytest.mark.parametrize(
    ("output", "summary"),
    [("[1,2]", "list, 2 items"), ('{"a":1}', "object, 1 field"), ("1.5", "1.5"), ('"hello"', '"hello"')],
)
async def test_the_output_of_code_is_summed_up(output: str, summary: str) -> None:
    builtins = Builtins(sandbox=ScriptedSandbox(lambda: output))
    assert (await builtins.call("run_code", code="CODE")).summary == summary


@pytest.fixture
async def sandboxed() -> AsyncIterator[ToolInvoker]:
    pool = WorkerPool()
    clock = SystemClock()
    yield invoker(*builtin_tools(QuickJsSandbox(pool), clock), clock=clock)
    await pool.close()


async def test_real_code_runs_in_the_real_sandbox(sandboxed: ToolInvoker) -> None:
    code = "export default function (input: {n: number}) { console.log('hi'); return input.n * 2 }"
    result = await call(sandboxed, {"code": code, "input": {"n": 21}}, name="run_code")
    assert result.error is None
    assert result.value["output"] == 42
    assert [line["text"] for line in result.value["console"]] == ["hi"]


async def test_real_errors_have_the_line(sandboxed: ToolInvoker) -> None:
    code = "export default function () {\n  return missing.field\n}"
    result = await call(sandboxed, {"code": code}, name="run_code")
    assert result.error is not None
    assert result.error.code == "code_error"
    assert result.error.parameters["line"] == 2
