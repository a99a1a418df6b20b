"""Runs as JSON objects, as COMMAND_LINE has them. Pure."""

from collections.abc import Container
from typing import Any

from core.domain.events import ToolEndedLate, fact_fields, iso_time
from core.domain.ids import CallId, RunId
from core.domain.interruption import Interruption
from core.domain.live_run import LiveRun, LiveStep, LiveSubAgent
from core.domain.run import Run, StepKey, StepStatus
from core.domain.text.json_text import decode
from core.domain.tokens import rounded_cost
from core.domain.tool import CallStatus
from core.engine.runs.child_runs import step_child_id

_UNFINISHED = frozenset({StepStatus.RUNNING, StepStatus.RETRYING, StepStatus.WAITING})


def run_summary(run: Run) -> dict[str, Any]:
    """Return a run as a line of a list."""
    return {
        "run_id": run.id,
        "workflow_id": run.workflow_id,
        "kind": run.kind,
        "title": run.title,
        "status": run.status,
        "created_at": iso_time(run.created_at),
        "finished_at": iso_time(run.finished_at) if run.finished_at else None,
    }


def interruption_object(interruption: Interruption) -> dict[str, Any]:
    """Return an interruption as JSON (COMMAND_LINE)."""
    return {
        **interruption.fields(),
        "run_id": interruption.run_id,
        "seq": interruption.seq,
        "created_at": iso_time(interruption.created_at),
        "expires_at": iso_time(interruption.expires_at) if interruption.expires_at else None,
    }


def run_object(run: Run, live: LiveRun | None, *, is_driven: bool) -> dict[str, Any]:
    """Return the run object of COMMAND_LINE from its row and the fold of its events."""
    head = {"type": "run", "run_id": run.id, "workflow_id": run.workflow_id, "title": run.title, "kind": run.kind}
    result = {
        "status": run.status,
        "output": decode(run.output_json) if run.output_json is not None else None,
        "error": run.error.as_dict() if run.error else None,
    }
    if live is None:
        return {**head, **result, **_empty_fields(run)}
    # events of the last moments may be missing after a crash
    if run.status.is_final and not is_driven:
        _close_unfinished(live)
    calls = list(live.calls.values())
    sub_agents = live.sub_agents.values()
    return {
        **head,
        **result,
        "steps": {step.name: _step_object(run.id, step) for step in live.steps.values()},
        "execution_order": live.execution_order,
        "active": live.active if is_driven else [],
        "tool_calls": [
            {
                "id": call.id,
                "name": call.tool,
                "status": call.status,
                "args": call.arguments,
                "summary": call.summary,
                "error": call.error,
                "duration_ms": call.duration_ms,
                **({"late": _late_result(call.late)} if call.late is not None else {}),
                **({"sub_agent_id": call.sub_agent_id} if call.sub_agent_id is not None else {}),
            }
            for call in calls
        ],
        "sub_agents": [_sub_agent_object(sub_agent) for sub_agent in sub_agents],
        "active_tool_calls": [call.id for call in calls if call.status is CallStatus.RUNNING] if is_driven else [],
        "interruptions": [],
        "warnings": live.warnings,
        "metrics": {
            "tool_call_count": len(calls),
            "tool_execution_time_ms": live.tool_execution_time_ms,
            "total_rounds": live.total_rounds,
            "input_tokens": live.input_tokens,
            "output_tokens": live.output_tokens,
            "cached_tokens": live.cached_tokens,
            "cost": rounded_cost(live.cost),
            "active_ms": run.active_ms,
        },
    }


def _late_result(late: ToolEndedLate) -> dict[str, Any]:
    """Return how a call ended after its time limit."""
    fields = fact_fields(late)
    del fields["call_id"]
    return fields


def _empty_fields(run: Run) -> dict[str, Any]:
    lists = ("execution_order", "active", "tool_calls", "sub_agents", "active_tool_calls", "interruptions", "warnings")
    return {"steps": {}, **{name: [] for name in lists}, "metrics": {"active_ms": run.active_ms}}


def reopen_calls(description: dict[str, Any], asking: Container[CallId | None]) -> None:
    """Show calls that wait for the user as running: the process that made them was closed, the next continues them."""
    for call in description["tool_calls"]:
        if call["id"] in asking and call["status"] == CallStatus.CANCELLED:
            call.update(status=CallStatus.RUNNING, error=None, duration_ms=None)


def _close_unfinished(live: LiveRun) -> None:
    """Show nothing as running in a run that has ended without a driver: a crash took its last moments."""
    for step in live.steps.values():
        if step.status in _UNFINISHED:
            step.status = StepStatus.CANCELLED
    live.cancel_calls()


def _sub_agent_object(sub_agent: LiveSubAgent) -> dict[str, Any]:
    return {
        "id": sub_agent.id,
        "name": sub_agent.name,
        "agent": sub_agent.agent,
        "model": sub_agent.model,
        "status": sub_agent.status,
        "step": sub_agent.step,
        "index": sub_agent.index,
        "call_id": sub_agent.call_id,
        "text": str(sub_agent.text),
        "error": sub_agent.error,
        "input_tokens": sub_agent.input_tokens,
        "output_tokens": sub_agent.output_tokens,
        "cached_tokens": sub_agent.cached_tokens,
        "cost": sub_agent.cost,
        "started_at": iso_time(sub_agent.started_at),
        "duration_ms": sub_agent.duration_ms,
    }


def _step_object(run_id: RunId, step: LiveStep) -> dict[str, Any]:
    result: dict[str, Any] = {
        "status": step.status,
        "skipped": step.skipped,
        "attempts": step.attempts,
        "attempt_errors": step.attempt_errors,
        "output": step.output,
        **({"raw": step.raw} if step.has_raw else {}),
        **({"console": step.console} if step.console else {}),
        **({"console_cut": True} if step.is_console_cut else {}),
        "error": step.error,
        "started_at": iso_time(step.started_at) if step.started_at else None,
        "finished_at": iso_time(step.finished_at) if step.finished_at else None,
    }
    if step.has_child and step.attempts:
        result["child_run_id"] = step_child_id(run_id, StepKey(step.name), step.attempts)
    if (items := step.iterations) is not None:
        result["iterations"] = {"total": items.total, "completed": items.completed, "failed": items.failed}
        result["errors"] = sorted(items.errors, key=lambda error: error["index"])
    return result
