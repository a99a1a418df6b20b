"""The time limit of a call pauses while the user is asked (AGENTS_AND_TOOLS §4)."""

import asyncio
from dataclasses import replace
from typing import Any

from core.domain.interruption import Interruption, InterruptionKind, InterruptionRequest
from core.domain.tool import CallStatus
from core.ports import CallContext
from tests.tools.rig import call, context, error_of, invoker, tool

QUESTION = InterruptionRequest(InterruptionKind.QUESTION, "s")


class SlowPerson:
    """A user who answers after 40 s."""

    async def __call__(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
        await asyncio.sleep(40)
        return None  # type: ignore[return-value]  # nobody looks at it


async def test_asking_does_not_count_and_what_comes_before_and_after_does() -> None:
    async def asks(arguments: Any, at: CallContext) -> Any:
        assert at.ask is not None
        await asyncio.sleep(arguments["before"])
        await asyncio.gather(at.ask(QUESTION), at.ask(QUESTION))
        await asyncio.sleep(arguments["after"])
        return "done"

    runner, at = invoker(tool(asks, timeout_s=20.0)), replace(context(), ask=SlowPerson())
    assert (await call(runner, {"before": 5, "after": 5}, context=at)).status is CallStatus.COMPLETED
    late = await call(runner, {"before": 5, "after": 100}, context=at)
    assert error_of(late)[0] == "timeout"
