"""Calls from outside, recorded as steps: an MCP client's calls while a recording is open (ENGINE §11).

They belong to no turn of an agent, so their ledger entries belong to the recording.
"""

from asyncio import CancelledError, Future
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from core.domain.ids import CallId, RunId, new_id
from core.domain.recording import RECORDING_TOOLS
from core.domain.run import ErrorInfo
from core.domain.template import ValidationMode, stricter_mode
from core.domain.text.json_text import decode, encode
from core.domain.tool import CallResult, CallStatus, Effect, ToolCall
from core.errors import Refused
from core.ports import CallContext, Clock, PutToolCall, ToolRunner
from core.recording.call_recorder import RunCallRecorder
from core.recording.open_recording import OpenRecording
from core.recording.recordings import RecordingRegistry
from core.threads.long_values import masked_async

CALL_TIMEOUT_S = 10.0

CallExecutor = Callable[[Any], Awaitable[CallResult]]
"""Makes a call with these arguments, which hold no refs any more."""


class ExternalCalls:
    """Makes tool calls in open recordings, under the rules of the recording.

    The user cannot be asked: a call that needs consent is `rejected`.
    """

    def __init__(self, registry: RecordingRegistry, tools: ToolRunner, clock: Clock) -> None:
        self._registry = registry
        self._tools = tools
        self._clock = clock

    async def call(
        self,
        run_id: RunId,
        tool: str,
        arguments: Any,
        through: CallExecutor | None = None,
        mode: ValidationMode = ValidationMode.AUTO,
    ) -> CallResult:
        """Resolve the refs in the arguments, make the call, and record it with its result; both are on disk on return.

        A failure of the call is its result. `through` makes the call if it does not go through the registry; else it is
        made in the stricter of the recording's mode and `mode`. Raises NotFound, Refused: `not_a_recording`,
        `already_sealed`, `recording_ended`, `not_available` for the tools that control recordings.
        """
        if tool in RECORDING_TOOLS:
            raise Refused("not_available", f"{tool} is not to be called from within a recording")
        opened = await self._registry.require_open(run_id)
        recorder = RunCallRecorder(self._registry, run_id, opened.run.workflow_id, self._clock)
        call_id = CallId(new_id("call"))
        recorder.note(call_id, tool, arguments)
        await recorder.open()
        recorder.assign_names([(call_id, tool, arguments)])
        # a call result instead of arguments: the call is not made, since it is preset or a ref has no value
        resolved = recorder.resolve(call_id, arguments)
        known_result = resolved if isinstance(resolved, CallResult) else None
        passed = arguments if known_result is not None else resolved
        await recorder.settle(call_id, passed)
        row = await self._row(opened, call_id, tool, passed)
        await self._begin(opened, recorder, row)
        result = CallResult(CallStatus.CANCELLED, error=ErrorInfo("cancelled", "the call was cancelled"))
        try:
            if known_result is None:
                result = await (self._call(opened, row, passed, mode) if through is None else through(passed))
            else:
                result = known_result
        except CancelledError:
            self._end(opened, recorder, row, result, None)
            raise
        kept = replace(result, value=await masked_async(result.value))
        await self._end(opened, recorder, row, kept, result.value)
        return result

    async def _call(self, opened: OpenRecording, row: ToolCall, arguments: Any, mode: ValidationMode) -> CallResult:
        run, rules = opened.run, opened.snapshot
        context = CallContext(
            run.id,
            run.workflow_id,
            row.id,
            stricter_mode(rules.mode, mode),
            rules.folders,
            rules.base,
            step=row.step,
            model=rules.model,
            origins=rules.origins,
        )
        return await self._tools.call(row.tool, arguments, context, default_timeout_s=CALL_TIMEOUT_S)

    async def _row(self, opened: OpenRecording, call_id: CallId, tool: str, arguments: Any) -> ToolCall:
        effect = self._tools.effect(tool, arguments) if isinstance(arguments, dict) else Effect.NONE
        return ToolCall(
            id=call_id,
            run_id=opened.run.id,
            step=tool,
            index=None,
            round=0,
            position=len(opened.recording.steps) + 1,
            tool=tool,
            status=CallStatus.RUNNING,
            arguments_json=encode(await masked_async(arguments)),
            effect=effect,
            started_at=self._clock.now(),
        )

    async def _begin(self, opened: OpenRecording, recorder: RunCallRecorder, row: ToolCall) -> None:
        companion = recorder.call_started(row.id, row.tool, decode(row.arguments_json), row.effect)
        facts = companion.facts if companion is not None else ()
        await opened.log.commit(*facts, writes=[PutToolCall(row)])

    def _end(
        self, opened: OpenRecording, recorder: RunCallRecorder, row: ToolCall, result: CallResult, raw: Any
    ) -> "Future[frozenset[int]]":
        companion = recorder.call_ended(row.id, result, raw)
        settled = replace(
            row,
            status=result.status,
            result_json=encode(result.value) if result.error is None else None,
            error=result.error.masked() if result.error is not None else None,
            finished_at=self._clock.now(),
            duration_ms=result.duration_ms,
        )
        facts, writes = (companion.facts, companion.writes) if companion is not None else ((), ())
        return opened.log.commit(*facts, writes=[PutToolCall(settled), *writes])
