"""Time limits and cancellation, of handlers that obey and of handlers that do not."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

import pytest

from core.domain.tool import CallResult, CallStatus
from core.ports import CallContext
from tests.tools.rig import call, context, error_of, invoker, tool


class Handler:
    """Runs until it is released; counts its events."""

    def __init__(self, *, obeys: bool = True, error: Exception | None = None) -> None:
        self.started = asyncio.Event()
        self.release = asyncio.Event()
        self.cancels = 0
        self.ended = False
        self._obeys = obeys
        self._error = error

    async def __call__(self, arguments: Any, context: CallContext) -> str:
        self.started.set()
        try:
            while not self.release.is_set():
                try:
                    await self.release.wait()
                except asyncio.CancelledError:
                    self.cancels += 1
                    if self._obeys:
                        raise
            if self._error:
                raise self._error
            return "late"
        finally:
            self.ended = True


async def test_a_handler_past_its_limit_is_cancelled_and_has_ended_when_the_result_is_there() -> None:
    handler = Handler()
    code, message = error_of(await call(invoker(tool(handler)), timeout_s=2))
    assert code == "timeout"
    assert "2 s" in message
    assert (handler.cancels, handler.ended) == (1, True)


async def test_a_timeout_of_a_unique_effect_reports_that_it_may_have_happened() -> None:
    result = await timed_out(read_only=False)
    assert "may have happened" in error_of(result)[1]
    assert result.error is not None
    assert result.error.parameters["uncertain"] is True


@pytest.mark.parametrize("trait", ["read_only", "idempotent"])
async def test_a_timeout_of_a_repeatable_effect_reports_nothing_of_the_kind(trait: str) -> None:
    assert "may have happened" not in error_of(await timed_out(**{trait: True}))[1]


@pytest.mark.parametrize(
    ("step", "own", "default", "limit"),
    [(1, 2, 3, "1 s"), (None, 2, 3, "2 s"), (None, None, 3, "3 s"), (None, lambda _: 4, 3, "4 s")],
    ids=["the step's", "the tool's", "the default", "the tool's, from the arguments"],
)
async def test_the_nearest_time_limit_holds(step: Any, own: Any, default: float, limit: str) -> None:
    tools = invoker(tool(Handler(), timeout_s=own))
    assert limit in error_of(await call(tools, timeout_s=step, default_timeout_s=default))[1]


async def test_a_handler_that_ignores_its_cancellation_does_not_hold_the_caller() -> None:
    handler = Handler(obeys=False)
    tools = invoker(tool(handler))
    assert error_of(await call(tools, timeout_s=1))[0] == "timeout"
    assert (handler.cancels, handler.ended) == (1, False)
    handler.release.set()
    await tools.close()
    assert handler.ended


async def test_the_late_error_of_such_a_handler_is_logged_and_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    handler = Handler(obeys=False, error=OSError("too late"))
    tools = invoker(tool(handler))
    await call(tools, timeout_s=1)
    handler.release.set()
    await tools.close()
    assert "too late" in caplog.text


async def test_how_such_a_handler_ends_is_reported_once_it_has() -> None:
    handler, late = Handler(obeys=False), list[CallResult]()
    tools = invoker(tool(handler))
    await call(tools, timeout_s=1, late=late.append)
    assert late == []
    handler.release.set()
    await tools.close()
    assert [(one.status, one.value, one.error) for one in late] == [(CallStatus.COMPLETED, None, None)]


async def test_of_a_handler_that_stopped_or_was_in_time_nothing_is_reported_late() -> None:
    handler, late = Handler(), list[CallResult]()
    tools = invoker(tool(handler), tool(name="quick"))
    await call(tools, timeout_s=1, late=late.append)
    await call(tools, name="quick", timeout_s=1, late=late.append)
    await tools.close()
    assert late == []


async def test_closing_cancels_what_was_given_up_and_does_not_wait_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    handler = Handler(obeys=False)
    tools = invoker(tool(handler))
    await call(tools, timeout_s=1)
    await tools.close()
    assert (handler.cancels, handler.ended) == (2, False)
    handler.release.set()
    await tools.close()


async def test_closing_with_nothing_at_work_does_nothing() -> None:
    await invoker(tool()).close()


async def test_cancelling_the_caller_cancels_the_handler() -> None:
    handler = Handler()
    caller = asyncio.create_task(call(invoker(tool(handler))))
    await handler.started.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert (handler.cancels, handler.ended) == (1, True)


async def test_cancelling_the_caller_waits_for_a_handler_that_tidies_up() -> None:
    tidied: list[bool] = []

    async def tidy(arguments: Any, context: CallContext) -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.005)
            tidied.append(True)

    started = asyncio.Event()
    caller = asyncio.create_task(call(invoker(tool(tidy))))
    await started.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert tidied == [True]


@pytest.mark.parametrize("cancels", [1, 2])
async def test_a_cancelled_caller_does_not_wait_for_a_handler_that_ignores_it(cancels: int) -> None:
    handler = Handler(obeys=False)
    tools = invoker(tool(handler))
    caller = asyncio.create_task(call(tools))
    await handler.started.wait()
    for _ in range(cancels):
        caller.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert not handler.ended
    handler.release.set()
    await tools.close()


async def test_a_caller_that_was_cancelled_already_leaves_nothing_behind() -> None:
    handler = Handler()

    async def cancelled_beforehand() -> None:
        me = asyncio.current_task()
        assert me is not None
        me.cancel()
        await call(invoker(tool(handler)))

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(cancelled_beforehand())
    assert handler.ended


async def test_a_handler_that_is_cancelled_from_inside_has_failed(caplog: pytest.LogCaptureFixture) -> None:
    async def give_up(arguments: Any, context: CallContext) -> None:
        raise asyncio.CancelledError

    assert error_of(await call(invoker(tool(give_up))))[0] == "failed"


async def test_a_time_out_inside_a_handler_is_its_failure_and_not_our_limit(caplog: pytest.LogCaptureFixture) -> None:
    async def impatient(arguments: Any, context: CallContext) -> None:
        async with asyncio.timeout(0):
            await asyncio.sleep(1)

    caplog.set_level(logging.CRITICAL)
    assert error_of(await call(invoker(tool(impatient))))[0] == "failed"


async def test_an_answer_that_comes_while_being_cancelled_changes_nothing() -> None:
    async def answer_anyway(arguments: Any, context: CallContext) -> str:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return "answer"

    assert error_of(await call(invoker(tool(answer_anyway)), timeout_s=1))[0] == "timeout"


async def timed_out(**traits: bool) -> CallResult:
    return await call(invoker(tool(Handler(), **traits)), timeout_s=1)  # type: ignore[arg-type]


def test_a_context_with_another_asker_is_the_same_in_everything_else() -> None:
    async def ask(request: object, *, anew: bool = False) -> None: ...

    def progressed() -> None: ...

    values = {field.name: object() for field in fields(CallContext)}
    limited = CallContext(**values).within(ask, progressed)  # type: ignore[arg-type]
    changed = {**values, "ask": ask, "progressed": progressed}
    assert {field.name: getattr(limited, field.name) for field in fields(CallContext)} == changed


def working(seconds: int) -> Any:
    """A handler that reports progress each second, then is silent for as long as it takes."""

    async def handler(arguments: Any, context: CallContext) -> str:
        for _ in range(seconds):
            await asyncio.sleep(1)
            context.progressed()
        await asyncio.sleep(arguments.get("silent", 0))
        return "built"

    return handler


@pytest.mark.parametrize(
    ("seconds", "silent", "step_s", "message"),
    [
        (9, 0, None, None),
        (0, 9, None, "did not end within 3 s"),
        (9, 4, None, "made no progress for 3 s"),
        (200, 0, None, "made progress, and did not end within 180 s"),
        (9, 0, 3.0, "did not end within 3 s"),
    ],
)
async def test_progress_begins_a_limit_anew_under_a_ceiling_unless_a_step_says_it(
    seconds: int, silent: int, step_s: float | None, message: str | None
) -> None:
    own = replace(tool(working(seconds)), timeout_s=3.0)
    result = await invoker(own).call(
        own.info.name, {"silent": silent}, context(), default_timeout_s=10, timeout_s=step_s, is_permitted=True
    )
    if message is None:
        assert result.value == "built"
    else:
        code, text = error_of(result)
        assert code == "timeout"
        assert message in text
