"""Rows of tasks, and the revision of those of a workflow."""

from collections.abc import Iterable

from core.domain.ids import TaskId, WorkflowId
from core.domain.task import Task, TaskList, TaskStatus
from core.persistence.codec import data, data_of, microseconds, optional, readable, time_of
from core.persistence.connection import Connection
from core.persistence.keys import record, rows_of, text_key
from core.persistence.pages import in_range
from core.persistence.statements import Row, Statement
from core.ports.storage import ChangeTasks

_CHANGE = """{
    LET $to = $given;
    LET $head = (SELECT * FROM ONLY type::record('todo', $to.workflow));
    LET $is_due = ($head.revision ?? 0) = $to.revision;
    IF $is_due {
        UPSERT type::record('todo', $to.workflow) SET revision = $to.revision + 1, by = $to.by RETURN NONE;
        INSERT INTO task $to.put ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE;
        DELETE $to.removed.map(|$one| type::record('task', [$to.workflow, $one])) RETURN NONE;
    };
    $is_due OR ($head.revision = $to.revision + 1 AND $head.by = $to.by)
}"""


class Tasks:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def change(self, changes: Iterable[tuple[int, ChangeTasks]]) -> list[Statement]:
        """A statement for each, in their order."""
        return [_change(position, change) for position, change in changes]

    async def of_workflow(self, workflow_id: WorkflowId) -> TaskList:
        """The revision is read first: what changes meanwhile makes a change on this list be lost."""
        key = text_key(workflow_id)
        head = await self._connection.read("SELECT * FROM ONLY $id", {"id": record("todo", key)})
        found: list[Task] = []
        async for page in in_range(self._connection, "SELECT * FROM $range", "task", key):
            found.extend(readable(page, _task))
        return TaskList.of(found, head["revision"], head["by"]) if head else TaskList.of(found, 0, None)


def rows_of_workflow(workflow_id: WorkflowId) -> list[object]:
    """All that there is of its tasks."""
    key = text_key(workflow_id)
    return [rows_of("task", key), record("todo", key)]


def _change(position: int, change: ChangeTasks) -> Statement:
    given = {
        "workflow": text_key(change.workflow_id),
        "revision": change.revision,
        "by": text_key(change.by),
        "put": [_row(task) for task in change.put],
        "removed": [text_key(task_id) for task_id in change.removed],
    }
    return Statement(_CHANGE, given, lambda is_applied: () if is_applied else [position])


def _row(task: Task) -> Row:
    return {
        "id": [text_key(task.workflow_id), text_key(task.id)],
        "data": data(
            name=task.name,
            description=task.description or None,
            priority=task.priority,
            status=task.status,
            dependencies=list(task.dependencies) or None,
            created_at=microseconds(task.created_at),
            updated_at=microseconds(task.updated_at),
            completed_at=optional(microseconds, task.completed_at),
        ),
    }


def _task(row: Row) -> Task:
    workflow_id, task_id = row["id"].id
    found = data_of(row)
    return Task(
        TaskId(task_id),
        WorkflowId(workflow_id),
        found["name"],
        time_of(found["created_at"]),
        time_of(found["updated_at"]),
        found.get("description", ""),
        found["priority"],
        TaskStatus(found["status"]),
        tuple(TaskId(one) for one in found.get("dependencies", ())),
        optional(time_of, found.get("completed_at")),
    )
