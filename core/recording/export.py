"""Exports a recording as a template, and ends it (ENGINE §11)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.domain.ids import RunId, TemplateId, WorkflowId, new_id
from core.domain.messages import Role
from core.domain.recording import Recording
from core.domain.run import Run, RunKind, RunStatus
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.domain.tool import CallResult
from core.engine.plan.validation import Validator
from core.engine.runs.engine import Engine
from core.engine.runs.run_registry import stored_run
from core.errors import Refused
from core.ports import Clock, Storage, StoredTemplate, TemplateTitles, ToolRunner
from core.recording.call_recorder import recording_guide
from core.recording.external_calls import CallExecutor, ExternalCalls
from core.recording.open_recording import OpenRecording
from core.recording.recordings import RecordingRegistry
from core.recording.template_builder import (
    MAX_TITLE_LENGTH,
    ExportOptions,
    ExportPreview,
    build_template,
    preview_export,
)

_OPTION_NAMES = {"accept", "title", "description", "include", "exclude"}


@dataclass(frozen=True, slots=True)
class ExportedTemplate:
    """The template that a recording was exported to. `masked` are the places of secrets that the template lacks."""

    run: Run
    template_id: TemplateId
    template: Mapping[str, Any]
    left_out: Mapping[str, str]
    masked: list[str]

    @property
    def title(self) -> str:
        return str(self.template["title"])

    def as_dict(self) -> dict[str, Any]:
        return {
            "run_id": self.run.id,
            "template_id": self.template_id,
            "title": self.title,
            "left_out": [{"step": name, "reason": reason} for name, reason in self.left_out.items()],
            "masked": self.masked,
        }


class Recordings:
    """The recordings of the store, from the first step to the template (`core.ports.recording.Recordings`)."""

    def __init__(
        self,
        engine: Engine,
        registry: RecordingRegistry,
        storage: Storage,
        validator: Validator,
        titles: TemplateTitles,
        tools: ToolRunner,
        clock: Clock,
    ) -> None:
        self._engine = engine
        self._registry = registry
        self._storage = storage
        self._validator = validator
        self._titles = titles
        self._clock = clock
        self._calls = ExternalCalls(registry, tools)

    async def find_open(self, workflow_id: WorkflowId) -> RunId | None:
        found = await self._registry.find_open(workflow_id)
        return found.run.id if found is not None else None

    async def all_open(self) -> list[tuple[Run, Recording]]:
        """Return every open recording, the oldest first."""
        return [(opened.run, opened.recording) for opened in await self._registry.all_open()]

    async def start(self, workflow_id: WorkflowId, new_input: Mapping[str, Any] | None) -> RunId:
        return (await self._registry.start(workflow_id, new_input)).run.id

    async def guide(self, run_id: RunId) -> str:
        """Return the instructions for a model while the recording is open."""
        return recording_guide((await self._registry.require_open(run_id)).recording)

    async def set_input(self, run_id: RunId, new_input: Mapping[str, Any]) -> None:
        """Replace the input of an open recording.

        Raises as `RecordingRegistry.require_open`; Refused `bad_input`.
        """
        opened = await self._registry.require_open(run_id)
        await self._registry.start(opened.run.workflow_id, new_input)

    async def preset(self, run_id: RunId, step: str, output: Any) -> None:
        run = await stored_run(self._storage, run_id)
        if run.kind is RunKind.RECORDING:
            await self._registry.preset(run_id, step, output)
        else:
            await self._engine.preset(run_id, step, output)

    async def workflow_of(self, run_id: RunId) -> WorkflowId:
        return (await stored_run(self._storage, run_id)).workflow_id

    async def recording(self, run_id: RunId) -> Recording:
        """Return the recorded steps. Raises NotFound, Refused `not_a_recording`."""
        return await self._registry.recording(await self._registry.run(run_id))

    async def preview(self, run_id: RunId, options: ExportOptions | None = None) -> ExportPreview:
        """Return what an export would contain, also for an ended recording. Raises as `recording`; Refused
        `bad_input`.
        """
        run = await self._registry.run(run_id)
        recording = _frozen_copy(await self._registry.recording(run))
        return await asyncio.to_thread(preview_export, recording, await self._user_messages(run), options)

    async def review(self, run_id: RunId) -> Mapping[str, Any]:
        return (await self.preview(run_id)).as_dict()

    async def seal(self, run_id: RunId, wishes: Mapping[str, Any]) -> Mapping[str, Any]:
        return (await self.export(run_id, parse_export_options(wishes))).as_dict()

    async def export(self, run_id: RunId, options: ExportOptions) -> ExportedTemplate:
        """Export an open recording as a template; the recording ends as a success.

        Raises NotFound, Refused (`not_a_recording`, `already_sealed`, `recording_ended`, `empty_recording`,
        `bad_input`, `title_taken`), InvalidTemplate, StorageFailed; nothing has changed then.
        """
        await self._registry.require_open(run_id)
        async with self._titles.locked():
            opened = await self._registry.require_open(run_id)
            title = await self._title(opened, options.title)
            copy = _frozen_copy(opened.recording)
            built = await asyncio.to_thread(build_template, copy, await self._user_messages(opened.run), title, options)
            text = encode(built.template)
            (await self._validator.check_text(text)).require()
            if not opened.recording.is_open:  # it has ended while the template was checked
                await self._registry.require_open(run_id)
            template_id = TemplateId(new_id("tpl"))
            stored = StoredTemplate(template_id, 1, title, text, self._clock.now())
            omitted = {name: str(reason) for name, reason in built.left_out.items()}
            output = encode({"template_id": template_id, "title": title})
            run = await self._registry.end(opened, RunStatus.SUCCESS, stored, output)
        return ExportedTemplate(run, template_id, built.template, omitted, list(built.masked))

    async def call(
        self,
        run_id: RunId,
        tool: str,
        arguments: Any,
        through: CallExecutor | None = None,
        mode: ValidationMode = ValidationMode.AUTO,
        allow: Sequence[str] = (),
    ) -> CallResult:
        """Make a call from outside as a step of the recording (`ExternalCalls.call`)."""
        return await self._calls.call(run_id, tool, arguments, through, mode, allow)

    async def end(self, run_id: RunId) -> None:
        opened = await self._registry.require_open(run_id)
        await self._registry.end(opened, RunStatus.SUCCESS, None, None)

    async def _user_messages(self, run: Run) -> list[str]:
        """Return the user's messages in the workflow."""
        messages = await self._storage.messages.of_workflow(run.workflow_id)
        return [message.text for message in messages if message.role is Role.USER]

    async def _title(self, opened: OpenRecording, wanted: str | None) -> str:
        """Return the title of the template: the wanted title, or a free title made from the workflow's.

        Raises Refused `title_taken`, `bad_input`.
        """
        if wanted is not None:
            title = " ".join(wanted.split())
            if not title or len(title) > MAX_TITLE_LENGTH:
                raise Refused("bad_input", f"a title has 1 to {MAX_TITLE_LENGTH} characters")
            await self._titles.require_free(title)
            return title
        # shorter than the limit, so that a number fits behind it
        workflow = await self._storage.workflows.get(opened.run.workflow_id)
        prefix = (workflow.title if workflow is not None else opened.run.title)[: MAX_TITLE_LENGTH - 8]
        title, number = prefix, 1
        while await self._is_taken(title):
            number += 1
            title = f"{prefix} {number}"
        return title

    async def _is_taken(self, title: str) -> bool:
        try:
            await self._titles.require_free(title)
        except Refused:
            return True
        return False


def parse_export_options(value: Mapping[str, Any]) -> ExportOptions:
    """Return the export options of a JSON object. Raises Refused `bad_input`."""
    if unknown := sorted(set(value) - _OPTION_NAMES):
        raise Refused("bad_input", f"there is no {', '.join(unknown)} to wish for")
    return ExportOptions(**value)


def _frozen_copy(recording: Recording) -> Recording:
    """Return a copy that calls do not change while a thread reads it."""
    return replace(recording, steps={name: replace(step) for name, step in recording.steps.items()})
