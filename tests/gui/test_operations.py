"""Operations: one call or several, with the failure reported once."""

import asyncio

import pytest

from core.services.outcome import Failed, Ok, Outcome
from desktop.aio import Tasks
from desktop.operations import OperationFailed, Operations, unwrap

REFUSED = Failed("not_found", "it is gone")


async def _outcome(outcome: Outcome[int]) -> Outcome[int]:
    return outcome


class _Window:
    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self.reported: list[Failed] = []
        self.operations = Operations(Tasks(self.errors.append).spawn, self.reported.append)


async def test_the_data_of_a_call_is_passed_on() -> None:
    window, received = _Window(), list[int]()
    await window.operations.run(_outcome(Ok(7)), "read", success=received.append)
    assert (received, window.reported) == ([7], [])


async def test_a_failed_call_is_reported_and_has_no_success() -> None:
    window, received = _Window(), list[int]()
    await window.operations.run(_outcome(REFUSED), "read", success=received.append)
    assert (received, window.reported) == ([], [REFUSED])


async def test_a_caller_can_handle_the_failure_itself() -> None:
    window, handled = _Window(), list[Failed]()
    await window.operations.run(_outcome(REFUSED), "read", failure=handled.append)
    assert (handled, window.reported) == ([REFUSED], [])


async def test_the_first_failure_ends_a_coroutine() -> None:
    window, done = _Window(), list[int]()

    async def work() -> None:
        done.append(unwrap(await _outcome(Ok(1))))
        done.append(unwrap(await _outcome(REFUSED)))
        done.append(unwrap(await _outcome(Ok(3))))

    await window.operations.run(work(), "several calls")
    assert (done, window.reported) == ([1], [REFUSED])


async def test_an_unexpected_error_goes_to_the_owner_of_the_tasks() -> None:
    window = _Window()

    async def work() -> None:
        raise ValueError("a defect")

    task = window.operations.run(work(), "broken")
    with pytest.raises(ValueError, match="a defect"):
        await task
    await asyncio.sleep(0)
    assert [type(error) for error in window.errors] == [ValueError]
    assert window.reported == []


def test_unwrap_raises_what_failed() -> None:
    with pytest.raises(OperationFailed) as raised:
        unwrap(REFUSED)
    assert raised.value.failed is REFUSED


async def test_nothing_starts_once_the_owner_is_closed() -> None:
    tasks = Tasks(list[BaseException]().append)
    await tasks.close()
    with pytest.raises(RuntimeError):
        Operations(tasks.spawn, list[Failed]().append).run(_outcome(Ok(1)), "too late")


async def test_an_operation_can_be_cancelled_before_it_starts() -> None:
    task = _Window().operations.run(_outcome(Ok(1)), "cancelled")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
