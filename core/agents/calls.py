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
from core.ports import AgentTurn, CallContext, CallRequest, PendingCall, SubAgents, ToolRunner
from core.threads.long_values import encode_async, masked_async


@dataclass(frozen=True, slots=True)
class _ReadyCall:
    """A call that is ready to run, with its approved arguments."""

    row: ToolCall
    arguments: Any


@dataclass(frozen=True, slots=True)
class _Round:
    """A round in progress. `offset` counts the characters of the turn before its calls."""

    offset: int
    advertised: Collection[str]
    results: dict[CallId, CallResult]


class RoundCalls:
    """Makes the calls of a turn through its ledger, with the tools advertised for the round."""

    def __init__(self, turn: AgentTurn, tools: ToolRunner, ledger: Ledger, sub_agents: SubAgents | None) -> None:
        self._turn = turn
        self._tools = tools
        self._ledger = ledger
        self._sub_agents = sub_agents

    async def run_calls(
        self, number: int, answer: ModelAnswer, offset: int, advertised: Collection[str]
    ) -> list[CallResult]:
        """Execute the calls of an answer, and return their results in order. Calls that have a result are not repeated.

        Failures are results. Before any call is made, the user is asked about all calls with unknown outcome at once,
        then about all calls that need consent. While a recording is open, a call that refers to another call of the
        round runs after it.
        """
        rows = [
            self._ledger.row(number, position, call, sameness, self._effect(call.tool, call.arguments, advertised))
            for position, (call, sameness) in enumerate(zip(answer.calls, answer.digests, strict=True), 1)
        ]
        # The order of the phases keeps the number of interruptions small: first everything that only the user can know
        # about interrupted calls, then everything that needs consent, so that each comes as one group. While recording,
        # a call may refer to the result of another call of the same round; `recorder.assign_names` returns how many
        # calls can go together.
        recorder = self._turn.recorder
        for row, call in zip(rows, answer.calls, strict=True):
            recorder.note(row.id, row.tool, call.arguments)
        await recorder.open()
        current = _Round(offset, advertised, await self._replayed(rows, offset))
        remaining = [(row, call) for row, call in zip(rows, answer.calls, strict=True) if row.id not in current.results]
        while remaining:
            await recorder.open()
            count = recorder.assign_names([(row.id, call.tool, call.arguments) for row, call in remaining])
            for group in self._groups(await self._permitted(current, remaining[:count])):
                current.results.update(await self._make(current, group))
            remaining = remaining[count:]
        return [current.results[row.id] for row in rows]

    async def _replayed(self, rows: Sequence[ToolCall], offset: int) -> dict[CallId, CallResult]:
        """Return the results of the calls that need not be made."""
        results = {row.id: known for row in rows if (known := await self._ledger.replayed(row)) is not None}
        unknown = [row for row in rows if self._ledger.is_unknown(row)]
        async with asyncio.TaskGroup() as tasks:
            tasks_by_call = {row.id: tasks.create_task(self._ledger.ask_outcome(row, offset)) for row in unknown}
        outcomes = {call_id: result for call_id, task in tasks_by_call.items() if (result := task.result()) is not None}
        return results | outcomes

    async def _permitted(self, current: _Round, calls: Sequence[tuple[ToolCall, CallRequest]]) -> list[_ReadyCall]:
        """Ask for consent, and return the calls that may be made. Adds the outcomes of the others to the results."""
        pending = []
        for row, call in calls:
            if call.cut_off is not None:
                await self._refuse(current, row, call.arguments_text, _cut_off(call))
                continue
            if call.arguments is None and call.tool in current.advertised:
                await self._refuse(current, row, call.arguments_text, _not_an_object(call))
                continue
            arguments = None if call.arguments is None else dict(call.arguments)
            resolved = self._turn.recorder.resolve(row.id, arguments)
            if isinstance(resolved, CallResult):
                await self._refuse(current, row, arguments, resolved)
            else:
                pending.append((row, PendingCall(row.id, row.step, row.index, call.tool, resolved)))
        verdicts = await self._turn.consent([pending_call for _, pending_call in pending], current.advertised)
        ready = []
        for (row, pending_call), verdict in zip(pending, verdicts, strict=True):
            if isinstance(verdict, CallResult):
                await self._refuse(current, row, pending_call.arguments, verdict)
                continue
            # The user may have edited the arguments, so the effect is that of the call as it will be made.
            effect = self._effect(pending_call.tool, verdict.arguments, current.advertised)
            await self._turn.recorder.settle(row.id, verdict.arguments)
            masked_arguments = await encode_async(await masked_async(verdict.arguments))
            ready.append(_ReadyCall(replace(row, arguments_json=masked_arguments, effect=effect), verdict.arguments))
        return ready

    async def _refuse(self, current: _Round, row: ToolCall, arguments: Any, result: CallResult) -> None:
        masked_arguments = await encode_async(await masked_async(arguments))
        masked_result = replace(result, value=await masked_async(result.value))
        text = await encode_async(masked_result.value)
        row = replace(row, arguments_json=masked_arguments)
        self._ledger.refuse(row, masked_result, current.offset, text, result.value)
        current.results[row.id] = result

    def _groups(self, ready: Sequence[_ReadyCall]) -> list[Sequence[_ReadyCall]]:
        """Group the calls that run concurrently. Calls that wait for the user come last, so that nothing else is in
        flight then.
        """
        # A model that asks for several calls at once does not promise that their order is irrelevant. Reading calls
        # commute; as soon as one call has an effect, all run in the order in which the model wrote them.
        if not all(call.row.effect is Effect.NONE for call in ready):
            return [[call] for call in ready]
        asking = [call for call in ready if self._asks_people(call.row.tool)]
        return [group for group in ([call for call in ready if call not in asking], asking) if group]

    async def _make(self, current: _Round, group: Sequence[_ReadyCall]) -> dict[CallId, CallResult]:
        """Make the calls concurrently, after the ledger has stored them."""
        await self._ledger.start([call.row for call in group], current.offset)
        async with asyncio.TaskGroup() as tasks:
            running = {
                call.row.id: tasks.create_task(self._call(call, current.advertised), name=f"call {call.row.id}")
                for call in group
            }
        return {call_id: task.result() for call_id, task in running.items()}

    async def _call(self, ready: _ReadyCall, advertised: Collection[str]) -> CallResult:
        turn, row = self._turn, ready.row
        result = await self._tools.call(
            row.tool,
            ready.arguments,
            CallContext.of(
                turn.run,
                turn.snapshot,
                row.id,
                turn.key,
                turn.ask,
                self._ledger.emit,
                access=turn.access,
                sub_agents=self._sub_agents,
            ),
            default_timeout_s=CALL_TIMEOUT_S,
            advertised=advertised,
            is_permitted=True,
            late=lambda ended: self._ledger.end_late(row.id, ended),
        )
        masked_result = replace(result, value=await masked_async(result.value))
        self._ledger.end(row.id, masked_result, await encode_async(masked_result.value), result.value)
        return result

    def _effect(self, tool: str, arguments: Any, advertised: Collection[str]) -> Effect:
        """Return the effect of the call; a call that will be rejected has none."""
        if arguments is None or tool not in advertised:
            return Effect.NONE
        return self._tools.effect(tool, arguments)

    def _asks_people(self, tool: str) -> bool:
        info = self._tools.info(tool)
        return info is not None and info.asks_people


def _cut_off(call: CallRequest) -> CallResult:
    """Return the error for a call of an answer that was cut off. Nothing of such an answer is made."""
    reason = "the provider's filter" if call.cut_off == "content_filter" else "the output limit"
    message = (
        f"{reason} cut the answer off within this call or right after it, so it was not made. "
        "Make it again with shorter arguments, in several calls if they are long."
    )
    error = ErrorInfo("cut_off", message, failed_during="tool_execution", tool_name=call.tool)
    return CallResult(CallStatus.ERROR, error=error)


def _not_an_object(call: CallRequest) -> CallResult:
    """Return the error for arguments that are not a JSON object. The model can correct them; `{}` is never assumed."""
    try:
        problem = f"they are {type_name(parse(call.arguments_text))}"
    except ValueError as parse_error:
        problem = str(parse_error)
    message = f"the arguments of {call.tool} must be one JSON object: {problem}"
    error = ErrorInfo("invalid_arguments", message, failed_during="tool_execution", tool_name=call.tool)
    return CallResult(CallStatus.ERROR, error=error)
