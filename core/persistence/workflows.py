"""Rows of workflows, and the deletion of a workflow with all that belongs to it."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.workflow import Workflow
from core.persistence import codec
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.files import delete_files
from core.persistence.keys import key_range, record_id, text_key
from core.persistence.repository import PAGE_SIZE, OrderedRepository, subranges
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports import ArchiveWorkflow, DiscardWorkflow, MarkLookedAt

_PUT = """INSERT INTO workflow $argument
    ON DUPLICATE KEY UPDATE place = $input.place, data = $input.data, looked_at = looked_at ?? $input.looked_at
    RETURN NONE"""
_SET_TIME = "UPDATE type::record('workflow', $argument.id) SET {column} = $argument.at RETURN NONE"
_UNSET_TIME = "UPDATE type::record('workflow', $argument.id) SET {column} = NONE RETURN NONE"
_DISCARDED = "SELECT record::id(id) AS key, discarded_at FROM workflow WHERE discarded_at > 0"
_LOOKED = "SELECT record::id(id) AS key, looked_at FROM workflow WHERE looked_at != NONE"
_ARCHIVED = "SELECT VALUE record::id(id) FROM workflow WHERE archived_at > 0"
_RUNS_PAGE = "SELECT VALUE record::id(id) FROM run WHERE workflow = $workflow LIMIT $limit"
_MESSAGES_PAGE = "SELECT VALUE id FROM message WHERE workflow = $workflow LIMIT $limit"
_RANGES_OF_RUN = ("fact", "long_value", "chunk", "interruption", "allowed_file")
_RANGES_OF_WORKFLOW = ("task", "queued_message", "queued_text", "attached_text")
_ROWS_OF_RUN = ("snapshot", "outcome", "fault", "run")


class WorkflowRepository(OrderedRepository):
    """Workflows, ordered by their last change."""

    def put(self, workflows: Iterable[Workflow]) -> list[Statement]:
        return batched_statements(_PUT, (self._encode(workflow) for workflow in workflows))

    def archive(self, changes: Iterable[ArchiveWorkflow]) -> list[Statement]:
        """Return a statement per change, in order."""
        return [_set_time_statement("archived_at", change.workflow_id, change.at) for change in changes]

    def mark_looked_at(self, changes: Iterable[MarkLookedAt]) -> list[Statement]:
        """Return a statement per change, in order."""
        return [_set_time_statement("looked_at", change.workflow_id, change.at) for change in changes]

    def discard(self, changes: Iterable[DiscardWorkflow]) -> list[Statement]:
        """Return a statement per change, in order."""
        return [_set_time_statement("discarded_at", change.workflow_id, change.at) for change in changes]

    async def discarded(self) -> list[WorkflowId]:
        rows: list[Row] = await self._connection.read(_DISCARDED)
        return [WorkflowId(row["key"]) for row in sorted(rows, key=lambda row: int(row["discarded_at"]))]

    async def archived(self) -> set[WorkflowId]:
        return {WorkflowId(key) for key in await self._connection.read(_ARCHIVED)}

    async def looked_at(self) -> dict[WorkflowId, datetime]:
        rows: list[Row] = await self._connection.read(_LOOKED)
        return {WorkflowId(row["key"]): codec.from_microseconds(row["looked_at"]) for row in rows}

    async def get(self, workflow_id: WorkflowId) -> Workflow | None:
        row = await self._row("workflow", text_key(workflow_id))
        return None if row and _is_discarded(row) else codec.decode_if_readable(row, _decode_workflow)

    async def all(self) -> list[Workflow]:
        """Return workflows, last changed first. Paged by key, since the order may change while it is read."""
        pages = self._pages_of_table("workflow")
        rows = [row async for page in pages for row in page]
        rows.sort(key=lambda row: str(row.get("place")), reverse=True)
        return list(codec.decode_rows((row for row in rows if not _is_discarded(row)), _decode_workflow))

    def _encode(self, workflow: Workflow) -> Row:
        return {
            "id": text_key(workflow.id),
            "place": self._order_keys.next(workflow.updated_at),
            "looked_at": codec.to_microseconds(workflow.updated_at),
            "data": codec.encode_fields(
                title=workflow.title,
                agent=workflow.agent,
                created_at=codec.to_microseconds(workflow.created_at),
                updated_at=codec.to_microseconds(workflow.updated_at),
                answering=codec.optional(_encode_answering, workflow.answering),
                origin=workflow.origin,
                folders=workflow.folders or None,
            ),
        }


def _decode_workflow(row: Row) -> Workflow:
    fields = codec.decode_data(row)
    return Workflow(
        WorkflowId(row["id"].id),
        fields["title"],
        fields["agent"],
        codec.from_microseconds(fields["created_at"]),
        codec.from_microseconds(fields["updated_at"]),
        codec.optional(AgentSelection.model_validate, fields.get("answering")),
        codec.optional(codec.from_microseconds, row.get("archived_at")),
        codec.optional(WorkflowId, fields.get("origin")),
        tuple(fields.get("folders", ())),
    )


def _is_discarded(row: Row) -> bool:
    return row.get("discarded_at") is not None


def _set_time_statement(column: str, workflow_id: WorkflowId, at: datetime | None) -> Statement:
    if at is None:
        return Statement(_UNSET_TIME.format(column=column), {"id": text_key(workflow_id)})
    return Statement(_SET_TIME.format(column=column), {"id": text_key(workflow_id), "at": codec.to_microseconds(at)})


def _encode_answering(answering: AgentSelection) -> Any:
    return answering.model_dump(mode="json", exclude_none=True)


async def delete_workflow(connection: Connection, workflow_id: WorkflowId) -> None:
    """Delete the workflow and all that belongs to it, in small transactions.

    A run's rows are deleted before the run, and the workflow last: if the process dies in between, the remaining rows
    can still be found. Raises StorageFailed; the deletion can be repeated.
    """
    key = text_key(workflow_id)
    batch = {"workflow": key, "limit": PAGE_SIZE}
    while runs := await connection.read(_RUNS_PAGE, batch):
        for run_id in runs:
            await _delete_run(connection, run_id)
    while messages := await connection.read(_MESSAGES_PAGE, batch):
        await connection.commit(delete_statements(messages))
    await delete_files(connection, key)
    ranges = [key_range(table, key) for table in _RANGES_OF_WORKFLOW]
    await connection.commit(delete_statements([*ranges, record_id("todo", key)]))
    await connection.commit(delete_statements([record_id("workflow", key)]))


async def _delete_run(connection: Connection, run_id: str) -> None:
    """Delete the run's rows in batches, the last of each table together with the run."""
    last: list[RecordID] = []
    for table in _RANGES_OF_RUN:
        rows = key_range(table, run_id)
        for part in (await subranges(connection, rows))[:-1]:
            await connection.commit(delete_statements([part]))
        last.append(rows)
    last += [record_id(table, run_id) for table in _ROWS_OF_RUN]
    await connection.commit(delete_statements(last))
