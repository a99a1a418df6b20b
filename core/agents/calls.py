"""Carrying out the calls of a round: side by side where none leaves a trace, else one after the other."""

import asyncio
from collections.abc import Collection, Sequence

from core.agents.answers import Answer
from core.agents.ledger import Ledger
from core.agents.limits import CALL_TIMEOUT_S
from core.domain.ids import CallId
from core.domain.json_text import decode, type_name
from core.domain.run import ErrorInfo
from core.domain.tool import CallResult, CallStatus, Effect, ToolCall
from core.ports.agents import AgentTurn
from core.ports.model import CallRequest
from core.ports.tools import CallContext, ToolRunner

_Due = tuple[ToolCall, CallRequest]


class RoundCalls:
    """Makes the calls of one turn, through its ledger, with the tools that were advertised for the round."""

    def __init__(self, turn: AgentTurn, tools: ToolRunner, ledger: Ledger) -> None:
        self._turn = turn
        self._tools = tools
        self._ledger = ledger

    async def carry_out(
        self, number: int, answer: Answer, offset: int, advertised: Collection[str]
    ) -> list[CallResult]:
        """The results of the answer's calls, one for each, in order; what has one already is not run again.

        What goes wrong in a call is its result. Where nobody knows what came of a call, a person is asked before any
        is made, about all at once.
        """
        rows = [
            self._ledger.row(number, position, call, self._effect(call, advertised))
            for position, call in enumerate(answer.calls, 1)
        ]
        results = await self._replayed(rows, offset)
        due = [(row, call) for row, call in zip(rows, answer.calls, strict=True) if row.id not in results]
        is_harmless = all(row.effect is Effect.NONE for row, _ in due)
        for group in [due] if is_harmless else [[item] for item in due]:
            results.update(await self._make(group, offset, advertised))
        return [results[row.id] for row in rows]

    async def _replayed(self, rows: Sequence[ToolCall], offset: int) -> dict[CallId, CallResult]:
        """The results of those calls that need not be made."""
        results = {row.id: known for row in rows if (known := self._ledger.replayed(row)) is not None}
        unknown = [row for row in rows if self._ledger.is_unknown(row)]
        async with asyncio.TaskGroup() as tasks:
            found = {row.id: tasks.create_task(self._ledger.find_out(row, offset)) for row in unknown}
        told = {call_id: result for call_id, task in found.items() if (result := task.result()) is not None}
        return results | told

    async def _make(self, group: Sequence[_Due], offset: int, advertised: Collection[str]) -> dict[CallId, CallResult]:
        """Make the calls side by side, once the ledger has them."""
        await self._ledger.start([row for row, _ in group], offset)
        async with asyncio.TaskGroup() as tasks:
            made = {
                row.id: tasks.create_task(self._call(row.id, call, advertised), name=f"call {row.id}")
                for row, call in group
            }
        return {call_id: task.result() for call_id, task in made.items()}

    async def _call(self, call_id: CallId, call: CallRequest, advertised: Collection[str]) -> CallResult:
        result = await self._result(call_id, call, advertised)
        self._ledger.end(call_id, result)
        return result

    async def _result(self, call_id: CallId, call: CallRequest, advertised: Collection[str]) -> CallResult:
        if call.arguments is None and call.tool in advertised:
            return _not_an_object(call)
        run, snapshot = self._turn.run, self._turn.snapshot
        return await self._tools.call(
            call.tool,
            None if call.arguments is None else dict(call.arguments),
            CallContext.of(run, snapshot, call_id),
            default_timeout_s=CALL_TIMEOUT_S,
            advertised=advertised,
            late=lambda result: self._ledger.end_late(call_id, result),
        )

    def _effect(self, call: CallRequest, advertised: Collection[str]) -> Effect:
        """What the call may leave behind; one that is going to be refused leaves nothing."""
        if call.arguments is None or call.tool not in advertised:
            return Effect.NONE
        return self._tools.effect(call.tool, call.arguments)


def _not_an_object(call: CallRequest) -> CallResult:
    """The answer to arguments that are no JSON object: an error that the model can mend, never `{}`."""
    try:
        problem = f"they are {type_name(decode(call.arguments_text))}"
    except ValueError as error:
        problem = str(error)
    message = f"the arguments of {call.tool} must be one JSON object: {problem}"
    told = ErrorInfo("invalid_arguments", message, failed_during="tool_execution", tool_name=call.tool)
    return CallResult(CallStatus.ERROR, error=told)
