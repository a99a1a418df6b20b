"""Start requests, the rows and facts of a new run, and presets: results that replace running a step (ENGINE §11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from core.domain.access import Allowance
from core.domain.agent import Agent
from core.domain.events import Fact, MessageAdded, RunCreated, StepPreset, access_facts, with_text
from core.domain.ids import MessageId, RunId, TemplateId, new_id
from core.domain.messages import Attachment, Message, MessageState, Role, attachment_fields, from_input
from core.domain.model import ModelChoice
from core.domain.run import Run, RunKind, RunStatus, Snapshot, StepAgent, StepKey, StepResult, StepStatus
from core.domain.template import Template, ValidationMode, WorkflowAction
from core.domain.text.held_json import read_held_json
from core.domain.text.json_text import encode_output, type_name
from core.domain.workflow import Workflow
from core.errors import NotFound, Refused, StepFailed
from core.ports import (
    ArchiveWorkflow,
    Companion,
    CreateRun,
    KeepFile,
    PutMessage,
    PutWorkflow,
    ResolvedTemplate,
    Schemas,
    Violation,
    Write,
    describe_violations,
)


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What to run, and under which rules.

    `prompt` is the user's text, if any: it becomes a message, with `message_id` if given, and with its `attachments`.
    `writes` are committed with the creation of the run. `gated`: the workflow limit of ENGINE §9 applies, as for every
    start by the user in the window; over the limit the start is refused, or queued if `queued` is set too. `base`: the
    folder of relative paths. `parent`: the run of which a step starts this run, and waits for it if `awaited`; the run
    is then displayed in the parent's message. `in_new_workflow`: the workflow has no other run. `presets` are results
    of steps that are not run. `companion` is committed with the creation of the run. `allowances` are what the user
    allowed the run that this one comes from, while that was at work.
    """

    workflow: Workflow
    template: Template
    input: Mapping[str, Any]
    kind: RunKind
    prompt: str | None = None
    mode: ValidationMode = ValidationMode.AUTO
    allow: tuple[str, ...] = ()
    base: str | None = None
    script: tuple[Mapping[str, Any], ...] = ()
    template_id: TemplateId | None = None
    template_version: int | None = None
    key: str | None = None
    gated: bool = False
    queued: bool = False
    parent: Run | None = None
    awaited: bool = False
    in_new_workflow: bool = False
    model: ModelChoice | None = None
    profile: Agent | None = None
    cast: Mapping[str, StepAgent] = field(default_factory=dict)
    presets: Mapping[str, Any] = field(default_factory=dict)
    companion: Companion | None = None
    message_id: MessageId | None = None
    attachments: tuple[Attachment, ...] = ()
    writes: tuple[Write, ...] = ()
    allowances: tuple[Allowance, ...] = ()

    @classmethod
    def child(
        cls,
        parent: Run,
        snapshot: Snapshot,
        workflow: Workflow,
        resolved: ResolvedTemplate,
        arguments: Mapping[str, Any],
        *,
        awaited: bool,
        cast: Mapping[str, StepAgent],
    ) -> "StartRequest":
        """Return a request for another template as a child of `parent`, under the rules of the parent."""
        return cls(
            workflow,
            resolved.template,
            arguments,
            RunKind.WORKFLOW,
            mode=snapshot.mode,
            allow=snapshot.allow,
            base=snapshot.base,
            script=snapshot.script,
            model=snapshot.model,
            profile=snapshot.profile,
            cast=cast,
            template_id=resolved.id,
            template_version=resolved.version,
            parent=parent,
            awaited=awaited,
        )

    def run(self, run_id: RunId, now: datetime) -> Run:
        """Return the new run. It is later than everything in its workflow, even if the clock was set back."""
        parent = self.parent
        # the newest run of a workflow is found by its time, so a clock that was set back must not hide it
        if parent is None and now < self.workflow.updated_at:
            now = self.workflow.updated_at + timedelta(microseconds=1)
        return Run(
            run_id,
            self.workflow.id,
            self.kind,
            self.template.title,
            RunStatus.ENQUEUED,
            MessageId(new_id("msg")) if parent is None else parent.message_id,
            now,
            self.template_id,
            self.template_version,
            parent=parent.id if parent is not None else None,
            root=(parent.root or parent.id) if parent is not None else None,
            depth=parent.depth + 1 if parent is not None else 0,
            awaited=self.awaited,
        )

    async def with_valid_input(self, schemas: Schemas) -> "StartRequest":
        """Return the request with its input as the schema of the template means it: lists and objects may have come as
        JSON in a text. Raises Refused `bad_input` unless the input fits the schema.
        """
        schema = self.template.input_schema
        if schema is None:
            return self
        given = read_held_json(schema, self.input)
        if violations := await schemas.violations(schema, dict(given)):
            text, problems = describe_violations(violations, "the input")
            raise Refused("bad_input", text, problems=problems)
        return self if given is self.input else replace(self, input=given)

    def snapshot(self) -> Snapshot:
        return Snapshot(
            self.template,
            self.input,
            mode=self.mode,
            allow=self.allow,
            base=self.base,
            agent=self.workflow.agent,
            script=self.script,
            gated=self.gated,
            model=self.model,
            profile=self.profile,
            cast=self.cast,
        )


def creation_records(request: StartRequest, run: Run, snapshot: Snapshot) -> tuple[Sequence[Fact], Sequence[Write]]:
    """Return the facts and rows of a new run: its workflow, the run, the user's message, its own message."""
    now = run.created_at
    created = RunCreated(
        kind=run.kind,
        title=run.title,
        message_id=run.message_id,
        steps=[step.name for step in snapshot.template.steps],
        children=[step.name for step in snapshot.template.steps if isinstance(step.action, WorkflowAction)],
        agent=snapshot.agent,
        model=snapshot.model.label if snapshot.model is not None else None,
        mode=snapshot.mode,
        template_id=run.template_id,
        template_version=run.template_version,
        parent_run_id=run.parent,
        root_run_id=run.root,
    )
    begins = [created, *access_facts(request.allowances)]
    if run.parent is not None:
        return begins, [CreateRun(run, snapshot)]
    answer = Message(run.message_id, run.workflow_id, Role.ASSISTANT, "", now, MessageState.OPEN, run.id)
    rows: list[Write] = [PutWorkflow(replace(request.workflow, updated_at=now)), CreateRun(run, snapshot)]
    if not request.in_new_workflow:  # what begins in an archived workflow brings it back
        rows.insert(1, ArchiveWorkflow(run.workflow_id, None))
    rows += _kept_files(request, run)
    if request.prompt is None:
        return begins, [*rows, PutMessage(answer)]
    message = Message(
        request.message_id or MessageId(new_id("msg")),
        run.workflow_id,
        Role.USER,
        request.prompt,
        now,
        run_id=run.id,
        attachments=request.attachments,
    )
    added = MessageAdded(
        role=Role.USER, text=message.text, message_id=message.id, attachments=attachment_fields(message.attachments)
    )
    return [*begins, added], [*rows, PutMessage(message), PutMessage(answer), *request.writes]


def _kept_files(request: StartRequest, run: Run) -> list[Write]:
    """Return the writes that keep the files of the input for this run: of a fork, the message that had them is in
    another workflow, and may be deleted.
    """
    own = {about.hash for about in request.attachments}
    files = {file.about.hash for file in from_input(request.input) if file.about.has_data} - own
    return [KeepFile(run.workflow_id, run.id, digest) for digest in sorted(files)]


async def preset_results(request: StartRequest, run_id: RunId, schemas: Schemas, now: datetime) -> list[StepResult]:
    """Return the results of the presets. Raises NotFound for an unknown step, Refused `bad_preset`."""
    results = []
    for name, output in request.presets.items():
        text = await validate_preset(request.template, name, output, schemas)
        results.append(StepResult(run_id, StepKey(name), StepStatus.COMPLETED, output_json=text, finished_at=now))
    return results


def preset_facts(request: StartRequest, results: Sequence[StepResult]) -> Sequence[Fact]:
    """Return the facts about the presets of a new run, with their `results`."""
    texts = {result.key.step: result.output_json or "null" for result in results}
    return [with_text(StepPreset(step=name, output=output), texts[name]) for name, output in request.presets.items()]


async def validate_preset(template: Template, name: str, output: Any, schemas: Schemas) -> str:
    """Return the preset as JSON text, if it is a possible result of the step.

    It has to fit `outputSchema`; for a list, each iteration has to, and null stands for a failed iteration. Raises
    NotFound, Refused `bad_preset`.
    """
    step = next((step for step in template.steps if step.name == name), None)
    if step is None:
        raise NotFound("step", name)
    try:
        text = encode_output(output)
    except StepFailed as error:
        raise Refused("bad_preset", f"{name}: {error.message}", step=name) from None
    if step.for_each is not None and not isinstance(output, list):
        message = f"{name} runs for each item of a list: its result is a list, not {type_name(output)}"
        raise Refused("bad_preset", message, step=name)
    if step.output_schema is None:
        return text
    # the schema is that of an iteration, and a failed iteration is null
    iterations = enumerate(output) if step.for_each is not None else ()
    values = [(f"/{index}", item) for index, item in iterations if item is not None]
    violations: list[Violation] = []
    for path, value in values if step.for_each is not None else [("", output)]:
        missed = await schemas.violations(step.output_schema, value)
        violations += [Violation(path + violation.path, violation.message) for violation in missed]
    if violations:
        problems, listed = describe_violations(violations, "the result")
        raise Refused("bad_preset", f"{name}: {problems}", step=name, violations=listed)
    return text
