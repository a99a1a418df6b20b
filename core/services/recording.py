"""Recordings: started, reviewed, exported to templates and ended by the user (ENGINE §11)."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.domain.ids import RunId, WorkflowId
from core.domain.template import ValidationMode
from core.domain.tool import CallResult
from core.recording.export import ExportedTemplate, Recordings
from core.recording.external_calls import CallExecutor
from core.recording.template_builder import ExportOptions, ExportPreview
from core.services.outcome import returns_outcome
from core.stores.indicators import ListedRecording

__all__ = ["ExportOptions", "ExportPreview", "ExportedTemplate", "RecordingService"]


class RecordingService:
    """Offers the recordings of the engine as outcomes."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings

    @returns_outcome
    async def open_of(self, workflow_id: WorkflowId) -> RunId | None:
        """Return the open recording of the workflow, if there is one."""
        return await self._recordings.find_open(workflow_id)

    @returns_outcome
    async def all_open(self) -> list[ListedRecording]:
        """Return every open recording, oldest first."""
        return [
            ListedRecording(run.id, run.workflow_id, sum(step.tool is not None for step in recording.steps.values()))
            for run, recording in await self._recordings.all_open()
        ]

    @returns_outcome
    async def start(self, workflow_id: WorkflowId, recording_input: Mapping[str, Any] | None = None) -> RunId:
        """Record the calls of the workflow from now on, or continue its open recording; `given` becomes its input.
        Fails with `not_found`, `bad_input`.
        """
        return await self._recordings.start(workflow_id, recording_input)

    @returns_outcome
    async def set_input(self, run_id: RunId, recording_input: Mapping[str, Any]) -> None:
        """Replace the input of an open recording."""
        await self._recordings.set_input(run_id, recording_input)

    @returns_outcome
    async def preset(self, run_id: RunId, step: str, output: Any) -> None:
        """Set the result of a step of a recording, or of an active run, without running the step.

        Fails with `not_found`, `bad_input`, `step_running`, `already_sealed`, `recording_ended`; for an active run with
        `bad_preset`, `step_started`, `not_at_work`.
        """
        await self._recordings.preset(run_id, step, output)

    @returns_outcome
    async def guide(self, run_id: RunId) -> str:
        """Return instructions for a model that calls tools in an open recording: how steps are named and referred to.
        Fails with `not_found`, `not_a_recording`, `already_sealed`, `recording_ended`.
        """
        return await self._recordings.guide(run_id)

    @returns_outcome
    async def call(
        self,
        run_id: RunId,
        tool: str,
        arguments: Any,
        through: CallExecutor | None = None,
        mode: ValidationMode = ValidationMode.AUTO,
        allow: Sequence[str] = (),
    ) -> CallResult:
        """Make a call from outside, of an MCP client, as a step of an open recording. Refs are resolved; the tool is
        called under the rules of the recording, in the stricter of its mode and `mode`, with the places of `allow` too,
        or by `through`; the result is stored when this returns. An error of the call is its result.

        Fails with `not_found`, `not_a_recording`, `already_sealed`, `recording_ended`, `not_available`.
        """
        return await self._recordings.call(run_id, tool, arguments, through, mode, allow)

    @returns_outcome
    async def review(self, run_id: RunId, wishes: ExportOptions | None = None) -> ExportPreview:
        """Return what an export would contain: steps, omissions, suggested refs. Fails with `not_found`,
        `not_a_recording`, `bad_input`.
        """
        return await self._recordings.preview(run_id, wishes)

    @returns_outcome
    async def export(self, run_id: RunId, wishes: ExportOptions) -> ExportedTemplate:
        """Export the recording to a template (`Recordings.export`); a failure changes nothing."""
        return await self._recordings.export(run_id, wishes)

    @returns_outcome
    async def end(self, run_id: RunId) -> None:
        """End the recording without a template; its run succeeds. Fails with `not_found`, `not_a_recording`,
        `already_sealed`, `recording_ended`.
        """
        await self._recordings.end(run_id)
