"""A network failure inside a tool: repeated where that does no harm, else an error that states what is known."""

import socket
from typing import Any

import pytest

from core.domain.tool import CallResult, CallStatus
from core.errors import NetworkFailed
from core.ports import CallContext
from tests.tools.rig import call, error_of, invoker, tool

NO_CONNECTION = [
    NetworkFailed("nobody there", was_connected=False),
    ConnectionRefusedError(111, "refused"),
    socket.gaierror(-2, "no such name"),
]
BROKEN = [NetworkFailed("gone", was_connected=True), ConnectionResetError(104, "reset"), BrokenPipeError()]


async def after(failures: list[Exception], **traits: Any) -> tuple[CallResult, int]:
    """Return the result of a tool that fails so often, and the number of attempts."""
    tried = 0

    async def work(arguments: Any, context: CallContext) -> str:
        nonlocal tried
        tried += 1
        if tried <= len(failures):
            raise failures[tried - 1]
        return "there"

    result = await call(invoker(tool(work, **traits)))
    return result, tried


@pytest.mark.parametrize("failure", NO_CONNECTION)
async def test_without_a_connection_any_call_is_tried_once_more(failure: Exception) -> None:
    result, tried = await after([failure])
    assert (result.status, result.value, tried) == (CallStatus.COMPLETED, "there", 2)


@pytest.mark.parametrize("failure", BROKEN)
@pytest.mark.parametrize("trait", ["read_only", "idempotent"])
async def test_a_broken_connection_is_tried_once_more_where_that_does_no_harm(failure: Exception, trait: str) -> None:
    result, tried = await after([failure], **{trait: True})
    assert (result.value, tried) == ("there", 2)


@pytest.mark.parametrize("failure", BROKEN)
async def test_a_broken_connection_of_an_effect_is_not_tried_again_and_may_have_happened(failure: Exception) -> None:
    result, tried = await after([failure])
    code, message = error_of(result)
    assert (code, tried) == ("failed", 1)
    assert message.endswith("the effect may have happened")
    assert result.error is not None
    assert result.error.parameters["uncertain"] is True


async def test_it_is_tried_twice_and_no_more() -> None:
    result, tried = await after([NO_CONNECTION[0], NO_CONNECTION[1], NO_CONNECTION[0]])
    assert tried == 2
    assert error_of(result) == ("failed", "probe found no connection: refused")


async def test_other_failures_are_not_tried_again() -> None:
    result, tried = await after([ValueError("x"), ValueError("x")], read_only=True)
    assert (error_of(result)[0], tried) == ("failed", 1)
