"""Builders of rows and writes: every field has a default."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from core.domain.audit import AuditEntry, Decider, Decision
from core.domain.events import (
    Event,
    Fact,
    MessageAdded,
    RunCreated,
    StepFinished,
    StepStarted,
    ToolEnded,
    ToolStarted,
)
from core.domain.ids import AuditId, CallId, InterruptionId, MessageId, RunId, TaskId, TemplateId, WorkflowId
from core.domain.interruption import OPEN_STATUS, Interruption, InterruptionKind, InterruptionRequest
from core.domain.messages import Message, Role
from core.domain.risk import Risk
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus, Snapshot, StepStatus
from core.domain.task import Task
from core.domain.template import Template
from core.domain.tool import CallStatus, Effect
from core.domain.workflow import Workflow
from core.ports import (
    AppendEvents,
    ChangeRun,
    Chunk,
    Claim,
    CloseInterruption,
    CreateRun,
    RaiseInterruption,
    StoredTemplate,
    Write,
)

START = datetime(2026, 1, 2, 3, 4, 5, 678901, UTC)
W, W2 = WorkflowId("wf_1"), WorkflowId("wf_2")
R, R2 = RunId("run_1"), RunId("run_2")
ERROR = ErrorInfo("timeout", "too slow \ud800", "a", "code", None, {"limit": 10**30, "": [None, {"eq": None}]})


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def a_workflow(workflow_id: WorkflowId = W, updated: float = 0, title: str = "Title") -> Workflow:
    return Workflow(workflow_id, title, "offline", START, at(updated))


def a_message(name: str, made: float = 0, **fields: Any) -> Message:
    values: dict[str, Any] = {"workflow_id": W, "role": Role.USER, "text": "hello", **fields}
    return Message(MessageId(name), created_at=at(made), **values)


def a_template(name: str = "tpl_1", version: int = 1, title: str = "A", text: str = "{}") -> StoredTemplate:
    return StoredTemplate(TemplateId(name), version, title, text, at(version))


def a_run(run_id: RunId = R, made: float = 0, **fields: Any) -> Run:
    values: dict[str, Any] = {
        "workflow_id": W,
        "kind": RunKind.WORKFLOW,
        "title": "Run",
        "status": RunStatus.RUNNING,
        "message_id": MessageId(f"msg_{run_id}"),
        **fields,
    }
    return Run(run_id, created_at=at(made), **values)


def a_snapshot(**fields: Any) -> Snapshot:
    step = {"name": "a", "action": {"set": True}, "when": {"ref": "@input.x", "eq": None}}
    template = Template.model_validate({"title": "T", "steps": [step], "later": {"a.b": [1]}})
    values: dict[str, Any] = {"template": template, "input": {"x": 1}, **fields}
    return Snapshot(**values)


def created(run_id: RunId = R, made: float = 0, **fields: Any) -> CreateRun:
    return CreateRun(a_run(run_id, made, **fields), a_snapshot())


def ended(run_id: RunId = R, status: RunStatus = RunStatus.SUCCESS, **fields: Any) -> ChangeRun:
    return ChangeRun(run_id, frozenset({RunStatus.RUNNING}), status, finished_at=at(9), **fields)


def a_claim(step: str = "a", index: int | None = None, run_id: RunId = R, seq: int = 1) -> list[Write]:
    """Return the writes that begin a step with an effect."""
    started = StepStarted(step=step, index=index, claimed=True)
    return [Claim(run_id), appended(numbered_events(started, first=seq, run_id=run_id), run_id)]


def a_call(name: str = "call_1", **fields: Any) -> ToolStarted:
    values: dict[str, Any] = {
        "tool": "echo",
        "arguments": {"x": 1},
        "step": "a",
        "round": 1,
        "position": 1,
        "effect": Effect.ONCE,
        **fields,
    }
    return ToolStarted(call_id=CallId(name), **values)


def settled(name: str = "call_1", result: Any = 2, **fields: Any) -> ToolEnded:
    values: dict[str, Any] = {"status": CallStatus.COMPLETED, "duration_ms": 7, "result": result, **fields}
    return ToolEnded(call_id=CallId(name), **values)


def an_interruption(name: str = "int_1", run_id: RunId = R, made: float = 0, **fields: Any) -> Interruption:
    """Build an interruption. `fields` belong to its request, `seq`, `workflow_id` and `expires_at` to itself."""
    values: dict[str, Any] = {"kind": InterruptionKind.APPROVAL, "step": "a", "prompt": "May I?", **fields}
    row: dict[str, Any] = {"workflow_id": W, "seq": 1}
    row |= {field: values.pop(field) for field in ("workflow_id", "seq", "expires_at") if field in values}
    ask = InterruptionRequest(**values)
    return Interruption(InterruptionId(name), run_id, ask=ask, status=OPEN_STATUS[ask.kind], created_at=at(made), **row)


def asked(name: str = "int_1", run_id: RunId = R, made: float = 0, **fields: Any) -> RaiseInterruption:
    return RaiseInterruption(an_interruption(name, run_id, made, **fields))


def closed(name: str = "int_1", run_id: RunId = R) -> CloseInterruption:
    return CloseInterruption(run_id, InterruptionId(name))


def an_entry(name: str = "aud_1", made: float = 0, **fields: Any) -> AuditEntry:
    values: dict[str, Any] = {
        "workflow_id": W,
        "run_id": R,
        "title": "Run \ud800",
        "step": "a",
        "index": None,
        "call_id": CallId("a.1.1"),
        "tool": "echo",
        "risk": Risk.HIGH,
        "decision": Decision.APPROVED,
        "decider": Decider.PERSON,
        "arguments_json": '{"x":"é"}',
        "scope": "once",
        "reason": None,
        "asked_at": at(made - 1),
        **fields,
    }
    return AuditEntry(AuditId(name), at(made), **values)


def a_chunk(offset: int, text: str, step: str = "a", index: int | None = None, run_id: RunId = R) -> Chunk:
    return Chunk(run_id, step, index, offset, text)


def numbered_events(*facts: Fact, first: int = 1, run_id: RunId = R) -> list[Event]:
    """Return the facts as events, numbered from `first`."""
    return [Event(run_id, W, first + place, at(first + place), fact) for place, fact in enumerate(facts)]


def appended(events: Sequence[Event], run_id: RunId = R) -> AppendEvents:
    return AppendEvents(run_id, tuple(events))


def creation_fact(run_id: RunId = R) -> RunCreated:
    return RunCreated(kind=RunKind.WORKFLOW, title="Run", message_id=MessageId(f"msg_{run_id}"), steps=["a"])


def finished(step: str = "a", output: Any = None, **fields: Any) -> StepFinished:
    return StepFinished(step=step, status=fields.pop("status", StepStatus.COMPLETED), output=output, **fields)


def said(message: Message, **fields: Any) -> MessageAdded:
    return MessageAdded(role=message.role, text=message.text, message_id=message.id, **fields)


def a_task(name: str = "task_1", workflow_id: WorkflowId = W, **fields: Any) -> Task:
    values: dict[str, Any] = {"name": f"Do {name}", "created_at": START, "updated_at": at(1), **fields}
    return Task(TaskId(name), workflow_id, **values)
