"""What happened in a run as items: tool calls, steps, sub-agents, reasoning and tasks (UI §1). Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.ids import RunId
from core.domain.live_run import LiveCall, LiveRun, LiveStep, LiveSubAgent, LiveTask, LiveThought
from core.domain.run import SUMMARY_TEMPLATE, RunKind, StepStatus
from core.domain.task import TaskStatus
from core.domain.text.graphemes import ellipsize
from core.domain.text.json_text import readable_json
from core.domain.tool import CallStatus

TARGET_CHARACTERS = 200
_TARGET_ARGUMENTS = (
    "path",
    "file",
    "url",
    "query",
    "pattern",
    "expression",
    "command",
    "question",
    "name",
    "title",
    "id",
)
_TOOLS_WITHOUT_TARGET = frozenset(
    {"run_code", "wait", "pick_file"}
)  # code is no line, and the duration of a wait says what it was


class ActivityKind(StrEnum):
    """What an item is. `agent` is a step of an agent, which a chat has for each turn, or a sub-agent. `task` is a task
    of the `todo` tool: a single item with its last change, whichever runs report it. `reasoning` is what a model
    thought before it answered or acted.
    """

    TOOL = "tool"
    AGENT = "agent"
    STEP = "step"
    TASK = "task"
    REASONING = "reasoning"


class ActivityState(StrEnum):
    """The state of an item."""

    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"
    PENDING = "pending"
    BLOCKED = "blocked"
    DELETED = "deleted"


class ActivityFilter(StrEnum):
    """A filter of the activity list."""

    ALL = "all"
    TOOLS = "tools"
    AGENTS = "agents"
    REASONING = "reasoning"
    TASKS = "tasks"

    def takes(self, item: "ActivityItem") -> bool:
        """Return whether the filter includes the item."""
        return self is ActivityFilter.ALL or _KINDS[self] is item.kind


_KINDS = {
    ActivityFilter.TOOLS: ActivityKind.TOOL,
    ActivityFilter.AGENTS: ActivityKind.AGENT,
    ActivityFilter.REASONING: ActivityKind.REASONING,
    ActivityFilter.TASKS: ActivityKind.TASK,
}


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a forEach."""

    completed: int
    failed: int
    total: int


@dataclass(frozen=True, slots=True)
class ActivityItem:
    """A call, step, sub-agent, thought or task on a line. `id` is unique among all runs; `name` is the tool, the step,
    a chat's agent, the task, or empty for reasoning.

    `at` is the start, of a task its last change. `target` is what a call is about, or how a thought begins, on one
    line; `summary` the result. `step` is the step of a call in a template, `sub_agent` the sub-agent that made it,
    `below` the title of its run if that is a child run. `reason` is the value that the condition of a skipped step had,
    as JSON text.
    """

    id: str
    run_id: RunId
    kind: ActivityKind
    name: str
    state: ActivityState
    at: datetime
    target: str = ""
    summary: str = ""
    duration_s: float | None = None
    step: str | None = None
    sub_agent: str | None = None
    below: str | None = None
    attempts: int = 1
    reason: str | None = None
    progress: Progress | None = None


def activity_of(run: LiveRun, known: Mapping[str, ActivityItem] | None = None) -> list[ActivityItem]:
    """Return the items of a run, newest first. Pure. Finished calls are taken from `known`.

    A step that has not started has no item.
    """
    known = known or {}
    agents = {call.step for call in run.calls.values() if call.round is not None and call.sub_agent_id is None}
    items = [
        _step_item(run, step, is_agent=run.kind is RunKind.CHAT or bool(step.texts) or step.name in agents)
        for step in run.steps.values()
        if step.started_at is not None or step.finished_at is not None
    ]
    for call in run.calls.values():
        item = known.get(call.id)
        has_ended = item is not None and item.state not in (ActivityState.RUNNING, ActivityState.WAITING)
        items.append(item if item is not None and has_ended else _call_item(run, call))
    items += [_task_item(run, task) for task in run.tasks.values()]
    items += [_sub_agent_item(run, one) for one in run.sub_agents.values()]
    items += [_thought_item(run, one) for one in run.thoughts]
    items.sort(key=start_time)
    items.reverse()
    return items


def start_time(item: ActivityItem) -> datetime:
    """Return the sort key of an item."""
    return item.at


def count_by_filter(items: Iterable[ActivityItem]) -> dict[ActivityFilter, int]:
    """Return the number of items of each filter."""
    of_kind = Counter(item.kind for item in items)
    return {
        ActivityFilter.ALL: of_kind.total(),
        ActivityFilter.TOOLS: of_kind[ActivityKind.TOOL],
        ActivityFilter.AGENTS: of_kind[ActivityKind.AGENT],
        ActivityFilter.REASONING: of_kind[ActivityKind.REASONING],
        ActivityFilter.TASKS: of_kind[ActivityKind.TASK],
    }


def target_of(tool: str, arguments: Any) -> str:
    """Return the most telling argument of a call: by its name, else the first text or number, else empty.

    At most 200 characters, without line breaks.
    """
    if tool in _TOOLS_WITHOUT_TARGET:
        return ""
    if not isinstance(arguments, Mapping):
        return _single_line(arguments) if arguments else ""
    named = (arguments[name] for name in _TARGET_ARGUMENTS if name in arguments)
    return _single_line(next((value for value in (*named, *arguments.values()) if _is_readable(value)), ""))


def _call_item(run: LiveRun, call: LiveCall) -> ActivityItem:
    maker = run.sub_agents.get(call.sub_agent_id) if call.sub_agent_id is not None else None
    return ActivityItem(
        call.id,
        run.run_id,
        ActivityKind.TOOL,
        call.tool,
        ActivityState.WAITING if is_waiting_for_user(run, call) else _CALL_STATES[call.status],
        call.started_at,
        target_of(call.tool, call.arguments),
        call.summary or _message(call.error),
        None if call.duration_ms is None else call.duration_ms / 1000,
        step=call.step if run.kind is RunKind.WORKFLOW else None,
        below=_child_title(run),
        sub_agent=maker.name if maker is not None else None,
    )


def is_waiting_for_user(run: LiveRun, call: LiveCall) -> bool:
    """Return whether a call continues when the user has answered. A tool asks one thing at a time."""
    if call.status is not CallStatus.RUNNING:
        return False
    asked = (one.request for one in run.open_interruptions)
    here = (call.tool, call.step, call.index, call.sub_agent_id)
    return any((one.tool, one.step, one.index, one.sub_agent_id) == here for one in asked)


def _sub_agent_item(run: LiveRun, one: LiveSubAgent) -> ActivityItem:
    return ActivityItem(
        sub_agent_id(run, one),
        run.run_id,
        ActivityKind.AGENT,
        one.name,
        _STEP_STATES[one.status],
        one.started_at,
        summary=_message(one.error),
        duration_s=None if one.duration_ms is None else one.duration_ms / 1000,
        step=one.step if run.kind is RunKind.WORKFLOW else None,
        below=_child_title(run),
    )


def sub_agent_id(run: LiveRun, one: LiveSubAgent) -> str:
    """Return the item id of a sub-agent."""
    return f"{run.run_id}/{one.id}"


def _step_item(run: LiveRun, step: LiveStep, *, is_agent: bool) -> ActivityItem:
    began = step.started_at or step.finished_at or run.created_at
    iterations = step.iterations
    is_of_agent = run.kind is RunKind.CHAT or run.template_id == SUMMARY_TEMPLATE
    return ActivityItem(
        step_id(run, step),
        run.run_id,
        ActivityKind.AGENT if is_agent else ActivityKind.STEP,
        (run.agent or step.name) if is_of_agent else step.name,
        ActivityState.SKIPPED if step.skipped else _STEP_STATES[step.status],
        began,
        summary=_message(step.error),
        duration_s=None if step.finished_at is None else max(0.0, (step.finished_at - began).total_seconds()),
        below=_child_title(run),
        attempts=max(1, step.attempts),
        reason=_single_line(readable_json(step.skipped_value)) if step.skipped else None,
        progress=Progress(iterations.completed, iterations.failed, iterations.total) if iterations else None,
    )


def _task_item(run: LiveRun, task: LiveTask) -> ActivityItem:
    told = task.fact
    state = ActivityState.DELETED if told.change == "deleted" else _TASK_STATES[told.status]
    return ActivityItem(told.id, run.run_id, ActivityKind.TASK, told.name, state, task.last_at)


def _thought_item(run: LiveRun, thought: LiveThought) -> ActivityItem:
    return ActivityItem(
        thought_id(run, thought),
        run.run_id,
        ActivityKind.REASONING,
        "",
        ActivityState.RUNNING if thought.is_open else ActivityState.DONE,
        thought.started_at,
        _single_line(thought.beginning(4 * TARGET_CHARACTERS)),
        duration_s=None if thought.is_open else thought.elapsed_ms / 1000,
        step=thought.step if run.kind is RunKind.WORKFLOW else None,
        below=_child_title(run),
    )


def thought_id(run: LiveRun, thought: LiveThought) -> str:
    """Return the item id of a thought: where and when it began, since a long run drops its first thoughts."""
    return f"{run.run_id}/{thought.step}[{thought.index}]/{thought.offset}/{thought.started_at.timestamp()}"


def _child_title(run: LiveRun) -> str | None:
    return run.workflow_name if run.parent is not None else None


def step_id(run: LiveRun, step: LiveStep) -> str:
    """Return the item id of a step."""
    return f"{run.run_id}/{step.name}"


def _message(error: Mapping[str, Any] | None) -> str:
    return "" if error is None else _single_line(str(error.get("message") or error.get("code") or ""))


def _is_readable(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _single_line(value: Any) -> str:
    text = value if isinstance(value, str) else readable_json(value)
    line = " ".join(text[: 4 * TARGET_CHARACTERS].split())
    return ellipsize(line, TARGET_CHARACTERS)


_CALL_STATES = {
    CallStatus.RUNNING: ActivityState.RUNNING,
    CallStatus.COMPLETED: ActivityState.DONE,
    CallStatus.ERROR: ActivityState.FAILED,
    CallStatus.SKIPPED: ActivityState.SKIPPED,
    CallStatus.CANCELLED: ActivityState.CANCELLED,
    CallStatus.UNKNOWN: ActivityState.UNKNOWN,
}

_STEP_STATES = {
    StepStatus.PENDING: ActivityState.RUNNING,  # begun, and about to begin anew after a crash
    StepStatus.WAITING: ActivityState.WAITING,
    StepStatus.RUNNING: ActivityState.RUNNING,
    StepStatus.RETRYING: ActivityState.RUNNING,
    StepStatus.COMPLETED: ActivityState.DONE,
    StepStatus.ERROR: ActivityState.FAILED,
    StepStatus.CANCELLED: ActivityState.CANCELLED,
}

_TASK_STATES = {
    TaskStatus.PENDING: ActivityState.PENDING,
    TaskStatus.IN_PROGRESS: ActivityState.RUNNING,
    TaskStatus.COMPLETED: ActivityState.DONE,
    TaskStatus.BLOCKED: ActivityState.BLOCKED,
}
