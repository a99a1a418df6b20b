"""Rows of messages, and the texts that events point to."""

from collections.abc import Iterable

from core.domain.attachment import attachment_fields, attachments_of
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.message import Message, MessageState, Role
from core.persistence.codec import Places, data, data_of, microseconds, optional, readable, text, text_of, time_of
from core.persistence.connection import Connection
from core.persistence.keys import record, text_key
from core.persistence.pages import by_ids, by_place
from core.persistence.statements import Row, Statement, each

PUT_MESSAGES = """INSERT INTO message $given ON DUPLICATE KEY UPDATE
    workflow = $input.workflow, place = $input.place, text = $input.text, data = $input.data RETURN NONE"""
_OF_WORKFLOW = """SELECT * FROM message
    WHERE workflow = $workflow AND place > $place ORDER BY place LIMIT $limit"""

_NEWEST = "SELECT * FROM message WHERE workflow = $workflow ORDER BY place DESC LIMIT $limit"


class Messages:
    def __init__(self, connection: Connection, places: Places) -> None:
        self._connection = connection
        self._places = places

    def put(self, messages: Iterable[Message]) -> list[Statement]:
        return each(PUT_MESSAGES, self.rows(messages))

    def rows(self, messages: Iterable[Message]) -> list[Row]:
        """Rows to be put, for a statement that puts more than messages."""
        return [self._row(message) for message in messages]

    async def of_workflow(self, workflow_id: WorkflowId) -> list[Message]:
        """Oldest first."""
        found: list[Message] = []
        async for page in by_place(self._connection, _OF_WORKFLOW, {"workflow": text_key(workflow_id)}):
            found.extend(readable(page, _message))
        return found

    async def newest(self, workflow_id: WorkflowId, limit: int) -> list[Message]:
        """The last ones of these."""
        given = {"workflow": text_key(workflow_id), "limit": limit}
        rows: list[Row] = await self._connection.read(_NEWEST, given)
        return list(readable(rows, _message))[::-1]

    async def texts(self, ids: Iterable[MessageId]) -> dict[MessageId, str]:
        """The texts of those messages that exist."""
        records = [record("message", text_key(message_id)) for message_id in ids]
        found: list[tuple[MessageId, str]] = []
        async for page in by_ids(self._connection, "SELECT id, text FROM $ids", records):
            found.extend(readable(page, _id_and_text))
        return dict(found)

    def _row(self, message: Message) -> Row:
        return {
            "id": text_key(message.id),
            "workflow": text_key(message.workflow_id),
            "place": self._places.next(message.created_at),
            "text": text(message.text),
            "data": data(
                role=message.role,
                created_at=microseconds(message.created_at),
                state=message.state,
                run_id=message.run_id,
                attachments=attachment_fields(message.attachments),
            ),
        }


def _message(row: Row) -> Message:
    found = data_of(row)
    return Message(
        MessageId(row["id"].id),
        WorkflowId(row["workflow"]),
        Role(found["role"]),
        text_of(row["text"]),
        time_of(found["created_at"]),
        MessageState(found["state"]),
        optional(RunId, found.get("run_id")),
        attachments_of(found.get("attachments")),
    )


def _id_and_text(row: Row) -> tuple[MessageId, str]:
    return MessageId(row["id"].id), text_of(row["text"])
