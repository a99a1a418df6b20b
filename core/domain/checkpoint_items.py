"""Checkpoints, calls and interruptions as JSON objects: what a fact contains of them beside its other fields.

A fork begins with checkpoints of another run, and a store of an earlier version had them in rows of their own.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from core.domain.ids import CallId, InterruptionId, RunId, WorkflowId
from core.domain.interruption import (
    Action,
    Answer,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
)
from core.domain.risk import Risk
from core.domain.run import ErrorInfo, StepKey, StepResult, StepStatus
from core.domain.tool import CallStatus, Effect, ToolCall


def asked_fields(ask: InterruptionRequest, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the user does not see of a request, as `InterruptionRaised.asked`; `shown` is what he sees."""
    fields: dict[str, Any] = {"attempt": ask.attempt, "default_action": ask.default_action}
    fields |= {"call_id": ask.call_id} if ask.call_id is not None else {}
    fields |= {"timeout_ms": ask.timeout_ms} if ask.timeout_ms is not None else {}
    hidden = {"input": ask.input, "arguments": ask.arguments, "options": ask.options}
    return fields | {name: value for name, value in hidden.items() if value != shown[name]}


def answer_fields(answer: Answer) -> dict[str, Any]:
    """Return an answer as `InterruptionClosed.answer`."""
    return {"action": answer.action, "value": answer.value, "reason": answer.reason}


def answer_of(fields: Mapping[str, Any]) -> Answer:
    """Return the answer of `answer_fields`."""
    return Answer(Action(fields["action"]), fields.get("value"), fields.get("reason"))


def taken_results(results: Iterable[StepResult], known: Iterable[StepKey]) -> list[dict[str, Any]]:
    """Return results as items of `CheckpointsTaken`; without the outputs of `known`, which other facts have."""
    without_output = frozenset(known)
    return [_result_item(result, with_output=result.key not in without_output) for result in results]


def _result_item(result: StepResult, *, with_output: bool) -> dict[str, Any]:
    item = {
        "step": result.key.step,
        "index": result.key.index,
        "round": result.key.round,
        "status": result.status,
        "attempt": result.attempt,
        "output_json": result.output_json if with_output else None,
        "skipped": result.skipped or None,
        "error": None if result.error is None else result.error.as_dict(),
        "started_at": _from_time(result.started_at),
        "finished_at": _from_time(result.finished_at),
        "active_ms": result.active_ms or None,
        "errors": [error.as_dict() for error in result.attempt_errors] or None,
    }
    return {name: value for name, value in item.items() if value is not None}


def taken_calls(calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """Return calls as items of `CheckpointsTaken`."""
    return [_call_item(call) for call in calls]


def _call_item(call: ToolCall) -> dict[str, Any]:
    item = {
        "id": call.id,
        "step": call.step,
        "index": call.index,
        "round": call.round,
        "position": call.position,
        "tool": call.tool,
        "status": call.status,
        "arguments_json": call.arguments_json,
        "effect": call.effect,
        "result_json": call.result_json,
        "error": None if call.error is None else call.error.as_dict(),
        "started_at": _from_time(call.started_at),
        "finished_at": _from_time(call.finished_at),
        "duration_ms": call.duration_ms,
        "sameness": call.sameness,
    }
    return {name: value for name, value in item.items() if value is not None}


def interruption_item(interruption: Interruption) -> dict[str, Any]:
    """Return an interruption as an item of `CheckpointsTaken`, and as the row of an open interruption."""
    ask = interruption.ask
    item = {
        "id": interruption.id,
        "kind": ask.kind,
        "step": ask.step,
        "index": ask.index,
        "attempt": ask.attempt,
        "prompt": ask.prompt,
        "schema": ask.schema,
        "options": ask.options,
        "input": ask.input,
        "outputs": ask.outputs,
        "tool": ask.tool,
        "arguments": ask.arguments,
        "risk": ask.risk,
        "call_id": ask.call_id,
        "timeout_ms": ask.timeout_ms,
        "default_action": ask.default_action,
        "sub_agent_name": ask.sub_agent_name,
        "status": interruption.status,
        "seq": interruption.seq,
        "created_at": _from_time(interruption.created_at),
        "expires_at": _from_time(interruption.expires_at),
        "closed_at": _from_time(interruption.closed_at),
        "answer": None if interruption.answer is None else answer_fields(interruption.answer),
    }
    return {name: value for name, value in item.items() if value is not None}


def interruption_of(run_id: RunId, workflow_id: WorkflowId, item: Mapping[str, Any]) -> Interruption:
    """Return the interruption of an item. Raises KeyError, TypeError or ValueError."""
    ask = InterruptionRequest(
        InterruptionKind(item["kind"]),
        item["step"],
        item.get("index"),
        item["attempt"],
        risk=Risk(item["risk"]) if "risk" in item else None,
        call_id=CallId(item["call_id"]) if "call_id" in item else None,
        timeout_ms=item.get("timeout_ms"),
        default_action=Action(item["default_action"]),
        **{name: item.get(name) for name in _ASKED_VALUES},
    )
    return Interruption(
        InterruptionId(item["id"]),
        run_id,
        workflow_id,
        ask,
        InterruptionStatus(item["status"]),
        item["seq"],
        _to_time(item["created_at"]),
        _maybe_time(item.get("expires_at")),
        answer_of(item["answer"]) if "answer" in item else None,
        _maybe_time(item.get("closed_at")),
    )


_ASKED_VALUES = ("prompt", "schema", "options", "input", "outputs", "tool", "arguments", "sub_agent_name")


def call_of(run_id: RunId, item: Mapping[str, Any]) -> ToolCall:
    """Return the call of an item. Raises KeyError or ValueError."""
    return ToolCall(
        id=CallId(item["id"]),
        run_id=run_id,
        step=item["step"],
        index=item.get("index"),
        round=item["round"],
        position=item["position"],
        tool=item["tool"],
        status=CallStatus(item["status"]),
        arguments_json=item["arguments_json"],
        effect=Effect(item["effect"]),
        result_json=item.get("result_json"),
        error=error_of(item.get("error")),
        started_at=_maybe_time(item.get("started_at")),
        finished_at=_maybe_time(item.get("finished_at")),
        duration_ms=item.get("duration_ms"),
        sameness=item.get("sameness"),
    )


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _from_time(at: datetime | None) -> int | None:
    """Return a time in microseconds since 1970, exact."""
    return None if at is None else round(at.timestamp() * 1_000_000)


def _to_time(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _maybe_time(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else _to_time(microseconds)


def error_of(fields: Mapping[str, Any] | None) -> ErrorInfo | None:
    """Return the error of these fields, if there is one."""
    return None if fields is None else ErrorInfo.from_dict(fields)


def result_of(run_id: RunId, item: Mapping[str, Any]) -> StepResult:
    """Return the result of an item. Raises KeyError or ValueError."""
    return StepResult(
        run_id,
        StepKey(item["step"], item.get("index"), item.get("round")),
        StepStatus(item["status"]),
        attempt=item["attempt"],
        output_json=item.get("output_json"),
        skipped=item.get("skipped", False),
        error=error_of(item.get("error")),
        started_at=_maybe_time(item.get("started_at")),
        finished_at=_maybe_time(item.get("finished_at")),
        active_ms=item.get("active_ms", 0),
        attempt_errors=tuple(ErrorInfo.from_dict(error) for error in item.get("errors", ())),
    )
