"""Tasks of a workflow, and the order that their dependencies require (AGENTS_AND_TOOLS §5, `todo`). Pure.

A task begins, and is completed, after all of its dependencies. A pending task with open dependencies is shown as
`blocked`; a task can also be set to `blocked` when it waits for something outside the list.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from core.domain.ids import TaskId, WorkflowId
from core.errors import ToolFailed

NAME_CHARACTERS = 128
DESCRIPTION_CHARACTERS = 1_000
MAX_DEPENDENCIES = 50
MAX_TASKS = 500
HIGHEST_PRIORITY, LOWEST_PRIORITY, DEFAULT_PRIORITY = 1, 5, 3


class TaskStatus(StrEnum):
    """The states of a task."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    BLOCKED = "blocked"


_BEGUN = frozenset({TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED})


@dataclass(frozen=True, slots=True)
class Task:
    """A task as stored; `status` is the status that was set. `priority` 1 is the highest."""

    id: TaskId
    workflow_id: WorkflowId
    name: str
    created_at: datetime
    updated_at: datetime
    description: str = ""
    priority: int = DEFAULT_PRIORITY
    status: TaskStatus = TaskStatus.PENDING
    dependencies: tuple[TaskId, ...] = ()
    completed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TaskList:
    """All tasks of a workflow. `revision` counts its changes; a change names the revision that it is based on.
    `changed_by` is the author of the last change.

    Methods that return a new list raise ToolFailed with a message for the model: `not_found`, `invalid_arguments`,
    `blocked` or `in_use`.
    """

    tasks: Mapping[TaskId, Task]
    revision: int = 0
    changed_by: str | None = None

    @classmethod
    def of(cls, tasks: Iterable[Task], revision: int, changed_by: str | None) -> "TaskList":
        """Build the list of these tasks."""
        return cls({task.id: task for task in tasks}, revision, changed_by)

    def get(self, task_id: TaskId) -> Task:
        """Return the task. Raises `not_found`."""
        if task_id not in self.tasks:
            raise ToolFailed("not_found", f"this workflow has no task {task_id!r}", id=task_id)
        return self.tasks[task_id]

    def ordered(self) -> list[Task]:
        """Sort the tasks by priority, then by age."""
        return sorted(self.tasks.values(), key=lambda task: (task.priority, task.created_at, task.id))

    def waits_for(self, task: Task) -> list[Task]:
        """Find the dependencies of the task that are not completed."""
        dependencies = (self.tasks[task_id] for task_id in task.dependencies if task_id in self.tasks)
        return [needed for needed in dependencies if needed.status is not TaskStatus.COMPLETED]

    def shown_status(self, task: Task) -> TaskStatus:
        """Return the status as displayed: `blocked` while dependencies are open."""
        return TaskStatus.BLOCKED if task.status is TaskStatus.PENDING and self.waits_for(task) else task.status

    def put(self, task: Task) -> "TaskList":
        """Add or replace a task."""
        if task.id not in self.tasks and len(self.tasks) >= MAX_TASKS:
            message = f"there are {MAX_TASKS} tasks already: delete some that are done"
            raise ToolFailed("too_many", message, limit=MAX_TASKS)
        for dependency in task.dependencies:
            if dependency not in self.tasks or dependency == task.id:
                is_self = dependency == task.id
                problem = "a task cannot depend on itself" if is_self else f"there is no task {dependency!r}"
                raise ToolFailed("invalid_arguments", f"dependencies: {problem}", id=dependency)
        changed = replace(self, tasks={**self.tasks, task.id: task})
        if circle := _circle(changed, task):
            path = " → ".join(f"{changed.tasks[task_id].name!r} ({task_id})" for task_id in circle)
            raise ToolFailed("invalid_arguments", f"dependencies: they would be circular: {path}", circle=circle)
        _require_order(changed, task)
        return changed

    def without(self, task_id: TaskId) -> "TaskList":
        """Remove a task. Raises `in_use` while another task depends on it."""
        task = self.get(task_id)
        needed_by = [other for other in self.ordered() if task_id in other.dependencies]
        if needed_by:
            names = _list_names(needed_by)
            message = f"{task.name!r} is needed by {names}: change their dependencies or delete them first"
            raise ToolFailed("in_use", message, needed_by=[other.id for other in needed_by])
        return replace(self, tasks={other_id: other for other_id, other in self.tasks.items() if other_id != task_id})


def _circle(tasks: TaskList, changed: Task) -> list[TaskId] | None:
    """Find a dependency path from the task back to itself."""
    # A new circle must contain the changed task, since the list had none before; so it is enough to search from there.
    came_from: dict[TaskId, TaskId] = {}
    todo = [changed.id]
    while todo:
        at = todo.pop()
        for needed in tasks.tasks[at].dependencies:
            if needed == changed.id:
                back = [needed, at]
                while back[-1] != changed.id:
                    back.append(came_from[back[-1]])
                return back[::-1]
            if needed in tasks.tasks and needed not in came_from:
                came_from[needed] = at
                todo.append(needed)
    return None


def _require_order(tasks: TaskList, changed: Task) -> None:
    """Raise ToolFailed if a task has begun or is completed before its dependencies."""
    if changed.status in _BEGUN and (open_tasks := tasks.waits_for(changed)):
        done = "completed" if changed.status is TaskStatus.COMPLETED else "begun"
        message = f"{changed.name!r} cannot be {done} yet: it depends on {_list_names(open_tasks)}"
        raise ToolFailed("blocked", message, waits_for=[task.id for task in open_tasks])
    if changed.status is TaskStatus.COMPLETED:
        return
    started = [task for task in tasks.ordered() if changed.id in task.dependencies and task.status in _BEGUN]
    if started:
        message = f"{changed.name!r} must stay completed: {_list_names(started)} depends on it, and has begun"
        raise ToolFailed("blocked", message, needed_by=[task.id for task in started])


def _list_names(tasks: list[Task]) -> str:
    names = [f"{task.name!r} ({task.id}, {task.status})" for task in tasks[:5]]
    return ", ".join(names) + (f" and {len(tasks) - 5} more" if len(tasks) > 5 else "")
