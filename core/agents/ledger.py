"""The ledger of a turn: each call is a fact before it starts and after it ends (AGENTS_AND_TOOLS §3).

After a crash the ledger shows which calls had their effect. Finished calls are replayed; interrupted calls are repeated
if that is harmless, and otherwise the user decides (ENGINE §10). Facts are masked, so an interrupted call with secrets
cannot be repeated from its fact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from core.agents.results import SETTLED, stored_result
from core.domain.events import Fact, ToolEnded, ToolEndedLate, ToolStarted, interrupted_call, with_text
from core.domain.ids import CallId
from core.domain.interruption import Action, InterruptionKind, InterruptionRequest
from core.domain.run import ErrorInfo, StepKey
from core.domain.sub_agent import location_of
from core.domain.text.json_text import decode, encode
from core.domain.text.masking import MASK, masked
from core.domain.tool import CallResult, CallStatus, Effect, ToolCall, arguments_digest
from core.errors import StepFailed
from core.ports import AgentTurn, CallRequest, Clock, Companion, RunLog


class Ledger:
    """Stores the calls of a turn. `stored_rows` come from a previous process. Recorder facts are committed with the
    facts of the calls.
    """

    def __init__(self, turn: AgentTurn, log: RunLog, clock: Clock, stored_rows: Iterable[ToolCall]) -> None:
        self._turn = turn
        self._recorder = turn.recorder
        self._log = log
        self._clock = clock
        self._stored = {row.id: row for row in stored_rows}
        self._open: dict[CallId, float] = {}

    def row(self, number: int, position: int, call: CallRequest, sameness: str, effect: Effect) -> ToolCall:
        """Build the row of a requested call, before anything but the digest of its arguments (`sameness`) is known.

        Its id is its position in the run: the same after a crash, and unique whatever ids the model chooses.
        """
        step, index = self._turn.key.step, self._turn.key.index
        return ToolCall(
            id=CallId(f"{StepKey(step, index)}.{number}.{position}"),
            run_id=self._turn.run.id,
            step=step,
            index=index,
            round=number,
            position=position,
            tool=call.tool,
            status=CallStatus.RUNNING,
            arguments_json="null",
            effect=effect,
            sameness=sameness,
        )

    async def replayed(self, row: ToolCall) -> CallResult | None:
        """Return the result that this call had before, or None.

        Raises StepFailed `call_changed` if the ledger has another call under this id.
        """
        stored = self._stored.get(row.id)
        if stored is None:
            return None
        if (stored.tool, stored.sameness or arguments_digest(stored.arguments_json)) != (row.tool, row.sameness):
            raise StepFailed(
                "call_changed",
                f"the call {row.id} of {row.tool} differs from the call in the ledger",
                failed_during="tool_execution",
                tool_name=row.tool,
            )
        return await stored_result(stored) if stored.status in SETTLED else None

    def is_unknown(self, row: ToolCall) -> bool:
        """Return whether the call was interrupted and must not be repeated without asking, or cannot be as it had
        secrets.
        """
        stored = self._stored.get(row.id)
        if stored is None or stored.status in SETTLED:
            return False
        return stored.effect is Effect.ONCE or MASK in stored.arguments_json

    async def ask_outcome(self, row: ToolCall, offset: int) -> CallResult | None:
        """Ask the user for the outcome of an interrupted call. Return None if the call should be repeated.

        `offset` is as for `start`.
        """
        stored = self._stored[row.id]
        # Of a call that was interrupted, only the user can find out whether it had its effect: a mail may be sent, a
        # file written. The first time, its end as `unknown` is emitted before the question, so that views show a
        # call without outcome rather than a call that runs for ever. If the process ends before the answer, the next
        # process finds the call `unknown` and joins the question that is still open (`anew` is False
        # then).
        location = location_of(stored.step, stored.index)
        prompt = f"{stored.tool} in step {location.step} may or may not have taken effect: it was interrupted"
        is_first_time = stored.status is not CallStatus.UNKNOWN
        if is_first_time:
            unknown = CallResult(CallStatus.UNKNOWN, error=ErrorInfo("outcome_unknown", prompt))
            self._log.emit(_started(stored, offset), ToolEnded.of(stored.id, unknown))
            self._stored[row.id] = replace(stored, status=CallStatus.UNKNOWN)
        arguments = decode(stored.arguments_json)
        step_key = (stored.step, stored.index)
        ask = InterruptionRequest(
            InterruptionKind.OUTCOME,
            *step_key,
            prompt=prompt,
            tool=stored.tool,
            arguments=arguments,
            call_id=stored.id,
        )
        answer = (await self._turn.ask(ask, anew=is_first_time)).answer
        if answer is not None and answer.action is Action.APPROVE:
            return None
        if answer is not None and answer.action is Action.SUBMIT:
            result = CallResult(CallStatus.COMPLETED, answer.value)
        else:
            reason = answer.reason if answer is not None and answer.reason else "the user reports that it had no effect"
            result = CallResult(CallStatus.ERROR, error=ErrorInfo("failed", reason, tool_name=stored.tool))
        masked_result = replace(result, value=masked(result.value))
        self._log.emit(
            _ended(stored.id, masked_result, encode(masked_result.value)),
            companion=self._recorder.call_ended(stored.id, masked_result, result.value),
        )
        return result

    async def start(self, rows: Sequence[ToolCall], offset: int) -> None:
        """Store the calls; they may start when this returns. `offset` counts the characters of the turn before the
        calls.
        """
        for row in rows:
            self._stored.pop(row.id, None)
        self._open.update({row.id: self._clock.monotonic() for row in rows})
        facts = [_started(row, offset) for row in rows]
        companion: Companion | None = None
        for row in rows:
            started_companion = self._companion(row)
            companion = started_companion if companion is None else companion.then(started_companion)
        await self._log.commit(*facts, companion=companion)

    def end(self, call_id: CallId, result: CallResult, result_json: str | None = None, raw: Any = None) -> None:
        """Store and emit the outcome of a call. `result` and `result_json` are masked, `raw` is the unmasked value.

        It is on disk before the next call or question leaves the process.
        """
        del self._open[call_id]
        self._log.emit(
            _ended(call_id, result, result_json),
            companion=self._recorder.call_ended(call_id, result, raw),
        )

    def _companion(self, row: ToolCall) -> Companion | None:
        return self._recorder.call_started(row.id, row.tool, decode(row.arguments_json), row.effect)

    def refuse(
        self, row: ToolCall, result: CallResult, offset: int, result_json: str | None = None, raw: Any = None
    ) -> None:
        """Store and emit a call that was rejected before it started. The parameters are as for `end`."""
        self._stored.pop(row.id, None)
        started_companion = self._companion(row)
        companion = (
            started_companion.then(self._recorder.call_ended(row.id, result, raw))
            if started_companion is not None
            else None
        )
        started = _started(replace(row, effect=Effect.NONE), offset)
        self._log.emit(started, _ended(row.id, result, result_json), companion=companion)

    def end_late(self, call_id: CallId, result: CallResult) -> None:
        """Emit how a call ended after its time limit. Its result does not change."""
        self._log.commit(ToolEndedLate.of(call_id, result))

    def emit(self, fact: Fact) -> None:
        """Emit a fact about a call in flight."""
        self._log.emit(fact)

    def close(self) -> None:
        """Close the open calls as cancelled, each with a result, at any end of the turn.

        Calls that a previous process left open, and this turn did not reach, are closed too.
        """
        error = ErrorInfo("cancelled", "the call was cancelled; it may still have taken effect")
        # Providers reject a history in which a call has no result, so every call gets one even when the turn is
        # cancelled. The error says that the effect is uncertain; the model must not assume that nothing happened.
        for call_id, since in list(self._open.items()):
            duration_ms = round((self._clock.monotonic() - since) * 1000)
            self.end(call_id, CallResult(CallStatus.CANCELLED, error=error, duration_ms=duration_ms))
        self._recorder.close()
        interrupted = [interrupted_call(row) for row in self._stored.values() if row.status is CallStatus.RUNNING]
        if interrupted:
            self._log.emit(*interrupted)


def _ended(call_id: CallId, result: CallResult, result_json: str | None) -> ToolEnded:
    """Return the end of a call with its result, which is masked; `result_json` is its JSON."""
    ended = ToolEnded.of(call_id, result)
    if result.error is not None or result_json is None:
        return ended
    return with_text(ended.model_copy(update={"result": result.value}), result_json)


def _started(row: ToolCall, offset: int) -> ToolStarted:
    started = ToolStarted(
        call_id=row.id,
        tool=row.tool,
        arguments=decode(row.arguments_json),
        **asdict(location_of(row.step, row.index)),
        round=row.round,
        offset=offset,
        position=row.position,
        effect=row.effect,
        sameness=row.sameness,
    )
    return with_text(started, row.arguments_json)
