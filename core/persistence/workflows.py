"""Rows of workflows."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from core.domain.agent import Answering
from core.domain.ids import WorkflowId
from core.domain.workflow import Workflow
from core.persistence.codec import BROKEN, Places, data, data_of, microseconds, optional, readable, time_of
from core.persistence.connection import Connection
from core.persistence.keys import record, text_key
from core.persistence.pages import of_table
from core.persistence.statements import Row, Statement, each
from core.ports.storage import ArchiveWorkflow, DiscardWorkflow

_PUT = """INSERT INTO workflow $given
    ON DUPLICATE KEY UPDATE place = $input.place, data = $input.data RETURN NONE"""
_SET_TIME = {
    column: f"UPDATE type::record('workflow', $given.id) SET {column} = $given.at RETURN NONE"
    for column in ("archived_at", "discarded_at")
}
_UNSET_TIME = {
    column: f"UPDATE type::record('workflow', $given.id) SET {column} = NONE RETURN NONE"
    for column in ("archived_at", "discarded_at")
}
_DISCARDED = "SELECT record::id(id) AS key, discarded_at FROM workflow WHERE discarded_at > 0"
_ARCHIVED = "SELECT VALUE record::id(id) FROM workflow WHERE archived_at > 0"


class Workflows:
    def __init__(self, connection: Connection, places: Places) -> None:
        self._connection = connection
        self._places = places

    def put(self, workflows: Iterable[Workflow]) -> list[Statement]:
        return each(_PUT, (self._row(workflow) for workflow in workflows))

    def archive(self, changes: Iterable[ArchiveWorkflow]) -> list[Statement]:
        """A statement for each, in their order."""
        return [_put_time("archived_at", one.workflow_id, one.at) for one in changes]

    def discard(self, changes: Iterable[DiscardWorkflow]) -> list[Statement]:
        """A statement for each, in their order."""
        return [_put_time("discarded_at", one.workflow_id, one.at) for one in changes]

    async def discarded(self) -> list[WorkflowId]:
        rows: list[Row] = await self._connection.read(_DISCARDED)
        return [WorkflowId(row["key"]) for row in sorted(rows, key=lambda row: int(row["discarded_at"]))]

    async def archived(self) -> set[WorkflowId]:
        return {WorkflowId(key) for key in await self._connection.read(_ARCHIVED)}

    async def get(self, workflow_id: WorkflowId) -> Workflow | None:
        row = await self._connection.read("SELECT * FROM ONLY $id", {"id": record("workflow", text_key(workflow_id))})
        try:
            return _workflow(row) if row and not _is_discarded(row) else None
        except BROKEN:
            return None

    async def all(self) -> list[Workflow]:
        """Last changed first. Read by key: an order that changes while it is read would hide one."""
        rows: list[Row] = []
        async for page in of_table(self._connection, "SELECT * FROM $range", "workflow"):
            rows.extend(page)
        rows.sort(key=lambda row: str(row.get("place")), reverse=True)
        return list(readable((row for row in rows if not _is_discarded(row)), _workflow))

    def _row(self, workflow: Workflow) -> Row:
        return {
            "id": text_key(workflow.id),
            "place": self._places.next(workflow.updated_at),
            "data": data(
                title=workflow.title,
                agent=workflow.agent,
                created_at=microseconds(workflow.created_at),
                updated_at=microseconds(workflow.updated_at),
                answering=optional(_answering_fields, workflow.answering),
            ),
        }


def _workflow(row: Row) -> Workflow:
    found = data_of(row)
    return Workflow(
        WorkflowId(row["id"].id),
        found["title"],
        found["agent"],
        time_of(found["created_at"]),
        time_of(found["updated_at"]),
        optional(Answering.model_validate, found.get("answering")),
        optional(time_of, row.get("archived_at")),
    )


def _is_discarded(row: Row) -> bool:
    return row.get("discarded_at") is not None


def _put_time(column: str, workflow_id: WorkflowId, at: datetime | None) -> Statement:
    if at is None:
        return Statement(_UNSET_TIME[column], {"id": text_key(workflow_id)})
    return Statement(_SET_TIME[column], {"id": text_key(workflow_id), "at": microseconds(at)})


def _answering_fields(answering: Answering) -> Any:
    return answering.model_dump(mode="json", exclude_none=True)
