"""The details of an activity item. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.domain.live_run import LiveCall, LiveRun, LiveStep, LiveSubAgent, LiveTask, LiveThought
from core.domain.run import RunKind, StepStatus
from core.domain.tool import CallStatus
from core.stores.activity_items import step_id, sub_agent_id, thought_id


@dataclass(frozen=True, slots=True)
class ActivityDetail:
    """Everything known about an item. None is a valid value: `has_arguments` and `has_result` state whether there is
    one. `console` is the output of a step's code, cut if `is_console_cut`. `is_summary`: the result is a summary of a
    call's result, whose whole is in the store.
    """

    arguments: Any = None
    has_arguments: bool = False
    result: Any = None
    has_result: bool = False
    is_summary: bool = False
    errors: tuple[Mapping[str, Any], ...] = ()
    console: str = ""
    is_console_cut: bool = False
    input_tokens: int = 0
    output_tokens: int = 0


def detail_of(run: LiveRun, item_id: str) -> ActivityDetail | None:
    """Return the detail of an item of this run; None if the run has no such item."""
    return next((make() for known, make in details_of(run) if known == item_id), None)


def details_of(run: LiveRun) -> Iterator[tuple[str, Callable[[], ActivityDetail]]]:
    """Yield the ids of all items that the run may have, each with a function that builds its detail."""
    yield from ((call.id, partial(_call_detail, run, call)) for call in run.calls.values())
    yield from ((task.fact.id, partial(_task_detail, task)) for task in run.tasks.values())
    yield from ((sub_agent_id(run, one), partial(_sub_agent_detail, one)) for one in run.sub_agents.values())
    yield from ((thought_id(run, one), partial(_thought_detail, one)) for one in run.thoughts)
    yield from ((step_id(run, step), partial(_step_detail, run, step)) for step in run.steps.values())


def _step_detail(run: LiveRun, step: LiveStep) -> ActivityDetail:
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
    )


def _thought_detail(thought: LiveThought) -> ActivityDetail:
    """Return the reasoning text, as far as it is kept."""
    text = thought.text
    return ActivityDetail(result=text, has_result=bool(text))


def _task_detail(task: LiveTask) -> ActivityDetail:
    return ActivityDetail(_fields_of(task), has_arguments=True)


def _sub_agent_detail(one: LiveSubAgent) -> ActivityDetail:
    text = str(one.text)
    return ActivityDetail(
        one.prompt,
        has_arguments=True,
        result=text,
        has_result=bool(text),
        errors=(one.error,) if one.error else (),
        input_tokens=one.input_tokens,
        output_tokens=one.output_tokens,
    )


def _fields_of(task: LiveTask) -> dict[str, Any]:
    told = task.fact
    fields = {"id": told.id, "priority": told.priority, "description": told.description}
    return {name: value for name, value in {**fields, "dependencies": told.dependencies}.items() if value}


def _call_detail(run: LiveRun, call: LiveCall) -> ActivityDetail:
    """Return the detail of a call. The result of a step that is a single call is the step's output or raw value; an
    agent's call has a summary.
    """
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
    )


def _console_line(line: Mapping[str, Any]) -> str:
    """Return the text, prefixed by its level unless that is `log`."""
    text = str(line["text"])
    return text if line["level"] == "log" else f"{line['level']}: {text}"
