"""The details of an activity item. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.domain.events import FileChanged
from core.domain.live_run import LiveCall, LiveRun, LiveStep, LiveSubAgent, LiveTask, LiveThought
from core.domain.run import RunKind, StepStatus
from core.domain.tool import COMMAND_TOOL, CallStatus


@dataclass(frozen=True, slots=True)
class ActivityDetail:
    """Everything known about an item. None is a valid value: `has_arguments` and `has_result` state whether there is
    one. `console` is the output of a step's code, cut if `is_console_cut`, or the last lines of a running command
    (`is_live`). `is_summary`: the result is a summary of a call's result, whose whole is in the store. `changes` is
    what a call changed of files.
    """

    arguments: Any = None
    has_arguments: bool = False
    result: Any = None
    has_result: bool = False
    is_summary: bool = False
    errors: tuple[Mapping[str, Any], ...] = ()
    console: str = ""
    is_console_cut: bool = False
    is_live: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    changes: tuple[FileChanged, ...] = ()


def step_detail(run: LiveRun, step: LiveStep) -> ActivityDetail:
    """Return the detail of a step; of a chat, whose only step is the turn of its agent, the answer and its tokens."""
    is_chat = run.kind is RunKind.CHAT
    text = run.content if is_chat and run.status.is_final else step.output
    return ActivityDetail(
        result=text,
        has_result=run.status.is_final and bool(text)
        if is_chat
        else step.status is StepStatus.COMPLETED and not step.skipped,
        errors=tuple(step.attempt_errors or ([step.error] if step.error else [])),
        console="\n".join(map(_console_line, step.console)),
        is_console_cut=step.is_console_cut,
        input_tokens=run.input_tokens if is_chat else 0,
        output_tokens=run.output_tokens if is_chat else 0,
        cached_tokens=run.cached_tokens if is_chat else 0,
    )


def thought_detail(thought: LiveThought) -> ActivityDetail:
    """Return the reasoning text, as far as it is kept."""
    text = thought.text
    return ActivityDetail(result=text, has_result=bool(text))


def task_detail(task: LiveTask) -> ActivityDetail:
    """Return the detail of a task: those of its fields that are set."""
    update = task.fact
    fields = {
        "id": update.id,
        "priority": update.priority,
        "description": update.description,
        "dependencies": update.dependencies,
    }
    return ActivityDetail({name: value for name, value in fields.items() if value}, has_arguments=True)


def sub_agent_detail(sub_agent: LiveSubAgent) -> ActivityDetail:
    """Return the detail of a sub-agent: its prompt and its text."""
    text = str(sub_agent.text)
    return ActivityDetail(
        sub_agent.prompt,
        has_arguments=True,
        result=text,
        has_result=bool(text),
        errors=(sub_agent.error,) if sub_agent.error else (),
        input_tokens=sub_agent.input_tokens,
        output_tokens=sub_agent.output_tokens,
        cached_tokens=sub_agent.cached_tokens,
    )


def call_detail(run: LiveRun, call: LiveCall) -> ActivityDetail:
    """Return the detail of a call. The result of a step that is a single call is the step's output or raw value; an
    agent's call has a summary.
    """
    # an agent's call has a round, an iteration's call an index: their step has other outputs too
    step = run.steps.get(call.step) if call.round is None and call.index is None else None
    is_known = step is not None and (step.has_raw or step.status is StepStatus.COMPLETED)
    has_output = is_known and call.status is CallStatus.COMPLETED
    output = None if step is None else step.raw if step.has_raw else step.output
    return ActivityDetail(
        call.arguments,
        has_arguments=True,
        result=output if has_output else call.summary,
        has_result=has_output or bool(call.summary),
        is_summary=not has_output and call.status is CallStatus.COMPLETED,
        errors=(call.error,) if call.error else (),
        changes=tuple(change for change in run.file_changes if change.call_id == call.id),
        console=call.output or _output_until_failure(call),
        is_live=call.is_running,
    )


def _output_until_failure(call: LiveCall) -> str:
    """Return what a command had written that took too long."""
    output = call.error.get("output") if call.error and call.tool == COMMAND_TOOL else None
    return output if isinstance(output, str) else ""


def _console_line(line: Mapping[str, Any]) -> str:
    """Return the text, prefixed by its level unless that is `log`."""
    text = str(line["text"])
    return text if line["level"] == "log" else f"{line['level']}: {text}"
