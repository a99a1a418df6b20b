"""Executes the calls of a round: concurrently if none has an effect, else sequentially."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.agents.answers import ModelAnswer
from core.agents.ledger import Ledger
from core.agents.limits import CALL_TIMEOUT_S
from core.domain.ids import CallId
from core.domain.run import ErrorInfo
from core.domain.text.json_text import parse, type_name
from core.domain.tool import CallResult, CallStatus, Effect, ToolCall
from core.ports.agents import AgentTurn
from core.ports.consent import PendingCall
from core.ports.model import CallRequest
from core.ports.sub_agents import SubAgents
from core.ports.tools import CallContext, ToolRunner
from core.threads.long_values import encode_async, masked_async


@dataclass(frozen=True, slots=True)
class _ReadyCall:
    """A call that is ready to run, with its approved arguments."""

    row: ToolCall
    arguments: Any


class RoundCalls:
    """Makes the calls of a turn through its ledger, with the tools advertised for the round."""

    def __init__(self, turn: AgentTurn, tools: ToolRunner, ledger: Ledger, sub_agents: SubAgents | None) -> None:
        self._turn = turn
        self._tools = tools
        self._ledger = ledger
        self._sub_agents = sub_agents

    async def carry_out(
        self, number: int, answer: ModelAnswer, offset: int, advertised: Collection[str]
    ) -> list[CallResult]:
        """Return the results of the answer's calls, in order. Calls that have a result are not repeated.

        Failures are results. Before any call is made, the user is asked about all calls with unknown outcome at once,
        then about all calls that need consent. While a recording is open, a call that refers to another call of the
        round runs after it.
        """
        rows = [
            self._ledger.row(number, position, call, sameness, self._effect(call.tool, call.arguments, advertised))
            for position, (call, sameness) in enumerate(zip(answer.calls, answer.samenesses, strict=True), 1)
        ]
        recorder = self._turn.recorder
        for row, call in zip(rows, answer.calls, strict=True):
            recorder.note(row.id, row.tool, call.arguments)
        await recorder.open()
        results = await self._replayed(rows, offset)
        left = [(row, call) for row, call in zip(rows, answer.calls, strict=True) if row.id not in results]
        while left:
            await recorder.open()
            together = recorder.assign_names([(row.id, call.tool, call.arguments) for row, call in left])
            due = await self._permitted(left[:together], offset, advertised, results)
            for group in self._groups(due):
                results.update(await self._make(group, offset, advertised))
            left = left[together:]
        return [results[row.id] for row in rows]

    async def _replayed(self, rows: Sequence[ToolCall], offset: int) -> dict[CallId, CallResult]:
        """Return the results of the calls that need not be made."""
        results = {row.id: known for row in rows if (known := await self._ledger.replayed(row)) is not None}
        unknown = [row for row in rows if self._ledger.is_unknown(row)]
        async with asyncio.TaskGroup() as tasks:
            found = {row.id: tasks.create_task(self._ledger.find_out(row, offset)) for row in unknown}
        told = {call_id: result for call_id, task in found.items() if (result := task.result()) is not None}
        return results | told

    async def _permitted(
        self,
        left: Sequence[tuple[ToolCall, CallRequest]],
        offset: int,
        advertised: Collection[str],
        results: dict[CallId, CallResult],
    ) -> list[_ReadyCall]:
        """Return the calls that may be made, after every request for consent. Adds the outcomes of the others to
        `results`.
        """
        wanted = []
        for row, call in left:
            if call.arguments is None and call.tool in advertised:
                await self._refuse(row, call.arguments_text, _not_an_object(call), offset, results)
            else:
                arguments = None if call.arguments is None else dict(call.arguments)
                resolved = self._turn.recorder.resolve(row.id, arguments)
                if isinstance(resolved, CallResult):
                    await self._refuse(row, arguments, resolved, offset, results)
                    continue
                wanted.append((row, PendingCall(row.id, row.step, row.index, call.tool, resolved)))
        settled = await self._turn.consent([one for _, one in wanted], advertised)
        due = []
        for (row, one), verdict in zip(wanted, settled, strict=True):
            if isinstance(verdict, CallResult):
                await self._refuse(row, one.arguments, verdict, offset, results)
                continue
            effect = self._effect(one.tool, verdict.arguments, advertised)
            await self._turn.recorder.settle(row.id, verdict.arguments)
            kept = await encode_async(await masked_async(verdict.arguments))
            due.append(_ReadyCall(replace(row, arguments_json=kept, effect=effect), verdict.arguments))
        return due

    async def _refuse(
        self, row: ToolCall, arguments: Any, result: CallResult, offset: int, results: dict[CallId, CallResult]
    ) -> None:
        kept = await encode_async(await masked_async(arguments))
        shown = replace(result, value=await masked_async(result.value))
        text = await encode_async(shown.value)
        self._ledger.refuse(replace(row, arguments_json=kept), shown, offset, text, result.value)
        results[row.id] = result

    def _groups(self, due: Sequence[_ReadyCall]) -> list[Sequence[_ReadyCall]]:
        """Return the calls that run concurrently. Calls that wait for the user come last, so that nothing else is in
        flight then.
        """
        if not all(one.row.effect is Effect.NONE for one in due):
            return [[one] for one in due]
        asking = [one for one in due if self._asks_people(one.row.tool)]
        return [group for group in ([one for one in due if one not in asking], asking) if group]

    async def _make(
        self, group: Sequence[_ReadyCall], offset: int, advertised: Collection[str]
    ) -> dict[CallId, CallResult]:
        """Make the calls concurrently, after the ledger has stored them."""
        await self._ledger.start([one.row for one in group], offset)
        async with asyncio.TaskGroup() as tasks:
            made = {
                one.row.id: tasks.create_task(self._call(one, advertised), name=f"call {one.row.id}") for one in group
            }
        return {call_id: task.result() for call_id, task in made.items()}

    async def _call(self, due: _ReadyCall, advertised: Collection[str]) -> CallResult:
        turn, row = self._turn, due.row
        result = await self._tools.call(
            row.tool,
            due.arguments,
            CallContext.of(
                turn.run, turn.snapshot, row.id, turn.key, turn.ask, self._ledger.emit, sub_agents=self._sub_agents
            ),
            default_timeout_s=CALL_TIMEOUT_S,
            advertised=advertised,
            is_permitted=True,
            late=lambda ended: self._ledger.end_late(row.id, ended),
        )
        shown = replace(result, value=await masked_async(result.value))
        self._ledger.end(row.id, shown, await encode_async(shown.value), result.value)
        return result

    def _effect(self, tool: str, arguments: Any, advertised: Collection[str]) -> Effect:
        """Return the effect of the call; a call that will be rejected has none."""
        if arguments is None or tool not in advertised:
            return Effect.NONE
        return self._tools.effect(tool, arguments)

    def _asks_people(self, tool: str) -> bool:
        info = self._tools.info(tool)
        return info is not None and info.asks_people


def _not_an_object(call: CallRequest) -> CallResult:
    """Return the error for arguments that are not a JSON object. The model can correct them; `{}` is never assumed."""
    try:
        problem = f"they are {type_name(parse(call.arguments_text))}"
    except ValueError as error:
        problem = str(error)
    message = f"the arguments of {call.tool} must be one JSON object: {problem}"
    told = ErrorInfo("invalid_arguments", message, failed_during="tool_execution", tool_name=call.tool)
    return CallResult(CallStatus.ERROR, error=told)
