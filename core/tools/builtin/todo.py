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
from core.errors import StorageFailed, ToolFailed
from core.ports.clock import Clock
from core.ports.storage import Storage
from core.ports.tools import CallContext
from core.ports.writes import ChangeTasks
from core.tools import schema
from core.tools.measure import format_count, shorten
from core.tools.registry import Arguments, Tool
from core.tools.schema import Action, check_action_arguments, has_action, id_schema

ID_CHARACTERS = 16
TRIES = 20

_FIELDS = ("description", "priority", "dependencies")
_ACTIONS = {
    "create": Action(("name",), _FIELDS),
    "get": Action(("id",)),
    "update": Action(("id",), changes=("name", "status", *_FIELDS)),
    "complete": Action(("id",)),
    "list": Action(takes=("status",)),
    "delete": Action(("id",)),
}
_INFO = ToolInfo(
    name="todo",
    title="Tasks",
    description=(
        "Keeps the tasks of this conversation. create {name, description?, priority?, dependencies?}, update {id, "
        "…}, complete {id} and get {id} give {task}, with unblocked, the tasks that are blocked no longer; list "
        "{status?} gives {tasks, counts}, the most urgent first; delete {id} gives {deleted, task}. A task is {id, "
        "name, description, priority, status, dependencies, waits_for, created_at, updated_at, completed_at}. A "
        "task that depends on others is blocked until they are completed: it can neither begin nor be completed "
        "before, and what others depend on cannot be deleted."
    ),
    input_schema=schema.of_object(
        {"action": {"enum": list(_ACTIONS), "description": "What to do."}},
        {
            "id": id_schema("Which task: the id that create gave."),
            "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": NAME_CHARACTERS,
                "description": "What is to be done, in a few words.",
            },
            "description": {
                "type": "string",
                "maxLength": DESCRIPTION_CHARACTERS,
                "description": "What else there is to know.",
            },
            "priority": {
                "type": "integer",
                "minimum": HIGHEST_PRIORITY,
                "maximum": LOWEST_PRIORITY,
                "description": f"{HIGHEST_PRIORITY} is the most urgent, {DEFAULT_PRIORITY} if absent.",
            },
            "status": {
                "enum": list(TaskStatus),
                "description": "update: the new one. list: those of this one only.",
            },
            "dependencies": {
                "type": "array",
                "maxItems": MAX_DEPENDENCIES,
                "uniqueItems": True,
                "items": id_schema("The id of a task."),
                "description": "The tasks that have to be completed before this one; they replace those it had.",
            },
        },
    ),
    risk=Risk.HIGH,
)


class TaskStore(Protocol):
    """The storage operations of the tool."""

    async def tasks(self, workflow_id: WorkflowId) -> TaskList: ...
    async def commit(self, writes: list[Write]) -> frozenset[int]: ...


def tool(store: TaskStore, clock: Clock) -> Tool:
    """Return the tool. Idempotent: the id of a new task is derived from the call, and the list stores which call
    changed it last, so that a repeated deletion is reported as done.

    Errors: as `core.domain.task`, and storage errors.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        check_action_arguments(_ACTIONS, arguments)
        if not arguments.get("name", "x").strip():
            raise ToolFailed("invalid_arguments", "name is blank")
        try:
            return await _Call(store, clock, arguments, context).make()
        except StorageFailed as error:
            raise ToolFailed(error.code, error.message) from error

    return Tool(
        _INFO,
        server=call,
        read_only=lambda arguments: has_action(arguments, "get", "list"),
        idempotent=True,
        is_dangerous=lambda arguments: has_action(arguments, "delete"),
        summary=_summary,
    )


class _Call:
    """A single call: reads the tasks, changes them, and starts over if another call changed them in between."""

    def __init__(self, store: Storage, clock: Clock, arguments: Arguments, context: CallContext) -> None:
        self._store = store
        self._clock = clock
        self._arguments = arguments
        self._context = context

    async def make(self) -> dict[str, Any]:
        for _ in range(TRIES):
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
        raise ToolFailed("failed", "the tasks were changed by others all the time: try again")

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
        given = self._arguments
        texts = {name: masked_text(given[name]).strip() for name in ("name", "description") if name in given}
        status = TaskStatus.COMPLETED if given["action"] == "complete" else TaskStatus(given.get("status", task.status))
        dependencies = tuple(given.get("dependencies", task.dependencies))
        made = replace(
            task,
            name=texts.get("name", task.name),
            description=texts.get("description", task.description),
            priority=given.get("priority", task.priority),
            status=status,
            dependencies=dependencies,
        )
        if made == task:
            return task
        now = self._clock.now()
        is_done = status is TaskStatus.COMPLETED
        return replace(made, updated_at=now, completed_at=(task.completed_at or now) if is_done else None)

    async def _put(self, tasks: TaskList, task: Task, change: Any) -> dict[str, Any] | None:
        """Save the task. Returns None if the tasks were changed in between."""
        made = tasks.put(task)
        if tasks.tasks.get(task.id) != task and not await self._commit(tasks, put=(task,)):
            return None
        self._tell(made, task, change)
        moved = [one for one in made.ordered() if one.id != task.id and _is_moved(tasks, made, one)]
        for one in moved:
            self._tell(made, one, "updated")
        unblocked = [one.id for one in moved if made.shown_status(one) is not TaskStatus.BLOCKED]
        return {"task": _shown(made, task), **({"unblocked": unblocked} if unblocked else {})}

    async def _delete(self, tasks: TaskList) -> dict[str, Any] | None:
        if self._id not in tasks.tasks and tasks.changed_by == self._context.origin:
            return {"deleted": True, "task": None}
        task = tasks.get(self._id)
        tasks.without(task.id)
        if not await self._commit(tasks, removed=(task.id,)):
            return None
        self._tell(tasks, task, "deleted")
        return {"deleted": True, "task": _shown(tasks, task)}

    async def _commit(self, tasks: TaskList, **what: Any) -> bool:
        by = self._context.origin
        change = ChangeTasks(self._context.workflow_id, tasks.revision, by, **what)
        return not await self._store.commit([change])

    def _tell(self, tasks: TaskList, task: Task, change: Any) -> None:
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
        self._context.tell(fact)

    def _listed(self, tasks: TaskList) -> dict[str, Any]:
        wanted = self._arguments.get("status")
        shown = [_shown(tasks, task) for task in tasks.ordered()]
        counts = {status.value: sum(one["status"] == status for one in shown) for status in TaskStatus}
        return {"tasks": [one for one in shown if wanted in (None, one["status"])], "counts": counts}


def _is_moved(before: TaskList, after: TaskList, task: Task) -> bool:
    """Return whether the shown status of a task differs, because of its dependencies."""
    return before.shown_status(task) is not after.shown_status(task)


def _shown(tasks: TaskList, task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "name": task.name,
        "description": task.description,
        "priority": task.priority,
        "status": tasks.shown_status(task).value,
        "dependencies": list(task.dependencies),
        "waits_for": [one.id for one in tasks.waits_for(task)],
        "created_at": iso_time(task.created_at),
        "updated_at": iso_time(task.updated_at),
        "completed_at": iso_time(task.completed_at) if task.completed_at else None,
    }


def _summary(arguments: Arguments, value: Any) -> str:
    if "tasks" in value:
        return format_count(len(value["tasks"]), "task")
    task = value["task"]
    return (
        "deleted" if task is None else shorten(f"{task['name']}: {'deleted' if 'deleted' in value else task['status']}")
    )
