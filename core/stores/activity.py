"""What happened in the runs that are shown: their tool calls, steps and tasks, the newest first (UI §1)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from psygnal import Signal

from core.domain.ids import RunId
from core.domain.json_text import readable
from core.domain.live_run import LiveCall, LiveRun, LiveStep, LiveSubAgent, LiveTask
from core.domain.run import RunKind
from core.domain.step import StepStatus
from core.domain.summary import SUMMARY_TEMPLATE
from core.domain.task import TaskStatus
from core.domain.tool import CallStatus
from core.stores.listeners import tell
from core.stores.view_cache import ViewCache
from core.stores.viewers import Batch

TARGET_CHARACTERS = 200
_TELLING = ("path", "file", "url", "query", "pattern", "expression", "command", "question", "name", "title", "id")
_SILENT = frozenset({"run_code", "wait", "pick_file"})  # code is no line, and the duration of a wait says what it was


class ActivityKind(StrEnum):
    """`agent` is a step at which an agent is at work, of which a chat has one for each turn, or a sub-agent. `task` is
    one that an agent keeps with `todo`: whatever runs tell of it, there is one item, with what was told last."""

    TOOL = "tool"
    AGENT = "agent"
    STEP = "step"
    TASK = "task"


class ActivityState(StrEnum):
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
    ALL = "all"
    TOOLS = "tools"
    AGENTS = "agents"
    TASKS = "tasks"

    def takes(self, item: "ActivityItem") -> bool:
        return self is ActivityFilter.ALL or _KINDS[self] is item.kind


_KINDS = {
    ActivityFilter.TOOLS: ActivityKind.TOOL,
    ActivityFilter.AGENTS: ActivityKind.AGENT,
    ActivityFilter.TASKS: ActivityKind.TASK,
}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a forEach is."""

    completed: int
    failed: int
    total: int


@dataclass(frozen=True, slots=True)
class ActivityItem:
    """A call, a step, a sub-agent or a task as a line. `id` is its own among all runs; `name` the tool, the step, a
    chat's agent, or what is to be done.

    `at` is when it began, of a task when it last changed. `target` is what a call is about, on one line; `summary`
    what came out of it. `step` is where a call was made in a template, `sub_agent` who made it where that was one.
    `reason` is what the condition of a skipped step looked at, as JSON text.
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
    attempts: int = 1
    reason: str | None = None
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class ActivityDetail:
    """All that is known of an item. None is a value too: `has_result` tells whether there is one. `console` is what the
    code of a step wrote, a line each; `is_console_cut`: there was more."""

    arguments: Any = None
    has_arguments: bool = False
    result: Any = None
    has_result: bool = False
    errors: tuple[Mapping[str, Any], ...] = ()
    console: str = ""
    is_console_cut: bool = False
    input_tokens: int = 0
    output_tokens: int = 0


def activity_of(run: LiveRun, known: Mapping[str, ActivityItem] | None = None) -> list[ActivityItem]:
    """The items of a run, the newest first. Pure. Of `known` ones, calls that have ended are taken as they are.

    A step that has not begun is none yet.
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
        has_ended = item is not None and item.state is not ActivityState.RUNNING
        items.append(item if item is not None and has_ended else _call_item(run, call))
    items += [_task_item(run, task) for task in run.tasks.values()]
    items += [_sub_agent_item(run, one) for one in run.sub_agents.values()]
    items.sort(key=_began)
    items.reverse()
    return items


def detail_of(run: LiveRun, item_id: str) -> ActivityDetail | None:
    """What there is to read about an item of this run; None if it has no such item."""
    for call in run.calls.values():
        if call.id == item_id:
            return _call_detail(run, call)
    task = next((task for task in run.tasks.values() if task.told.id == item_id), None)
    if task is not None:
        return ActivityDetail(_fields_of(task), has_arguments=True)
    for one in run.sub_agents.values():
        if _sub_agent_id(run, one) == item_id:
            return _sub_agent_detail(one)
    step = next((step for step in run.steps.values() if _step_id(run, step) == item_id), None)
    if step is None:
        return None
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


class Activity:
    """The items of the viewed workflow, derived from what its chat shows. `changed` tells that they may be others."""

    changed = Signal()

    def __init__(self, view: ViewCache) -> None:
        self._view = view
        self._runs: dict[RunId, LiveRun] = {}
        self._items: dict[RunId, list[ActivityItem]] = {}
        self._stale: set[RunId] = set()
        view.changed.connect(self._on_changed)
        view.batch.connect(self._on_batch)
        self._look()

    def close(self) -> None:
        """Hear nothing more."""
        self._view.changed.disconnect(self._on_changed)
        self._view.batch.disconnect(self._on_batch)

    @property
    def items(self) -> list[ActivityItem]:
        """The newest first. An item that did not change is the same object as before."""
        for run_id in self._stale:
            known = {item.id: item for item in self._items.get(run_id, ())}
            fresh = activity_of(self._runs[run_id], known)
            self._items[run_id] = [old if (old := known.get(item.id)) == item else item for item in fresh]
        self._stale.clear()
        items = [item for run_id in reversed(self._runs) for item in self._items[run_id]]
        items.sort(key=_began, reverse=True)
        return list(_once(items))

    def detail(self, item: ActivityItem) -> ActivityDetail | None:
        """What there is to read about it now; None if it is not shown any more."""
        run = self._runs.get(item.run_id)
        return None if run is None else detail_of(run, item.id)

    def _on_changed(self) -> None:
        self._look()
        tell(self.changed)

    def _on_batch(self, batch: Batch) -> None:
        if batch.run_id in self._runs:
            self._stale.add(batch.run_id)
            tell(self.changed)

    def _look(self) -> None:
        runs = (self._view.run_of(message.id) for message in self._view.messages)
        self._runs = {run.run_id: run for run in runs if run is not None}
        self._items = {run_id: items for run_id, items in self._items.items() if run_id in self._runs}
        self._stale = set(self._runs)


def _once(items: Iterable[ActivityItem]) -> Iterator[ActivityItem]:
    """The items, of a task the first alone: several runs may have told of it."""
    seen: set[str] = set()
    for item in items:
        if item.kind is ActivityKind.TASK:
            if item.id in seen:
                continue
            seen.add(item.id)
        yield item


def counts(items: Iterable[ActivityItem]) -> dict[ActivityFilter, int]:
    """How many each filter takes."""
    of_kind = Counter(item.kind for item in items)
    return {
        ActivityFilter.ALL: of_kind.total(),
        ActivityFilter.TOOLS: of_kind[ActivityKind.TOOL],
        ActivityFilter.AGENTS: of_kind[ActivityKind.AGENT],
        ActivityFilter.TASKS: of_kind[ActivityKind.TASK],
    }


def target_of(tool: str, arguments: Any) -> str:
    """The argument that tells most: by its name, else the first text or number. Empty where none does.

    At most 200 characters, without line breaks.
    """
    if tool in _SILENT:
        return ""
    if not isinstance(arguments, Mapping):
        return _on_a_line(arguments) if arguments else ""
    named = (arguments[name] for name in _TELLING if name in arguments)
    return _on_a_line(next((value for value in (*named, *arguments.values()) if _tells(value)), ""))


def _began(item: ActivityItem) -> datetime:
    return item.at


def _call_item(run: LiveRun, call: LiveCall) -> ActivityItem:
    maker = run.sub_agents.get(call.sub_agent_id) if call.sub_agent_id is not None else None
    return ActivityItem(
        call.id,
        run.run_id,
        ActivityKind.TOOL,
        call.tool,
        _CALL_STATES[call.status],
        call.started_at,
        target_of(call.tool, call.arguments),
        call.summary or _message(call.error),
        None if call.duration_ms is None else call.duration_ms / 1000,
        step=call.step if run.kind is RunKind.WORKFLOW else None,
        sub_agent=maker.name if maker is not None else None,
    )


def _sub_agent_item(run: LiveRun, one: LiveSubAgent) -> ActivityItem:
    is_over = run.status.is_final and not one.status.is_final
    return ActivityItem(
        _sub_agent_id(run, one),
        run.run_id,
        ActivityKind.AGENT,
        one.name,
        ActivityState.CANCELLED if is_over else _STEP_STATES[one.status],
        one.started_at,
        summary=_message(one.error),
        duration_s=None if one.duration_ms is None else one.duration_ms / 1000,
        step=one.step if run.kind is RunKind.WORKFLOW else None,
    )


def _sub_agent_id(run: LiveRun, one: LiveSubAgent) -> str:
    return f"{run.run_id}/{one.id}"


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


def _step_item(run: LiveRun, step: LiveStep, *, is_agent: bool) -> ActivityItem:
    began = step.started_at or step.finished_at or run.created_at
    iterations = step.iterations
    is_of_agent = run.kind is RunKind.CHAT or run.template_id == SUMMARY_TEMPLATE
    return ActivityItem(
        _step_id(run, step),
        run.run_id,
        ActivityKind.AGENT if is_agent else ActivityKind.STEP,
        (run.agent or step.name) if is_of_agent else step.name,
        ActivityState.SKIPPED if step.skipped else _STEP_STATES[step.status],
        began,
        summary=_message(step.error),
        duration_s=None if step.finished_at is None else max(0.0, (step.finished_at - began).total_seconds()),
        attempts=max(1, step.attempts),
        reason=_on_a_line(readable(step.skipped_value)) if step.skipped else None,
        progress=Progress(iterations.completed, iterations.failed, iterations.total) if iterations else None,
    )


def _task_item(run: LiveRun, task: LiveTask) -> ActivityItem:
    told = task.told
    state = ActivityState.DELETED if told.change == "deleted" else _TASK_STATES[told.status]
    return ActivityItem(told.id, run.run_id, ActivityKind.TASK, told.name, state, task.last_at)


def _fields_of(task: LiveTask) -> dict[str, Any]:
    told = task.told
    fields = {"id": told.id, "priority": told.priority, "description": told.description}
    return {name: value for name, value in {**fields, "dependencies": told.dependencies}.items() if value}


def _step_id(run: LiveRun, step: LiveStep) -> str:
    return f"{run.run_id}/{step.name}"


def _call_detail(run: LiveRun, call: LiveCall) -> ActivityDetail:
    """The result of a step that is this one call is the step's output, or what that was made of; of an agent's call
    there is a summary."""
    step = run.steps.get(call.step) if call.round is None and call.index is None else None
    is_known = step is not None and (step.has_raw or step.status is StepStatus.COMPLETED)
    has_output = is_known and call.status is CallStatus.COMPLETED
    output = None if step is None else step.raw if step.has_raw else step.output
    return ActivityDetail(
        call.arguments,
        has_arguments=True,
        result=output if has_output else call.summary,
        has_result=has_output or bool(call.summary),
        errors=(call.error,) if call.error else (),
    )


def _console_line(line: Mapping[str, Any]) -> str:
    """The text, behind its level where that is not the plain one."""
    text = str(line["text"])
    return text if line["level"] == "log" else f"{line['level']}: {text}"


def _message(error: Mapping[str, Any] | None) -> str:
    return "" if error is None else _on_a_line(str(error.get("message") or error.get("code") or ""))


def _tells(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _on_a_line(value: Any) -> str:
    text = value if isinstance(value, str) else readable(value)
    line = " ".join(text[: 4 * TARGET_CHARACTERS].split())
    return line if len(line) <= TARGET_CHARACTERS else line[: TARGET_CHARACTERS - 1] + "…"


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
