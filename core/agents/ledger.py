"""The ledger of a turn: each call is stored before it starts and after it ends (AGENTS_AND_TOOLS §3).

After a crash the ledger shows which calls had their effect. Finished calls are replayed; interrupted calls are repeated
if that is harmless, and otherwise the user decides (ENGINE §10). Rows and facts are masked, so an interrupted call
with secrets cannot be repeated from its row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from core.agents.results import SETTLED, stored_result
from core.domain.events import Fact, ToolEnded, ToolEndedLate, ToolStarted
from core.domain.ids import CallId
from core.domain.interruption import Action, InterruptionKind, InterruptionRequest
from core.domain.run import ErrorInfo, StepKey
from core.domain.sub_agent import location_of
from core.domain.text.json_text import decode, encode
from core.domain.text.masking import MASK, masked
from core.domain.tool import CallResult, CallStatus, Effect, ToolCall, arguments_digest, interrupted_call
from core.errors import StepFailed
from core.ports import AgentTurn, CallRequest, Clock, Companion, PutToolCall, RunLog


class Ledger:
    """Stores the calls of a turn. `stored_rows` come from a previous process. Recorder facts are committed with the
    rows.
    """

    def __init__(self, turn: AgentTurn, log: RunLog, clock: Clock, stored_rows: Iterable[ToolCall]) -> None:
        self._turn = turn
        self._recorder = turn.recorder
        self._log = log
        self._clock = clock
        self._stored = {row.id: row for row in stored_rows}
        self._open: dict[CallId, tuple[ToolCall, float]] = {}

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
        # file written. The first time, the row becomes `unknown` and its end is emitted before the question, so that
        # views show a call without outcome rather than a call that runs for ever. If the process ends before the
        # answer, the next process finds the row `unknown` and joins the question that is still open (`anew` is False
        # then).
        location = location_of(stored.step, stored.index)
        prompt = f"{stored.tool} in step {location.step} may or may not have taken effect: it was interrupted"
        is_first_time = stored.status is not CallStatus.UNKNOWN
        if is_first_time:
            unknown = CallResult(CallStatus.UNKNOWN, error=ErrorInfo("outcome_unknown", prompt))
            facts = [_started(stored, offset), ToolEnded.of(stored.id, unknown)]
            stored = self._stored[row.id] = self._ended(stored, unknown)
            self._log.emit(*facts, writes=[PutToolCall(stored)])
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
            ToolEnded.of(stored.id, result),
            writes=[PutToolCall(self._ended(stored, masked_result, encode(masked_result.value)))],
            companion=self._recorder.call_ended(stored.id, masked_result, result.value),
        )
        return result

    async def start(self, rows: Sequence[ToolCall], offset: int) -> None:
        """Store the rows; the calls may start when this returns. `offset` counts the characters of the turn before the
        calls.
        """
        started = [replace(row, started_at=self._clock.now()) for row in rows]
        for row in rows:
            self._stored.pop(row.id, None)
        self._open.update({row.id: (row, self._clock.monotonic()) for row in started})
        facts = [_started(row, offset) for row in started]
        companion: Companion | None = None
        for row in started:
            started_companion = self._companion(row)
            companion = started_companion if companion is None else companion.then(started_companion)
        await self._log.commit(*facts, writes=[PutToolCall(row) for row in started], companion=companion)

    def end(self, call_id: CallId, result: CallResult, result_json: str | None = None, raw: Any = None) -> None:
        """Store and emit the outcome of a call. `result` and `result_json` are masked, `raw` is the unmasked value.

        It is on disk before the next call or question leaves the process.
        """
        row, _ = self._open.pop(call_id)
        self._log.emit(
            ToolEnded.of(call_id, result),
            writes=[PutToolCall(self._ended(row, result, result_json))],
            companion=self._recorder.call_ended(call_id, result, raw),
        )

    def _companion(self, row: ToolCall) -> Companion | None:
        return self._recorder.call_started(row.id, row.tool, decode(row.arguments_json), row.effect)

    def refuse(
        self, row: ToolCall, result: CallResult, offset: int, result_json: str | None = None, raw: Any = None
    ) -> None:
        """Store and emit a call that was rejected before it started. The parameters are as for `end`."""
        at = self._clock.now()
        self._stored.pop(row.id, None)
        refused_row = replace(self._ended(row, result, result_json), started_at=at, effect=Effect.NONE)
        started_companion = self._companion(row)
        companion = (
            started_companion.then(self._recorder.call_ended(row.id, result, raw))
            if started_companion is not None
            else None
        )
        facts = [_started(row, offset), ToolEnded.of(row.id, result)]
        self._log.emit(*facts, writes=[PutToolCall(refused_row)], companion=companion)

    def end_late(self, call_id: CallId, result: CallResult) -> None:
        """Emit how a call ended after its time limit. Its row does not change."""
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
        for call_id, (_, since) in list(self._open.items()):
            duration_ms = round((self._clock.monotonic() - since) * 1000)
            self.end(call_id, CallResult(CallStatus.CANCELLED, error=error, duration_ms=duration_ms))
        self._recorder.close()
        interrupted = [interrupted_call(row) for row in self._stored.values() if row.status is CallStatus.RUNNING]
        if interrupted:
            self._log.emit(writes=[PutToolCall(row) for row in interrupted])

    def _ended(self, row: ToolCall, result: CallResult, result_json: str | None = None) -> ToolCall:
        return replace(
            row,
            status=result.status,
            result_json=result_json if result.error is None else None,
            error=result.error.masked() if result.error else None,
            finished_at=self._clock.now(),
            duration_ms=result.duration_ms,
        )


def _started(row: ToolCall, offset: int) -> ToolStarted:
    return ToolStarted(
        call_id=row.id,
        tool=row.tool,
        arguments=decode(row.arguments_json),
        **asdict(location_of(row.step, row.index)),
        round=row.round,
        offset=offset,
    )
