"""Records the calls of a run as steps of the open recording: naming, refs, ledger entries (ENGINE §11)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from core.domain.events import StepFinished, StepRecorded, StepStarted, ToolEnded, ToolStarted, with_text
from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.recording import RECORDING_TOOLS, RecordedStep, Recording, companion_call_id
from core.domain.run import StepStatus
from core.domain.text.json_text import encode
from core.domain.tool import CallResult, CallStatus, Effect
from core.engine.plan.dispatch import run_context
from core.engine.plan.refs import ROOTS, Scope, find_refs, format_ref, resolve
from core.ports import Companion
from core.recording.open_recording import OpenRecording, RecordingSource
from core.recording.recorded_arguments import mask_except_refs, restore_refs, unresolved_refs, unresolved_result
from core.threads.long_values import masked_async

MAX_LISTED_NAMES = 40

_STATUS: Mapping[CallStatus, StepStatus] = {
    CallStatus.COMPLETED: StepStatus.COMPLETED,
    CallStatus.CANCELLED: StepStatus.CANCELLED,
}
_GUIDE = """A recording is on: each tool call that you make becomes a step of a template that will run again with other
values. The first call of a tool is the step TOOL_1, the second TOOL_2, and so on, whatever came of the calls; the name
is that of the tool in small letters, so the first call of list_files is list_files_1. Where an argument comes from an
earlier result, do not copy it: write a reference to it, as "@list_files_1.files[0].path", or inside a longer text. It
is replaced by its value before the tool gets it. A call may refer to calls before it in the same answer. "@input.key"
is the input of the recording; it has {keys}. For an @ that begins a word and is no reference write @@. {steps}"""


class RunCallRecorder:
    """A `core.ports.recording.CallRecorder` for the calls of a run.

    `since` is the start of a run that a previous process began: its model may refer to a recording that was open then.
    """

    def __init__(
        self,
        source: RecordingSource,
        run_id: RunId,
        workflow_id: WorkflowId,
        since: datetime | None = None,
    ) -> None:
        self._source = source
        self._since = since
        self._run_id = run_id
        self._workflow_id = workflow_id
        self._recording: OpenRecording | None = None
        self._written: dict[CallId, Any] = {}
        self._masked: dict[CallId, Any] = {}
        self._resolved: dict[CallId, Any] = {}
        self._tools: dict[CallId, str] = {}
        self._effects: dict[CallId, Effect] = {}
        self._presets: set[CallId] = set()

    async def open(self) -> None:
        opened = await self._source.find_open(self._workflow_id)
        if opened is None and self._since is not None:
            opened, self._since = await self._source.ended_since(self._workflow_id, self._since), None
        self._recording = opened or self._recording
        if self._open_recording is not None:
            for call_id in self._written.keys() - self._masked.keys():
                await self._mask(call_id)

    async def _mask(self, call_id: CallId) -> None:
        self._masked[call_id] = await masked_async(self._written[call_id])

    @property
    def guide(self) -> str | None:
        opened = self._open_recording
        return recording_guide(opened.recording) if opened is not None else None

    def note(self, call_id: CallId, tool: str, arguments: Any) -> None:
        self._written[call_id], self._tools[call_id] = arguments, tool

    def assign_names(self, calls: Sequence[tuple[CallId, str, Any]]) -> int:
        opened, fresh = self._open_recording, set[str]()
        for number, (call_id, tool, arguments) in enumerate(calls):
            if tool in RECORDING_TOOLS:
                return number or 1
            if opened is None:
                continue
            # a ref to a call of this very part has no value yet, so the call waits for the next part
            if fresh & {occurrence.ref.root for occurrence in find_refs(arguments)}:
                return number
            step = opened.recording.step_of(self._recorded_id(call_id))
            name = opened.recording.next_name(tool, opened.names.values()) if step is None else step.name
            if number and _has_preset(opened.recording, name):
                return number  # its result is known at once, but it comes after the calls before it
            opened.names[self._recorded_id(call_id)] = name
            fresh.add(name)
            if _has_preset(opened.recording, name):
                return 1
        return len(calls)

    def resolve(self, call_id: CallId, arguments: Any) -> Any:
        opened, name = self._recording, self._step_name(call_id)
        if opened is None or arguments is None:
            return arguments
        recording = opened.recording
        if not recording.is_open:
            return self._resolve_late(call_id, arguments, opened)
        if name is None:
            return arguments
        if _has_preset(recording, name):
            self._presets.add(call_id)
            return CallResult(CallStatus.COMPLETED, recording.steps[name].output, summary="preset")
        context = {**run_context(opened.run), "step": name, "attempt": 1}
        scope = Scope(recording.input, recording.outputs, ctx=context)
        failures = unresolved_refs(arguments, scope, recording)
        if failures:
            return unresolved_result(self._tools.get(call_id, ""), failures)
        self._resolved[call_id] = resolved = resolve(arguments, scope)
        return resolved

    def _resolve_late(self, call_id: CallId, arguments: Any, opened: OpenRecording) -> Any:
        """Return the arguments after the recording has ended: refs to its steps and its input still resolve.

        The model may not have noticed the end of the recording.
        """
        recording = opened.recording
        known = {"input", *recording.steps}
        if not any(occurrence.ref.root in known for occurrence in find_refs(arguments)):
            return arguments
        scope = Scope(recording.input, recording.outputs, ctx=run_context(opened.run))
        failures = unresolved_refs(arguments, scope, recording)
        return unresolved_result(self._tools.get(call_id, ""), failures) if failures else resolve(arguments, scope)

    async def settle(self, call_id: CallId, arguments: Any) -> None:
        if self._open_recording is None or self._step_name(call_id) is None or call_id not in self._written:
            return
        resolved = self._resolved.pop(call_id, self._written[call_id])
        if resolved is not arguments:  # the user has edited them
            self._written[call_id] = restore_refs(self._written[call_id], resolved, arguments)
            await self._mask(call_id)

    def call_started(self, call_id: CallId, tool: str, shown: Any, effect: Effect) -> Companion | None:
        opened, name = self._open_recording, self._step_name(call_id)
        if opened is None or name is None:
            return None
        self._effects[call_id] = effect
        recorded_id = self._recorded_id(call_id)
        facts = [StepStarted(step=name), ToolStarted(call_id=recorded_id, tool=tool, arguments=shown, step=name)]
        for fact in facts:
            opened.recording.apply(fact)
        opened.names.pop(recorded_id, None)
        opened.at_work.add(name)
        return Companion(opened.log, facts)

    def call_ended(self, call_id: CallId, result: CallResult, raw: Any) -> Companion | None:
        opened = self._open_recording
        step = opened.recording.step_of(self._recorded_id(call_id)) if opened is not None else None
        if opened is None or step is None:
            return None
        status = _STATUS.get(result.status, StepStatus.ERROR)
        error = result.error.masked().as_dict() if result.error is not None else None
        is_done = status is StepStatus.COMPLETED
        opened.at_work.discard(step.name)
        raw_arguments = self._written.pop(call_id, step.recorded_arguments)
        known = {*ROOTS, *opened.recording.steps}
        stored_arguments = mask_except_refs(raw_arguments, self._masked.pop(call_id, step.recorded_arguments), known)
        finished = StepFinished(step=step.name, status=status, output=result.value if is_done else None, error=error)
        facts = [
            ToolEnded.of(self._recorded_id(call_id), result),
            StepRecorded(
                step=step.name,
                tool=step.tool or "",
                input={} if stored_arguments is None else stored_arguments,
                effect=self._effects.get(call_id, step.effect),
                is_preset=call_id in self._presets,
            ),
            with_text(finished, encode(result.value)) if is_done else finished,
        ]
        for fact in facts:
            opened.recording.apply(fact)
        # refs resolve to the value with its secrets; only the masked value is written
        if is_done:
            opened.recording.steps[step.name].output = raw
        return Companion(opened.log, facts)

    def close(self) -> None:
        if self._recording is not None:
            unused = [call_id for call_id in self._recording.names if call_id.startswith(f"{self._run_id} ")]
            for call_id in unused:
                del self._recording.names[call_id]

    @property
    def _open_recording(self) -> OpenRecording | None:
        return self._recording if self._recording is not None and self._recording.recording.is_open else None

    def _recorded_id(self, call_id: CallId) -> CallId:
        return companion_call_id(self._run_id, call_id)

    def _step_name(self, call_id: CallId) -> str | None:
        if self._recording is None:
            return None
        return self._recording.names.get(self._recorded_id(call_id)) or _name_of(
            self._recording.recording.step_of(self._recorded_id(call_id))
        )


def recording_guide(recording: Recording) -> str:
    """Return the instructions for the model while the recording is open."""
    keys = ", ".join(format_ref("input", [key]) for key in list(recording.input)[:MAX_LISTED_NAMES]) or "no keys yet"
    names = list(recording.steps)[-MAX_LISTED_NAMES:]
    steps = f"Steps so far: {', '.join(names)}." if names else "There are no steps yet."
    return _GUIDE.replace("\n", " ").format(keys=keys, steps=steps)


def _has_preset(recording: Recording, name: str) -> bool:
    """Return whether the result of the call that will get this name is preset."""
    step = recording.steps.get(name)
    return step is not None and step.call_id is None and step.is_completed


def _name_of(step: RecordedStep | None) -> str | None:
    return step.name if step is not None else None
