"""How a call ends: values, errors, sizes, and the summary."""

import asyncio
from typing import Any

import pytest

from core.domain.tool import CallStatus
from core.errors import CodeFailed, StepFailed, ToolFailed
from core.ports import CallContext
from core.tools.measure import RESULT_BYTES
from core.tools.registry import Handler, Tool
from tests.support.clock import FakeClock
from tests.tools.rig import call, error_of, invoker, tool


@pytest.mark.parametrize(
    "error",
    [
        ToolFailed("not_allowed", "outside", path="/a"),
        StepFailed("output_too_large", "too much"),
        CodeFailed("code_error", "x is not defined", line=3, column=7),
    ],
)
async def test_an_error_on_purpose_keeps_its_code_message_and_parameters(error: StepFailed) -> None:
    result = await call(invoker(raising(error)))
    assert error_of(result) == (error.code, error.message)
    assert result.error is not None
    assert result.error.parameters == error.parameters


async def test_any_other_exception_is_a_failure_whose_details_stay_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    code, message = error_of(await call(invoker(raising(KeyError("secret")))))
    assert code == "failed"
    assert "KeyError" in message
    assert "secret" not in message
    assert "Traceback" in caplog.text
    assert "secret" in caplog.text


async def test_a_handler_that_fails_when_it_is_called_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    def fail(arguments: Any, context: CallContext) -> Any:
        raise KeyError

    assert error_of(await call(invoker(tool(fail))))[0] == "failed"


@pytest.mark.parametrize("value", [None, True, 0, -1.5, "", "é", [], {}, {"a": [1, {"b": None}]}])
async def test_every_json_value_is_a_result(value: object) -> None:
    result = await call(invoker(giving(value)))
    assert (result.status, result.value) == (CallStatus.COMPLETED, value)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"", float("nan"), {1: 2}, [float("inf")]])
async def test_what_json_cannot_hold_is_no_result(value: object) -> None:
    assert error_of(await call(invoker(giving(value))))[0] == "not_json"


async def test_a_result_of_ten_megabytes_is_kept() -> None:
    result = await call(invoker(giving("x" * (RESULT_BYTES - 2))))
    assert result.status is CallStatus.COMPLETED


async def test_a_larger_result_is_too_large() -> None:
    result = await call(invoker(giving("x" * (RESULT_BYTES - 1))))
    assert error_of(result)[0] == "output_too_large"


async def test_a_large_result_of_a_tool_without_words_of_its_own_says_its_size() -> None:
    assert (await call(invoker(giving("x" * 300_000)))).summary == "300.0 kB"
    assert (await call(invoker(giving("short")))).summary is None


async def test_the_duration_is_measured_by_the_clock() -> None:
    assert (await call(invoker(tool(), clock=FakeClock(tick_s=1.0, is_sleep_real=True)))).duration_ms == 1000


async def test_a_refused_call_took_no_time() -> None:
    assert (await call(invoker(tool(), clock=FakeClock(tick_s=1.0, is_sleep_real=True)), "no object")).duration_ms == 0


async def test_a_tool_sums_up_its_call() -> None:
    summed_up = tool(summary=lambda arguments, value: f"{arguments['a']} and {value['a']}")
    assert (await call(invoker(summed_up), {"a": 1})).summary == "1 and 1"


async def test_a_summary_that_fails_does_not_undo_the_call(caplog: pytest.LogCaptureFixture) -> None:
    result = await call(invoker(tool(summary=lambda arguments, value: str(value["missing"]))))
    assert (result.status, result.summary) == (CallStatus.COMPLETED, None)
    assert "missing" in caplog.text


async def test_calls_run_beside_each_other() -> None:
    barrier = asyncio.Barrier(3)

    async def meet(arguments: Any, context: CallContext) -> int:
        return await barrier.wait()

    tools = invoker(tool(meet))
    results = await asyncio.gather(*(call(tools) for _ in range(3)))
    assert sorted(result.value for result in results) == [0, 1, 2]


def giving(value: Any) -> Tool:
    async def give(arguments: Any, context: CallContext) -> Any:
        return value

    return tool(give)


def raising(error: Exception) -> Tool:
    async def fail(arguments: Any, context: CallContext) -> Any:
        raise error

    handler: Handler = fail
    return tool(handler)
