"""`todo`: the tasks of the workflow (AGENTS_AND_TOOLS §5)."""

from dataclasses import replace
from typing import Any

from core.domain.events import TaskChanged, iso_time
from core.domain.ids import TaskId, id_from_key
from core.domain.risk import Risk
from core.domain.task import (
    DEFAULT_PRIORITY,
    DESCRIPTION_CHARACTERS,
    HIGHEST_PRIORITY,
    LOWEST_PRIORITY,
    MAX_DEPENDENCIES,
    NAME_CHARACTERS,
    Task,
    TaskList,
    TaskStatus,
)
from core.domain.text.masking import masked_text
from core.domain.tool import ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext, ChangeTasks, Clock, Storage
from core.tools import schema
from core.tools.measure import format_count, shorten
from core.tools.registry import Arguments, Tool
from core.tools.schema import Action, action_tool

ID_CHARACTERS = 16
MAX_TRIES = 20

_FIELDS = ("description", "priority", "dependencies")
_ACTIONS = {
    "create": Action(("name",), _FIELDS),
    "get": Action(("id",), is_read_only=True),
    "update": Action(("id",), changes=("name", "status", *_FIELDS)),
    "complete": Action(("id",)),
    "list": Action(optional=("status",), is_read_only=True),
    "delete": Action(("id",), is_dangerous=True),
}
_INFO = ToolInfo(
    name="todo",
    title="Tasks",
    description=(
        "Keeps the tasks of this conversation. create {name, description?, priority?, dependencies?}, update {id, "
        "…}, complete {id} and get {id} return {task}, with unblocked, the tasks that are no longer blocked; list "
        "{status?} returns {tasks, counts}, most urgent first; delete {id} returns {deleted, task}. A task is {id, "
        "name, description, priority, status, dependencies, waits_for, created_at, updated_at, completed_at}. A "
        "task that depends on others is blocked until they are completed: it can neither begin nor be completed "
        "before. A task that others depend on cannot be deleted."
    ),
    input_schema=schema.of_object(
        {"action": schema.choice("What to do.", _ACTIONS)},
        {
            "id": schema.an_id("The id that create returned."),
            "name": schema.text("What to do, in a few words.", NAME_CHARACTERS),
            "description": schema.text("Details.", DESCRIPTION_CHARACTERS, can_be_empty=True),
            "priority": schema.number(
                f"{HIGHEST_PRIORITY} is the most urgent, {DEFAULT_PRIORITY} if absent.",
                HIGHEST_PRIORITY,
                LOWEST_PRIORITY,
                kind="integer",
            ),
            "status": schema.choice("update: the new status. list: only tasks with this status.", TaskStatus),
            "dependencies": schema.array(
                "The tasks that have to be completed before this task; they replace its previous dependencies.",
                schema.an_id("The id of a task."),
                MAX_DEPENDENCIES,
                uniqueItems=True,
            ),
        },
    ),
    risk=Risk.HIGH,
)


def tool(store: Storage, clock: Clock) -> Tool:
    """Return the tool. Idempotent: the id of a new task is derived from the call, and the list stores which call
    changed it last, so that a repeated deletion is reported as done.

    Errors: as `core.domain.task`, and storage errors.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        if not arguments.get("name", "x").strip():
            raise ToolFailed("invalid_arguments", "name is blank")
        return await _Call(store, clock, arguments, context).run()

    return action_tool(_INFO, _ACTIONS, call, _summary)


class _Call:
    """A single call: reads the tasks, changes them, and starts over if another call changed them in between."""

    def __init__(self, store: Storage, clock: Clock, arguments: Arguments, context: CallContext) -> None:
        self._store = store
        self._clock = clock
        self._arguments = arguments
        self._context = context

    async def run(self) -> dict[str, Any]:
        for _ in range(MAX_TRIES):
            tasks = await self._store.tasks.of_workflow(self._context.workflow_id)
            match self._arguments["action"]:
                case "get":
                    return {"task": _shown(tasks, tasks.get(self._id))}
                case "list":
                    return self._listed(tasks)
                case "delete":
                    result = await self._delete(tasks)
                case "create":
                    result = await self._put(tasks, self._created(tasks), "created")
                case _:
                    result = await self._put(tasks, self._updated(tasks.get(self._id)), self._change)
            if result is not None:
                return result
        raise ToolFailed("failed", "other calls keep changing the tasks: try again")

    @property
    def _id(self) -> TaskId:
        return TaskId(self._arguments["id"])

    @property
    def _change(self) -> Any:
        is_completing = self._arguments["action"] == "complete" or self._arguments.get("status") == "completed"
        return "completed" if is_completing else "updated"

    def _created(self, tasks: TaskList) -> Task:
        """Return the task of this call; as it is now, if an earlier attempt already created it."""
        task_id = TaskId(id_from_key("task", self._context.origin)[:ID_CHARACTERS])
        if task_id in tasks.tasks:
            return tasks.tasks[task_id]
        now = self._clock.now()
        return self._updated(Task(task_id, self._context.workflow_id, "", now, now))

    def _updated(self, task: Task) -> Task:
        """Return the task with the values of the arguments; the same object if nothing changes."""
        arguments = self._arguments
        is_completing = arguments["action"] == "complete"
        status = TaskStatus.COMPLETED if is_completing else TaskStatus(arguments.get("status", task.status))
        texts: Any = {
            name: masked_text(arguments[name]).strip() for name in ("name", "description") if name in arguments
        }
        updated = replace(
            task,
            **texts,
            priority=arguments.get("priority", task.priority),
            status=status,
            dependencies=tuple(arguments.get("dependencies", task.dependencies)),
        )
        if updated == task:
            return task
        now = self._clock.now()
        completed_at = (task.completed_at or now) if status is TaskStatus.COMPLETED else None
        return replace(updated, updated_at=now, completed_at=completed_at)

    async def _put(self, tasks: TaskList, task: Task, change: Any) -> dict[str, Any] | None:
        """Save the task. Returns None if the tasks were changed in between."""
        changed = tasks.put(task)
        if tasks.tasks.get(task.id) != task and not await self._commit(tasks, put=(task,)):
            return None
        self._emit(changed, task, change)
        # Completing a task can unblock its dependents, and reopening it can block them: their rows change too.
        dependents = [
            other
            for other in changed.ordered()
            if other.id != task.id and tasks.shown_status(other) is not changed.shown_status(other)
        ]
        for dependent in dependents:
            self._emit(changed, dependent, "updated")
        unblocked = [other.id for other in dependents if changed.shown_status(other) is not TaskStatus.BLOCKED]
        return {"task": _shown(changed, task), **({"unblocked": unblocked} if unblocked else {})}

    async def _delete(self, tasks: TaskList) -> dict[str, Any] | None:
        if self._id not in tasks.tasks and tasks.changed_by == self._context.origin:
            return {"deleted": True, "task": None}
        task = tasks.get(self._id)
        tasks.without(task.id)
        if not await self._commit(tasks, removed=(task.id,)):
            return None
        self._emit(tasks, task, "deleted")
        return {"deleted": True, "task": _shown(tasks, task)}

    async def _commit(self, tasks: TaskList, **what: Any) -> bool:
        change = ChangeTasks(self._context.workflow_id, tasks.revision, self._context.origin, **what)
        return not await self._store.commit([change])

    def _emit(self, tasks: TaskList, task: Task, change: Any) -> None:
        fact = TaskChanged(
            id=task.id,
            change=change,
            name=task.name,
            status=tasks.shown_status(task),
            priority=task.priority,
            description=task.description,
            dependencies=list(task.dependencies),
            call_id=self._context.call_id,
        )
        self._context.emit(fact)

    def _listed(self, tasks: TaskList) -> dict[str, Any]:
        status = self._arguments.get("status")
        shown = [_shown(tasks, task) for task in tasks.ordered()]
        counts = {status.value: sum(fields["status"] == status for fields in shown) for status in TaskStatus}
        return {"tasks": [fields for fields in shown if status in (None, fields["status"])], "counts": counts}


def _shown(tasks: TaskList, task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "name": task.name,
        "description": task.description,
        "priority": task.priority,
        "status": tasks.shown_status(task).value,
        "dependencies": list(task.dependencies),
        "waits_for": [other.id for other in tasks.waits_for(task)],
        "created_at": iso_time(task.created_at),
        "updated_at": iso_time(task.updated_at),
        "completed_at": iso_time(task.completed_at) if task.completed_at else None,
    }


def _summary(arguments: Arguments, value: Any) -> str:
    if "tasks" in value:
        return format_count(len(value["tasks"]), "task")
    task = value["task"]
    if task is None:
        return "deleted"
    return shorten(f"{task['name']}: {'deleted' if 'deleted' in value else task['status']}")
