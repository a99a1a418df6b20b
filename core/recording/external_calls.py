"""Calls from outside, recorded as steps: an MCP client's calls while a recording is open (ENGINE §11).

They belong to no turn of an agent, so all their facts belong to the recording.
"""

from asyncio import CancelledError, Future
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from core.domain.ids import CallId, RunId, new_id
from core.domain.recording import RECORDING_TOOLS
from core.domain.run import ErrorInfo
from core.domain.template import ValidationMode, stricter_mode
from core.domain.tool import CallResult, CallStatus, Effect
from core.errors import Refused
from core.ports import CallContext, Companion, ToolRunner
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

    def __init__(self, registry: RecordingRegistry, tools: ToolRunner) -> None:
        self._registry = registry
        self._tools = tools

    async def call(
        self,
        run_id: RunId,
        tool: str,
        arguments: Any,
        through: CallExecutor | None = None,
        mode: ValidationMode = ValidationMode.AUTO,
        allow: Sequence[str] = (),
    ) -> CallResult:
        """Resolve the refs in the arguments, make the call, and record it with its result; both are on disk on return.

        A failure of the call is its result. `through` makes the call if it does not go through the registry; else it is
        made in the stricter of the recording's mode and `mode`. Raises NotFound, Refused: `not_a_recording`,
        `already_sealed`, `recording_ended`, `not_available` for the tools that control recordings.
        """
        if tool in RECORDING_TOOLS:
            raise Refused("not_available", f"{tool} is not to be called from within a recording")
        opened = await self._registry.require_open(run_id)
        recorder = RunCallRecorder(self._registry, run_id, opened.run.workflow_id)
        call_id = CallId(new_id("call"))
        recorder.note(call_id, tool, arguments)
        await recorder.open()
        recorder.assign_names([(call_id, tool, arguments)])
        # a call result instead of arguments: the call is not made, since it is preset or a ref has no value
        resolved = recorder.resolve(call_id, arguments)
        known_result = resolved if isinstance(resolved, CallResult) else None
        passed = arguments if known_result is not None else resolved
        await recorder.settle(call_id, passed)
        effect = self._tools.effect(tool, passed) if isinstance(passed, dict) else Effect.NONE
        shown = await masked_async(passed)
        await _commit(opened, recorder.call_started(call_id, tool, shown, effect))
        result = CallResult(CallStatus.CANCELLED, error=ErrorInfo("cancelled", "the call was cancelled"))
        try:
            if known_result is None:
                result = await (
                    self._call(opened, call_id, tool, passed, mode, allow) if through is None else through(passed)
                )
            else:
                result = known_result
        except CancelledError:
            _commit(opened, recorder.call_ended(call_id, result, None))
            raise
        kept = replace(result, value=await masked_async(result.value))
        await _commit(opened, recorder.call_ended(call_id, kept, result.value))
        return result

    async def _call(
        self,
        opened: OpenRecording,
        call_id: CallId,
        tool: str,
        arguments: Any,
        mode: ValidationMode,
        allow: Sequence[str],
    ) -> CallResult:
        run, snapshot = opened.run, opened.snapshot
        rules = replace(snapshot, allow=tuple(dict.fromkeys((*snapshot.allow, *allow))))
        context = CallContext(
            run.id,
            run.workflow_id,
            call_id,
            stricter_mode(rules.mode, mode),
            rules.folders,
            rules.base,
            step=tool,
            model=rules.model,
            origins=rules.origins,
            read_only=rules.read_only,
        )
        return await self._tools.call(tool, arguments, context, default_timeout_s=CALL_TIMEOUT_S)


def _commit(opened: OpenRecording, recorded: Companion | None) -> "Future[frozenset[int]]":
    """Commit what the recorder makes of a call; nothing if the recording has ended meanwhile."""
    return opened.log.commit(*(recorded.facts if recorded is not None else ()))
