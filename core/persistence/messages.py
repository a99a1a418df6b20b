"""Rows of messages, and of streamed text until its message is written."""

from collections.abc import Iterable

from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.messages import Message, MessageState, Role, attachment_fields, attachments_of
from core.persistence import codec
from core.persistence.batch import Stream
from core.persistence.keys import key_number, key_range, record_id, text_key
from core.persistence.repository import LONG_TEXTS_PER_PAGE, OrderedRepository, Repository, decode_pages
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports import Chunk, PutAttachedText

_PUT_TEXT = "INSERT IGNORE INTO attached_text $argument RETURN NONE"
PUT_MESSAGES = """INSERT INTO message $argument ON DUPLICATE KEY UPDATE
    workflow = $input.workflow, place = $input.place, text = $input.text, data = $input.data RETURN NONE"""
_OF_WORKFLOW = """SELECT * FROM message
    WHERE workflow = $workflow AND place > $place ORDER BY place LIMIT $limit"""

_NEWEST = "SELECT * FROM message WHERE workflow = $workflow ORDER BY place DESC LIMIT $limit"
_PUT_CHUNKS = "INSERT INTO chunk $argument ON DUPLICATE KEY UPDATE text = $input.text RETURN NONE"


class MessageRepository(OrderedRepository):
    """The messages of workflows, ordered by time."""

    def put(self, messages: Iterable[Message]) -> list[Statement]:
        return batched_statements(PUT_MESSAGES, self.rows(messages))

    def put_texts(self, attached: Iterable[PutAttachedText]) -> list[Statement]:
        """Return a statement per text: together they may have many megabytes."""
        return [Statement(_PUT_TEXT, [_encode_attached_text(text)]) for text in attached]

    def rows(self, messages: Iterable[Message]) -> list[Row]:
        """Return the encoded messages, for a statement that writes more than messages."""
        return [self._encode(message) for message in messages]

    async def of_workflow(self, workflow_id: WorkflowId) -> list[Message]:
        """Return the readable messages, oldest first."""
        pages = self._pages_by_order_key(_OF_WORKFLOW, {"workflow": text_key(workflow_id)})
        return await decode_pages(pages, _decode_message)

    async def newest(self, workflow_id: WorkflowId, limit: int) -> list[Message]:
        """Return the last messages, oldest first."""
        rows: list[Row] = await self._connection.read(_NEWEST, {"workflow": text_key(workflow_id), "limit": limit})
        return list(codec.decode_rows(rows, _decode_message))[::-1]

    async def attached_texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        """Return the texts by position."""
        prefix = text_key(workflow_id), text_key(message_id)
        pages = self._pages_in_range("attached_text", *prefix, rows=LONG_TEXTS_PER_PAGE)
        return [codec.decode_text(row["text"]) async for page in pages for row in page]

    async def texts(self, ids: Iterable[MessageId]) -> dict[MessageId, str]:
        """Return the texts of the messages that exist."""
        records = [record_id("message", text_key(message_id)) for message_id in ids]
        pages = self._pages_by_id(records, text="SELECT id, text FROM $ids")
        return dict(await decode_pages(pages, _id_and_text))

    def _encode(self, message: Message) -> Row:
        return {
            "id": text_key(message.id),
            "workflow": text_key(message.workflow_id),
            "place": self._order_keys.next(message.created_at),
            "text": codec.encode_text(message.text),
            "data": codec.encode_fields(
                role=message.role,
                created_at=codec.to_microseconds(message.created_at),
                state=message.state,
                run_id=message.run_id,
                attachments=attachment_fields(message.attachments),
            ),
        }


def _decode_message(row: Row) -> Message:
    fields = codec.decode_data(row)
    return Message(
        MessageId(row["id"].id),
        WorkflowId(row["workflow"]),
        Role(fields["role"]),
        codec.decode_text(row["text"]),
        codec.from_microseconds(fields["created_at"]),
        MessageState(fields["state"]),
        codec.optional(RunId, fields.get("run_id")),
        attachments_of(fields.get("attachments")),
    )


def _encode_attached_text(attached: PutAttachedText) -> Row:
    key = [text_key(attached.workflow_id), text_key(attached.message_id), attached.position]
    return {"id": key, "text": codec.encode_text(attached.text)}


def _id_and_text(row: Row) -> tuple[MessageId, str]:
    return MessageId(row["id"].id), codec.decode_text(row["text"])


class ChunkRepository(Repository):
    """Chunks of streamed text, kept until the message is written."""

    def put(self, dropped: Iterable[Stream], chunks: Iterable[Chunk]) -> list[Statement]:
        """Return statements that drop the streams, then keep the chunks."""
        ranges = [key_range("chunk", text_key(run_id), step, key_number(index)) for run_id, step, index in dropped]
        return [*delete_statements(ranges), *batched_statements(_PUT_CHUNKS, map(_encode_chunk, chunks))]

    async def of_run(self, run_id: RunId) -> list[Chunk]:
        """Return the readable chunks by stream and offset."""
        pages = self._pages_in_range("chunk", text_key(run_id))
        return await decode_pages(pages, _decode_chunk)


def _encode_chunk(chunk: Chunk) -> Row:
    return {
        "id": [text_key(chunk.run_id), chunk.step, key_number(chunk.index), chunk.offset],
        "text": codec.encode_text(chunk.text),
    }


def _decode_chunk(row: Row) -> Chunk:
    run_id, step, index, offset = row["id"].id
    return Chunk(RunId(run_id), step, None if index < 0 else index, offset, codec.decode_text(row["text"]))
