"""What happened in a run as items: tool calls, steps, sub-agents, reasoning and tasks (UI §1). Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

from core.domain.ids import RunId
from core.domain.live_run import LiveCall, LiveRun, LiveStep, LiveSubAgent, LiveTask, LiveThought
from core.domain.run import SUMMARY_TEMPLATE, RunKind, StepStatus
from core.domain.task import TaskStatus
from core.domain.text.graphemes import ellipsize
from core.domain.text.json_text import readable_json
from core.domain.tool import CallStatus
from core.stores.activity_details import (
    ActivityDetail,
    call_detail,
    step_detail,
    sub_agent_detail,
    task_detail,
    thought_detail,
)

TARGET_CHARACTERS = 200
_TARGET_ARGUMENTS = (
    "query",  # before the folder that is searched
    "path",
    "file",
    "url",
    "pattern",
    "expression",
    "command",
    "question",
    "name",
    "title",
    "id",
)
_TOOLS_WITHOUT_TARGET = frozenset(
    {"run_code", "wait", "pick_file", "todo"}
)  # code is no line; of a wait the duration says what it was, of a task the result


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

    @property
    def is_open(self) -> bool:
        """Whether it is in flight, at work or waiting for the user."""
        return self in (ActivityState.RUNNING, ActivityState.WAITING)


class ActivityFilter(StrEnum):
    """A filter of the activity list."""

    ALL = "all"
    TOOLS = "tools"
    AGENTS = "agents"
    REASONING = "reasoning"
    TASKS = "tasks"

    def includes(self, item: "ActivityItem") -> bool:
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


@dataclass(frozen=True, slots=True)
class ActivityPart:
    """Something that happened in a run. Item and detail are made on demand: a run may have thousands of parts.

    `settled`: of a call that has ended, the time and state of its item, which does not change as long as these are the
    same. A call that was interrupted is made again under its id, and an unknown outcome becomes known.
    """

    id: str
    make_item: Callable[[], ActivityItem]
    make_detail: Callable[[], ActivityDetail]
    settled: tuple[datetime, ActivityState] | None = None


def parts_of(run: LiveRun) -> Iterator[ActivityPart]:
    """Yield everything that happened in a run. A step that has not started is no part yet."""
    agents = {call.step for call in run.calls.values() if call.round is not None and call.sub_agent_id is None}
    for step in run.steps.values():
        if step.started_at is not None or step.finished_at is not None:
            is_agent = run.kind is RunKind.CHAT or bool(step.texts) or step.name in agents
            item_id = f"{run.run_id}/{step.name}"
            yield ActivityPart(
                item_id, partial(_step_item, item_id, run, step, is_agent=is_agent), partial(step_detail, run, step)
            )
    for call in run.calls.values():
        settled = None if call.is_running else (call.started_at, _CALL_STATES[call.status])
        yield ActivityPart(call.id, partial(_call_item, run, call), partial(call_detail, run, call), settled)
    for task in run.tasks.values():
        yield ActivityPart(task.fact.id, partial(task_item, run, task), partial(task_detail, task))
    for sub_agent in run.sub_agents.values():
        item_id = f"{run.run_id}/{sub_agent.id}"
        yield ActivityPart(
            item_id, partial(_sub_agent_item, item_id, run, sub_agent), partial(sub_agent_detail, sub_agent)
        )
    for thought in run.thoughts:
        # by where and when it began, not by its number: a long run drops its first thoughts
        began = f"{thought.offset}/{thought.started_at.timestamp()}"
        item_id = f"{run.run_id}/{thought.step}[{thought.index}]/{began}"
        yield ActivityPart(item_id, partial(_thought_item, item_id, run, thought), partial(thought_detail, thought))


def activity_of(run: LiveRun, known: Mapping[str, ActivityItem] | None = None) -> list[ActivityItem]:
    """Return the items of a run, newest first. Pure. Finished calls are taken from `known`."""
    items = []
    for part in parts_of(run):
        item = known.get(part.id) if known is not None else None
        items.append(item if item is not None and (item.at, item.state) == part.settled else part.make_item())
    # sorted, then reversed: of the same time, the later part comes first
    items.sort(key=start_time)
    items.reverse()
    return items


def detail_of(run: LiveRun, item_id: str) -> ActivityDetail | None:
    """Return the detail of an item of this run; None if the run has no such item."""
    return next((part.make_detail() for part in parts_of(run) if part.id == item_id), None)


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
        call.summary or _message(call.error) or _last_line(call.output),
        None if call.duration_ms is None else call.duration_ms / 1000,
        step=call.step if run.kind is RunKind.WORKFLOW else None,
        below=_child_title(run),
        sub_agent=maker.name if maker is not None else None,
    )


def is_waiting_for_user(run: LiveRun, call: LiveCall) -> bool:
    """Return whether a call continues when the user has answered. A tool asks one thing at a time."""
    if call.status is not CallStatus.RUNNING:
        return False
    questions = (question.request for question in run.open_interruptions)
    caller = (call.tool, call.step, call.index, call.sub_agent_id)
    return any(
        (question.tool, question.step, question.index, question.sub_agent_id) == caller for question in questions
    )


def _sub_agent_item(item_id: str, run: LiveRun, sub_agent: LiveSubAgent) -> ActivityItem:
    return ActivityItem(
        item_id,
        run.run_id,
        ActivityKind.AGENT,
        sub_agent.name,
        _STEP_STATES[sub_agent.status],
        sub_agent.started_at,
        summary=_message(sub_agent.error),
        duration_s=None if sub_agent.duration_ms is None else sub_agent.duration_ms / 1000,
        step=sub_agent.step if run.kind is RunKind.WORKFLOW else None,
        below=_child_title(run),
    )


def _step_item(item_id: str, run: LiveRun, step: LiveStep, *, is_agent: bool) -> ActivityItem:
    began = step.started_at or step.finished_at or run.created_at
    iterations = step.iterations
    is_of_agent = run.kind is RunKind.CHAT or run.template_id == SUMMARY_TEMPLATE
    return ActivityItem(
        item_id,
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


def task_item(run: LiveRun, task: LiveTask) -> ActivityItem:
    """Return the item of a task as this run reported it."""
    update = task.fact
    state = ActivityState.DELETED if update.change == "deleted" else _TASK_STATES[update.status]
    return ActivityItem(update.id, run.run_id, ActivityKind.TASK, update.name, state, task.last_at)


def _thought_item(item_id: str, run: LiveRun, thought: LiveThought) -> ActivityItem:
    return ActivityItem(
        item_id,
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


def _child_title(run: LiveRun) -> str | None:
    return run.workflow_name if run.parent is not None else None


def _message(error: Mapping[str, Any] | None) -> str:
    return "" if error is None else _single_line(str(error.get("message") or error.get("code") or ""))


def _last_line(output: str) -> str:
    return _single_line(output.rstrip().rpartition("\n")[2])


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
