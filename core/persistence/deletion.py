"""Removing a workflow with all that belongs to it, in small transactions.

What belongs to a run goes before its row, and the workflow's row goes last: if the process dies in between, what
is left can still be found and removed.
"""

from core.domain.ids import WorkflowId
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.keys import record, rows_of, text_key
from core.persistence.pages import ROWS, pieces
from core.persistence.queued_messages import rows_of_workflow as queued_rows
from core.persistence.statements import Statement
from core.persistence.tasks import rows_of_workflow

_SOME_RUNS = "SELECT VALUE record::id(id) FROM run WHERE workflow = $workflow LIMIT $limit"
_SOME_MESSAGES = "SELECT VALUE id FROM message WHERE workflow = $workflow LIMIT $limit"
_DELETE = "DELETE $given RETURN NONE"
_RANGES_OF_RUN = (
    "event",
    "chunk",
    "tool_call",
    "tool_argument",
    "step_result",
    "interruption",
    "interruption_ask",
    "interruption_answer",
    "allowed_file",
)
_ROWS_OF_RUN = ("snapshot", "outcome", "fault", "run")


async def delete_workflow(connection: Connection, workflow_id: WorkflowId) -> None:
    """Raises StorageFailed; what is left then can be deleted again."""
    some = {"workflow": text_key(workflow_id), "limit": ROWS}
    while runs := await connection.read(_SOME_RUNS, some):
        for run_id in runs:
            await _delete_run(connection, run_id)
    while messages := await connection.read(_SOME_MESSAGES, some):
        await connection.commit([Statement(_DELETE, messages)])
    await connection.commit([Statement(_DELETE, [*rows_of_workflow(workflow_id), *queued_rows(workflow_id)])])
    await connection.commit([Statement(_DELETE, record("workflow", text_key(workflow_id)))])


async def _delete_run(connection: Connection, run_id: str) -> None:
    last: list[RecordID] = []
    for table in _RANGES_OF_RUN:
        rows = rows_of(table, run_id)
        for piece in (await pieces(connection, rows))[:-1]:
            await connection.commit([Statement(_DELETE, piece)])
        last.append(rows)
    last += [record(table, run_id) for table in _ROWS_OF_RUN]
    await connection.commit([Statement(_DELETE, last)])
