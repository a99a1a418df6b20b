"""Rows of workflows."""

from collections.abc import Iterable
from typing import Any

from core.domain.agent import Answering
from core.domain.ids import WorkflowId
from core.domain.workflow import Workflow
from core.persistence.codec import BROKEN, Places, data, data_of, microseconds, optional, readable, time_of
from core.persistence.connection import Connection
from core.persistence.keys import record, text_key
from core.persistence.pages import of_table
from core.persistence.statements import Row, Statement, each

_PUT = """INSERT INTO workflow $given
    ON DUPLICATE KEY UPDATE place = $input.place, data = $input.data RETURN NONE"""


class Workflows:
    def __init__(self, connection: Connection, places: Places) -> None:
        self._connection = connection
        self._places = places

    def put(self, workflows: Iterable[Workflow]) -> list[Statement]:
        return each(_PUT, (self._row(workflow) for workflow in workflows))

    async def get(self, workflow_id: WorkflowId) -> Workflow | None:
        row = await self._connection.read("SELECT * FROM ONLY $id", {"id": record("workflow", text_key(workflow_id))})
        try:
            return _workflow(row) if row else None
        except BROKEN:
            return None

    async def all(self) -> list[Workflow]:
        """Last changed first. Read by key: an order that changes while it is read would hide one."""
        rows: list[Row] = []
        async for page in of_table(self._connection, "SELECT * FROM $range", "workflow"):
            rows.extend(page)
        rows.sort(key=lambda row: str(row.get("place")), reverse=True)
        return list(readable(rows, _workflow))

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
    )


def _answering_fields(answering: Answering) -> Any:
    return answering.model_dump(mode="json", exclude_none=True)
