"""Rows of messages, and of streamed text until its message is written."""

from collections.abc import Iterable

from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.messages import Message, MessageState, Role, attachment_fields, attachments_of
from core.persistence.batch import Stream
from core.persistence.codec import (
    OrderKeys,
    decode_data,
    decode_rows,
    decode_text,
    encode_fields,
    encode_text,
    from_microseconds,
    optional,
    to_microseconds,
)
from core.persistence.connection import Connection
from core.persistence.keys import key_number, key_range, record_id, text_key
from core.persistence.pages import LONG_TEXTS_PER_PAGE, pages_by_id, pages_by_order_key, pages_in_range
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports.writes import Chunk, PutAttachedText

_PUT_TEXT = "INSERT IGNORE INTO attached_text $given RETURN NONE"
PUT_MESSAGES = """INSERT INTO message $given ON DUPLICATE KEY UPDATE
    workflow = $input.workflow, place = $input.place, text = $input.text, data = $input.data RETURN NONE"""
_OF_WORKFLOW = """SELECT * FROM message
    WHERE workflow = $workflow AND place > $place ORDER BY place LIMIT $limit"""

_NEWEST = "SELECT * FROM message WHERE workflow = $workflow ORDER BY place DESC LIMIT $limit"


class MessageRepository:
    """The messages of workflows, ordered by time."""

    def __init__(self, connection: Connection, places: OrderKeys) -> None:
        self._connection = connection
        self._places = places

    def put(self, messages: Iterable[Message]) -> list[Statement]:
        return batched_statements(PUT_MESSAGES, self.rows(messages))

    def put_texts(self, attached: Iterable[PutAttachedText]) -> list[Statement]:
        """Return a statement per text: together they may have many megabytes."""
        return [Statement(_PUT_TEXT, [_encode_attached_text(one)]) for one in attached]

    def rows(self, messages: Iterable[Message]) -> list[Row]:
        """Return the encoded messages, for a statement that writes more than messages."""
        return [self._row(message) for message in messages]

    async def of_workflow(self, workflow_id: WorkflowId) -> list[Message]:
        """Return the readable messages, oldest first."""
        found: list[Message] = []
        async for page in pages_by_order_key(self._connection, _OF_WORKFLOW, {"workflow": text_key(workflow_id)}):
            found.extend(decode_rows(page, _decode_message))
        return found

    async def newest(self, workflow_id: WorkflowId, limit: int) -> list[Message]:
        """Return the last messages, oldest first."""
        given = {"workflow": text_key(workflow_id), "limit": limit}
        rows: list[Row] = await self._connection.read(_NEWEST, given)
        return list(decode_rows(rows, _decode_message))[::-1]

    async def attached_texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        """Return the texts by position."""
        found: list[str] = []
        prefix = text_key(workflow_id), text_key(message_id)
        async for page in pages_in_range(
            self._connection, "SELECT * FROM $range", "attached_text", *prefix, rows=LONG_TEXTS_PER_PAGE
        ):
            found.extend(decode_text(row["text"]) for row in page)
        return found

    async def texts(self, ids: Iterable[MessageId]) -> dict[MessageId, str]:
        """Return the texts of the messages that exist."""
        records = [record_id("message", text_key(message_id)) for message_id in ids]
        found: list[tuple[MessageId, str]] = []
        async for page in pages_by_id(self._connection, "SELECT id, text FROM $ids", records):
            found.extend(decode_rows(page, _id_and_text))
        return dict(found)

    def _row(self, message: Message) -> Row:
        return {
            "id": text_key(message.id),
            "workflow": text_key(message.workflow_id),
            "place": self._places.next(message.created_at),
            "text": encode_text(message.text),
            "data": encode_fields(
                role=message.role,
                created_at=to_microseconds(message.created_at),
                state=message.state,
                run_id=message.run_id,
                attachments=attachment_fields(message.attachments),
            ),
        }


def _decode_message(row: Row) -> Message:
    found = decode_data(row)
    return Message(
        MessageId(row["id"].id),
        WorkflowId(row["workflow"]),
        Role(found["role"]),
        decode_text(row["text"]),
        from_microseconds(found["created_at"]),
        MessageState(found["state"]),
        optional(RunId, found.get("run_id")),
        attachments_of(found.get("attachments")),
    )


def _encode_attached_text(attached: PutAttachedText) -> Row:
    key = [text_key(attached.workflow_id), text_key(attached.message_id), attached.position]
    return {"id": key, "text": encode_text(attached.text)}


def _id_and_text(row: Row) -> tuple[MessageId, str]:
    return MessageId(row["id"].id), decode_text(row["text"])


_PUT_CHUNKS = "INSERT INTO chunk $given ON DUPLICATE KEY UPDATE text = $input.text RETURN NONE"


class ChunkRepository:
    """Chunks of streamed text, kept until the message is written."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, dropped: Iterable[Stream], pieces: Iterable[Chunk]) -> list[Statement]:
        """Return statements that drop the streams, then keep the chunks."""
        ranges = [key_range("chunk", text_key(run_id), step, key_number(index)) for run_id, step, index in dropped]
        return [*delete_statements(ranges), *batched_statements(_PUT_CHUNKS, map(_encode_chunk, pieces))]

    async def of_run(self, run_id: RunId) -> list[Chunk]:
        """Return the readable chunks by stream and offset."""
        found: list[Chunk] = []
        pages = pages_in_range(self._connection, "SELECT * FROM $range", "chunk", text_key(run_id))
        async for page in pages:
            found.extend(decode_rows(page, _decode_chunk))
        return found


def _encode_chunk(chunk: Chunk) -> Row:
    return {
        "id": [text_key(chunk.run_id), chunk.step, key_number(chunk.index), chunk.offset],
        "text": encode_text(chunk.text),
    }


def _decode_chunk(row: Row) -> Chunk:
    run_id, step, index, offset = row["id"].id
    return Chunk(RunId(run_id), step, None if index < 0 else index, offset, decode_text(row["text"]))
