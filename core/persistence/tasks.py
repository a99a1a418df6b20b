"""Rows of tasks, and the revision of each workflow's list."""

from collections.abc import Iterable

from core.domain.ids import TaskId, WorkflowId
from core.domain.task import Task, TaskList, TaskStatus
from core.persistence import codec
from core.persistence.keys import text_key
from core.persistence.repository import Repository, decode_pages
from core.persistence.statements import Row, Statement
from core.ports import ChangeTasks

# The revision makes a change of the list atomic: of two runs that read the same list, only the first writes. A repeated
# commit finds its own revision and author, and counts as applied.
_CHANGE = """{
    LET $to = $argument;
    LET $head = (SELECT * FROM ONLY type::record('todo', $to.workflow));
    LET $is_due = ($head.revision ?? 0) = $to.revision;
    IF $is_due {
        UPSERT type::record('todo', $to.workflow) SET revision = $to.revision + 1, by = $to.by RETURN NONE;
        INSERT INTO task $to.put ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE;
        DELETE $to.removed.map(|$id| type::record('task', [$to.workflow, $id])) RETURN NONE;
    };
    $is_due OR ($head.revision = $to.revision + 1 AND $head.by = $to.by)
}"""


class TaskRepository(Repository):
    """The task lists of workflows."""

    def change(self, changes: Iterable[tuple[int, ChangeTasks]]) -> list[Statement]:
        """Return a statement per change, in order."""
        return [_change_statement(position, change) for position, change in changes]

    async def of_workflow(self, workflow_id: WorkflowId) -> TaskList:
        """Return the tasks. The revision is read first, so a concurrent change invalidates it."""
        key = text_key(workflow_id)
        head = await self._row("todo", key)
        tasks = await decode_pages(self._pages_in_range("task", key), _decode_task)
        return TaskList.of(tasks, head["revision"], head["by"]) if head else TaskList.of(tasks, 0, None)


def _change_statement(position: int, change: ChangeTasks) -> Statement:
    argument = {
        "workflow": text_key(change.workflow_id),
        "revision": change.revision,
        "by": text_key(change.by),
        "put": [_encode_task(task) for task in change.put],
        "removed": [text_key(task_id) for task_id in change.removed],
    }
    return Statement(_CHANGE, argument, lambda is_applied: () if is_applied else [position])


def _encode_task(task: Task) -> Row:
    return {
        "id": [text_key(task.workflow_id), text_key(task.id)],
        "data": codec.encode_fields(
            name=task.name,
            description=task.description or None,
            priority=task.priority,
            status=task.status,
            dependencies=list(task.dependencies) or None,
            created_at=codec.to_microseconds(task.created_at),
            updated_at=codec.to_microseconds(task.updated_at),
            completed_at=codec.optional(codec.to_microseconds, task.completed_at),
        ),
    }


def _decode_task(row: Row) -> Task:
    workflow_id, task_id = row["id"].id
    fields = codec.decode_data(row)
    return Task(
        TaskId(task_id),
        WorkflowId(workflow_id),
        fields["name"],
        codec.from_microseconds(fields["created_at"]),
        codec.from_microseconds(fields["updated_at"]),
        fields.get("description", ""),
        fields["priority"],
        TaskStatus(fields["status"]),
        tuple(TaskId(task_id) for task_id in fields.get("dependencies", ())),
        codec.optional(codec.from_microseconds, fields.get("completed_at")),
    )
